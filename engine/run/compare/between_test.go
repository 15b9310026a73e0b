package compare_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/compare"
)

// TestMessagesOfWrites compares the messages between servers with what follows from ZooKeeper's documentation: a
// write takes three messages for each follower and one for each observer, and one more if the client isn't at the
// leader. Messages for elections and for sessions don't count, and a standalone server sends none.
func TestMessagesOfWrites(t *testing.T) {
	for _, c := range []struct{ servers, observers int }{{1, 0}, {2, 0}, {3, 0}, {3, 2}, {5, 0}, {7, 1}} {
		for _, recipe := range []string{"unique-lock", "predecessor-lock", "fifo-queue"} {
			s := run.Scenario{Recipe: recipe, Clients: 6, Seed: 3, Servers: c.servers, Observers: c.observers}
			var log event.Log
			row, err := compare.Measure(t.Context(), event.Simulated, run.Sim, s, &log)
			if err != nil {
				t.Fatal(err)
			}
			name := fmt.Sprintf("%s, %d servers and %d observers", recipe, c.servers, c.observers)
			want := 0
			if c.servers > 1 {
				want = messagesOfWrites(log.Events, c.servers, c.observers)
			}
			if row.Between != want || c.servers > 1 && want == 0 {
				t.Errorf("%s: %d messages, want %d", name, row.Between, want)
			}
			if share := run.Rounded(float64(want) / float64(row.Acquisitions)); row.PerRelease.Between != share {
				t.Errorf("%s: %v messages for each release, want %v", name, row.PerRelease.Between, share)
			}
			if ensemble := c.servers > 1; ensemble != (row.Servers == c.servers) || row.Observers != c.observers {
				t.Errorf("%s: %d servers and %d observers", name, row.Servers, row.Observers)
			}
		}
	}
}

// messagesOfWrites looks where each write of a client was sent.
func messagesOfWrites(log []event.Event, servers, observers int) (sum int) {
	at := map[event.Actor]event.Actor{}
	var leader event.Actor
	for _, e := range log {
		switch {
		case e.Kind == event.LeaderActivated:
			leader = e.Actor
		case e.Kind == event.ConnOpened:
			at[e.Actor] = e.Peer
		case e.IsRequest() && slices.Contains([]event.Op{event.Create, event.Set, event.Delete, event.Multi}, e.Op):
			sum += 3*(servers-1) + observers
			if at[e.Actor] != leader {
				sum++
			}
		}
	}
	return sum
}

// TestMessagesCounted counts small logs.
func TestMessagesCounted(t *testing.T) {
	const first, second = 1<<32 + 1, 1<<32 + 2
	sent := func(op event.Op, zxid int64) event.Event {
		return event.Event{Kind: event.MsgSent, Actor: event.Server(1), Peer: event.Server(2), Op: op, Zxid: zxid}
	}
	proposed := func(cause event.Seq, op event.Op, zxid int64) event.Event {
		return event.Event{Kind: event.TxnProposed, Actor: event.Server(1), Cause: cause, Op: op, Zxid: zxid}
	}
	handed := event.Event{Seq: 7, Kind: event.MsgReceived, Actor: event.Server(1), Peer: event.Server(2),
		Op: event.Forward}
	for name, c := range map[string]struct {
		want int
		log  []event.Event
	}{
		"votes and handshakes": {0, []event.Event{sent(event.Notification, first), sent(event.FollowerInfo, 0),
			sent(event.NewLeader, 1<<32), sent(event.Ack, 1<<32), sent(event.UpToDate, 0)}},
		"heartbeats":           {0, []event.Event{sent(event.ServerPing, 0)}},
		"a session that moves": {0, []event.Event{sent(event.Revalidate, 0)}},
		"a write at the leader": {3, []event.Event{proposed(4, event.Create, first),
			sent(event.Proposal, first), sent(event.Ack, first), sent(event.Commit, first)}},
		"one handed on": {2, []event.Event{handed, sent(event.Forward, 0),
			proposed(7, event.Create, first), sent(event.Proposal, first)}},
		"an earlier one":      {1, []event.Event{handed, proposed(6, event.Create, first), sent(event.Proposal, first)}},
		"one without a cause": {0, []event.Event{proposed(0, event.Create, first)}},
		"for an observer":     {1, []event.Event{proposed(4, event.Set, first), sent(event.Inform, first)}},
		"a session": {0, []event.Event{handed, proposed(7, event.Connect, first), sent(event.Proposal, first),
			handed, proposed(7, event.CloseSession, second), sent(event.Commit, second)}},
		"a sync": {2, []event.Event{sent(event.ServerSync, 0), sent(event.ServerSync, 0)}},
		"a reply": {0, []event.Event{{Kind: event.MsgSent, Peer: 1, Op: event.Create},
			{Kind: event.MsgSent, Actor: event.Server(1), Peer: 1, Op: event.Ack, Zxid: first}}},
	} {
		m := compare.NewMeter(event.Header{Recipe: "predecessor-lock", Clients: 3})
		for _, e := range c.log {
			m.Append(e)
		}
		if got := m.Row().Between; got != c.want {
			t.Errorf("%s: %d messages, want %d", name, got, c.want)
		}
	}
}
