package player_test

import (
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/player"
)

// quietRun returns a run with something to see at 1 s, at 13.7 s and at 14 s, and a heartbeat in each second between.
func quietRun(t *testing.T, r player.Run) *player.Player {
	t.Helper()
	var log []event.Event
	put := func(at time.Duration, kind event.Kind, op event.Op) {
		log = append(log, event.Event{Seq: event.Seq(len(log) + 1), At: at, Actor: 1, Kind: kind, Op: op})
	}
	put(second, event.RecipeNote, event.NoOp)
	for at := 2 * second; at < 13*second; at += second {
		put(at, event.MsgSent, event.Ping)
		put(at+400*ms, event.MsgReceived, event.Ping)
	}
	put(13700*ms, event.MsgDropped, event.Ping) // a lost heartbeat is visible
	put(14*second, event.OpSent, event.Get)
	p := player.New()
	r.ID = "r"
	p.Open(r)
	last := log[len(log)-1].Seq
	must(t, p.PutBranch(player.Branch{Parent: -1, From: 1, Events: last, Ended: true}, nil))
	p.PutSteps([]player.Step{
		{Anchor: "a", Seq: 1, Focus: []string{"client-1"}}, {Anchor: "b", Seq: last},
		{Anchor: "back", Seq: last, Again: "a", Focus: []string{"client-2"}},
	})
	must(t, p.Append(0, log))
	return p
}

var simulated = player.Run{Lesson: true, Header: event.Header{Host: "sim"}}

func TestHeartbeatsAloneArePlayedFast(t *testing.T) {
	p := quietRun(t, simulated)
	if want := []player.Span{{From: 1700 * ms, To: 13400 * ms}}; !slices.Equal(p.Quiet(), want) {
		t.Fatalf("it is quiet in %v, not in %v", p.Quiet(), want)
	}
	p.Do("step", "")
	var fast []time.Duration
	for p.Head.Playing() {
		if p.Fast() {
			fast = append(fast, p.Head.At())
		}
		p.Tick(20 * ms)
	}
	at(t, p, 14*second, event.Seq(p.Log.Shown().History().Len()), "b")
	if n := len(fast); n < 45 || n > 55 || fast[0] < 1700*ms || fast[n-1] > 13400*ms {
		t.Errorf("%d frames are fast, from %s to %s", n, fast[0], fast[n-1])
	}
	if p.Fast() {
		t.Error("it is fast and stands still")
	}
}

// TestElsewhereNothingIsPlayedFast checks that live runs and runs outside of lessons are played in real time.
func TestElsewhereNothingIsPlayedFast(t *testing.T) {
	for _, r := range []player.Run{
		{Header: event.Header{Host: "sim"}}, {Lesson: true, Header: event.Header{Host: "live"}},
	} {
		p := quietRun(t, r)
		p.Show(5*second, 0)
		p.Do("play-pause", "")
		p.Tick(100 * ms)
		if p.Fast() || p.Quiet() != nil || p.Head.At() != 5100*ms {
			t.Errorf("%s: it is fast: %v, in %v, at %s", r.Header.Host, p.Fast(), p.Quiet(), p.Head.At())
		}
	}
}

// TestTheStepIsNamedOnTheWay checks that a step's words appear with Next, and stay during a pause on the way.
func TestTheStepIsNamedOnTheWay(t *testing.T) {
	p := quietRun(t, simulated)
	p.Do("step", "")
	p.Tick(100 * ms)
	for _, do := range []string{"", "play-pause", "play-pause"} {
		if p.Do(do, ""); p.Step().Anchor != "b" || p.Heading() != "b" || p.Head.At() == 14*second {
			t.Errorf("after %q it heads for %q and shows %q, at %s", do, p.Heading(), p.Step().Anchor, p.Head.At())
		}
	}
	if p.Focus() != nil {
		t.Errorf("it stresses %v on the way", p.Focus())
	}
	p.Do("step-back", "")
	at(t, p, second, 1, "a")
	p.Do("step", "")
	p.Tick(100 * ms)
	p.Do("event", "")
	if p.Step().Anchor != "a" || p.Heading() != "" {
		t.Errorf("put elsewhere, it heads for %q and shows %q", p.Heading(), p.Step().Anchor)
	}
}

// TestLookingBack checks that a step that looks back repeats an earlier one, and that the run resumes where it was.
func TestLookingBack(t *testing.T) {
	p := quietRun(t, simulated)
	p.Do("goto-step", "b")
	p.Do("step", "")
	if p.Head.At() != 0 || p.Step().Anchor != "back" || !p.Head.Playing() {
		t.Errorf("looking back begins at %s, in step %q", p.Head.At(), p.Step().Anchor)
	}
	play(t, p)
	at(t, p, second, 1, "back")
	if !slices.Equal(p.Focus(), []string{"client-2"}) {
		t.Errorf("it stresses %v", p.Focus())
	}
	p.Do("event", "")
	at(t, p, 2*second, 2, "back") // single events don't leave the step
	p.Do("step-back", "")
	at(t, p, second, 1, "back")
	p.Do("step-back", "")
	at(t, p, 14*second, event.Seq(p.Log.Shown().History().Len()), "b")
	p.Do("goto-step", "back")
	p.Do("seek", "3000")
	if p.Step().Anchor != "a" {
		t.Errorf("elsewhere in the run it shows step %q", p.Step().Anchor)
	}
	p.Do("tell-step", "b")
	if p.Head.At() != second || p.Heading() != "b" {
		t.Errorf("step b begins at %s, heading for %q", p.Head.At(), p.Heading())
	}
}

// TestTheRunIsToldOn checks that the step after one that looks back starts where the run was left.
func TestTheRunIsToldOn(t *testing.T) {
	p := lesson(t)
	p.PutSteps([]player.Step{{Anchor: "look", Seq: 20, At: 2050 * ms, Again: "a"}})
	p.Do("goto-step", "look")
	at(t, p, 1000*ms, 10, "look")
	p.Do("step", "")
	if p.Head.At() != 2050*ms || p.Heading() != "d" {
		t.Errorf("step d begins at %s, heading for %q", p.Head.At(), p.Heading())
	}
	play(t, p)
	at(t, p, 4000*ms, 40, "d")
}

// TestNextSkipsWhatIsPlayed checks that Next while playing jumps to the end of that, however it was started.
func TestNextSkipsWhatIsPlayed(t *testing.T) {
	p := quietRun(t, simulated)
	p.Do("play-pause", "")
	p.Tick(100 * ms)
	p.Do("step", "")
	at(t, p, 14*second, event.Seq(p.Log.Shown().History().Len()), "b")
}
