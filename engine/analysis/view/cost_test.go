package view_test

import (
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run"
)

// TestCosts checks that a write through the leader costs 3(n-1)+o messages, and one more through another server. A
// server that joins later, or catches up, adds nothing.
func TestCosts(t *testing.T) {
	for _, c := range []struct{ servers, observers int }{{3, 0}, {5, 0}, {4, 1}, {7, 2}} {
		least, direct, through := 3*(c.servers-1)+c.observers, 0, 0
		done := map[int64]int{}
		ensembleRun(t, run.Scenario{Recipe: "predecessor-lock", Clients: 9, Servers: c.servers, Observers: c.observers,
			Seed: 5, Hold: 200 * time.Millisecond, Rounds: 3, Latency: 20 * time.Millisecond, Stagger: 700 * time.Millisecond,
		}, nil, func(s *view.State, e event.Event) {
			for z := range done {
				if k, there := s.Ensemble.Costs.Write(z); there {
					done[z] = k.Messages
				}
			}
			if e.Kind == event.TxnProposed {
				done[e.Zxid] = 0
			}
		})
		for z, n := range done {
			switch n {
			case least:
				direct++
			case least + 1:
				through++
			default:
				t.Errorf("%d servers and %d observers: the write %#x took %d messages, not %d or one more",
					c.servers, c.observers, z, n, least)
			}
		}
		if direct == 0 || through < 10 {
			t.Errorf("%d servers: %d writes through the leader, %d through others: too few", c.servers, direct, through)
		}
	}
}

// TestCostOfSync also covers a sync that must wait for what is under way.
func TestCostOfSync(t *testing.T) {
	var c view.Costs
	seq := event.Seq(0)
	apply := func(e event.Event) event.Seq {
		seq++
		e.Seq = seq
		c.Apply(e)
		return seq
	}
	s1, s3 := event.Server(1), event.Server(3)
	asks := func(client event.Actor) {
		sent := apply(event.Event{Kind: event.OpSent, Actor: client, Op: event.Sync, Path: "/"})
		apply(event.Event{Kind: event.MsgSent, Actor: s1, Peer: s3, Op: event.ServerSync, Cause: sent})
	}
	want := func(client event.Actor, n int) {
		t.Helper()
		if k, there := c.Of(client); !there || k.Messages != n {
			t.Errorf("%v's sync took %+v, not %d messages", client, k, n)
		}
	}
	asks(1)
	asks(2)
	want(1, 1)
	want(2, 1)
	apply(event.Event{Kind: event.MsgSent, Actor: s3, Peer: event.Server(2), Op: event.ServerSync}) // another learner
	apply(event.Event{Kind: event.MsgSent, Actor: s3, Peer: s1, Op: event.ServerSync})
	want(1, 2)
	want(2, 1)
	apply(event.Event{Kind: event.MsgSent, Actor: s3, Peer: s1, Op: event.ServerSync})
	want(2, 2)
	apply(event.Event{Kind: event.OpSent, Actor: 3, Op: event.Sync, Path: "/"})
	want(3, 0)
	if last, _ := c.Last(); last.Who != 3 || last.Op != event.Sync {
		t.Errorf("the last is %+v", last)
	}
}
