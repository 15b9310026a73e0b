package panes_test

import (
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/stage/panes"
	"github.com/zkviz/zkviz/engine/stage/player"
)

// TestCaptionsSayWhatIsSeen checks what is said of two runs without a verdict: what the picture of one shows and the
// other's doesn't.
func TestCaptionsSayWhatIsSeen(t *testing.T) {
	joined := func(who event.Actor) []event.Event {
		return []event.Event{{Kind: event.ClientStarted, Actor: who},
			{Kind: event.SessionCreated, Peer: who, Session: int64(who), N: int64(10 * time.Second)},
			{Kind: event.ConnOpened, Actor: who, Session: int64(who)}}
	}
	says := func(who event.Actor, phase program.Phase, fence int64) event.Event {
		return event.Event{Kind: event.RecipePhase, Actor: who, Text: string(phase), Path: "/l/x", N: fence}
	}
	read := func(who event.Actor) []event.Event {
		return []event.Event{{Kind: event.ZnodeCreated, Peer: 1, Session: 1, Path: "/l/x"},
			{Kind: event.MsgSent, Peer: who, Op: event.Get, Path: "/l/x"},
			{Kind: event.OpDone, Actor: who, Op: event.Get, Path: "/l/x"}}
	}
	all := func(lists ...[]event.Event) (events []event.Event) {
		for _, list := range lists {
			events = append(events, list...)
		}
		return events
	}
	waits := []event.Event{says(1, program.Waiting, 0), {Kind: event.ClientBlocked, Actor: 1, Path: "/l/x"}}
	crashed := func(mode zoo.CreateMode) []event.Event {
		return []event.Event{{Kind: event.ZnodeCreated, Peer: 1, Session: 1, Path: "/l/x", Mode: uint8(mode)},
			{Kind: event.ClientCrashed, Actor: 1}}
	}
	version := func(who event.Actor, phase program.Phase, n int64) []event.Event {
		return append(read(who), says(who, phase, n))
	}
	for name, c := range map[string]struct {
		one, other []event.Event
		want       [2]string
	}{
		"the same":       {all(joined(1), waits), all(joined(1), waits), [2]string{}},
		"nobody gets in": {all(joined(1), waits), joined(1), [2]string{"nobody inside, 1 waits", ""}},
		"it asks": {all(joined(1), waits, joined(2), []event.Event{{Kind: event.MsgSent, Actor: 2, Op: event.Create,
			Path: "/l/y", N: int64(time.Second)}}), joined(1), [2]string{}},
		"left behind": {all(joined(1), crashed(zoo.Persistent)), all(joined(1), crashed(zoo.Ephemeral)),
			[2]string{"crashed, znode stays: A", ""}},
		"read and unread": {all(joined(1), version(1, program.Published, 2), joined(2), version(2, program.Saw, 2)),
			all(joined(1), version(1, program.Published, 2), joined(2), version(2, program.Saw, 1)),
			[2]string{"✓ all know v2", "v2 not read by B"}},
		"it has read nothing": {all(joined(1), version(1, program.Published, 2), joined(2)),
			all(joined(1), version(1, program.Published, 2), joined(2), version(2, program.Saw, 1)),
			[2]string{"", "v2 not read by B"}},
		"counts are no versions": {all(joined(1), []event.Event{says(1, program.Published, 2)}),
			all(joined(1), []event.Event{says(1, program.Published, 3)}), [2]string{}},
	} {
		of := func(events []event.Event) *player.Player {
			for i := range events {
				events[i].Seq, events[i].At = event.Seq(i+1), time.Duration(i+1)*time.Millisecond
			}
			p := player.Of(&event.Log{Header: event.Header{Recipe: "lock", Clients: 2}, Events: events})
			p.Show(time.Second, event.Seq(p.Log.Shown().All()))
			return p
		}
		p, other := of(c.one), of(c.other)
		two := panes.Pictures(p, player.NewPair(p, other, player.ByTime), [2]string{}, "", say(t))
		if got := [2]string{two[0].Verdict, two[1].Verdict}; got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
