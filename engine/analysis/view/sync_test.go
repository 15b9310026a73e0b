package view_test

import (
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run"
)

// TestSyncs: the State tells how a learner catches up from its leader's choice until it serves, and fits both logs.
func TestSyncs(t *testing.T) {
	seen := map[event.Op]int{}
	for _, log := range []event.Log{
		servers(t, 3, "restart server-1 at 2s for 3s"),
		servers(t, 5, "restart server-2 at 2s for 4s",
			"partition server-5 | server-1 server-2 server-3 server-4 at 5s for 9s"),
		simulated(t, run.Scenario{Recipe: "predecessor-lock", Clients: 2, Servers: 3, Seed: 1, Hold: 20 * time.Second,
			SessionTimeout: 14 * time.Second, Latency: 300 * time.Millisecond, Stagger: 4 * time.Second},
			"partition server-3 | server-1 server-2 at 18s for 14s", "crash client-1 at 28s"),
	} {
		s := view.NewFor(log.Header)
		var chosen [9]bool
		for _, e := range log.Events {
			s.Apply(e)
			switch n := e.Actor.Number(); {
			case e.Kind == event.SyncChosen:
				n, l := &s.Ensemble.Servers[e.Peer.Number()-1], &s.Ensemble.Servers[e.Actor.Number()-1]
				y := &n.Sync
				chosen[e.Peer.Number()-1] = true
				seen[e.Op]++
				if y.Leader != e.Actor || y.How != e.Op || y.Rule != e.Code || y.Min > y.Max ||
					n.Logged != 0 && y.Last != n.Logged || l.Logged != 0 && y.Max>>32 == l.Logged>>32 && y.Max > l.Logged {
					t.Errorf("event %d: %+v, and their logs end with %x and %x", e.Seq, *y, n.Logged, l.Logged)
				}
				if inside := y.Last >= y.Min && y.Last <= y.Max; inside != (y.Rule == 3 || y.Rule == 1) {
					t.Errorf("event %d: by rule %d, and %x is within %x to %x: %v", e.Seq, y.Rule, y.Last, y.Min, y.Max, inside)
				}
			case e.Kind == event.ServerSynced, e.Kind == event.ServerStopped && n > 0, e.Kind == event.LeaderLost:
				chosen[n-1] = false
			}
			for i := range s.Ensemble.Servers {
				n := &s.Ensemble.Servers[i]
				if is := n.Sync.Leader != 0; is != chosen[i] && n.Phase == event.Synchronizing {
					t.Errorf("event %d: server %d is being brought: %v", e.Seq, i+1, is)
				}
			}
		}
		for i := range s.Ensemble.Servers {
			if s.Ensemble.Servers[i].Sync != (view.Sync{}) {
				t.Errorf("server %d is being brought in the end", i+1)
			}
		}
	}
	for _, how := range []event.Op{event.Diff, event.Trunc, event.Snap} {
		if seen[how] == 0 {
			t.Errorf("nobody is brought by %v: %v", how, seen)
		}
	}
}
