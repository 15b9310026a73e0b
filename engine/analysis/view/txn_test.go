package view_test

import (
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run"
)

// TestTxnsSayWhatEachServerHas checks, whenever a server applies a transaction, that what it is said to have is what
// ZooKeeper's tree had when that transaction was the newest.
func TestTxnsSayWhatEachServerHas(t *testing.T) {
	type copied struct {
		data string
		has  [3]bool
	}
	for recipe, dir := range map[string]string{
		"configuration": "/zkviz/configuration", "predecessor-lock": "/zkviz/predecessor-lock",
	} {
		was, behind := map[int64]copied{}, 0
		ensembleRun(t, run.Scenario{Recipe: recipe, Clients: 3, Servers: 3, Rounds: 2, Seed: 4, Hold: time.Second,
			Latency: 200 * time.Millisecond, Jitter: 90 * time.Millisecond, Stagger: 400 * time.Millisecond,
		}, []string{"pause server-1 at 6s for 3s"}, func(s *view.State, e event.Event) {
			path := s.Ensemble.LastSet()
			now := copied{}
			if n := s.Tree.Node(path); n != nil {
				now.data = n.Data
			}
			for i := range s.Tree.Nodes {
				if n := &s.Tree.Nodes[i]; n.Creator > 0 && !n.Gone && n.Path != dir {
					now.has[n.Creator-1] = true
				}
			}
			was[s.Zxid] = now
			for i := range s.Ensemble.Servers {
				z := s.Ensemble.Servers[i].Delivered
				if z <= 1<<32 || z >= s.Zxid {
					continue
				}
				behind++
				want := was[z]
				if got := s.Ensemble.DataAt(path, z); got != want.data {
					t.Errorf("%s: at %#x server %d is said to have %q, not %q", recipe, z, i+1, got, want.data)
				}
				for c := range want.has {
					if got := s.HasAt(event.Actor(c+1), dir, &s.Ensemble.Servers[i]); got != want.has[c] {
						t.Errorf("%s: at %#x server %d is said to have a znode of client %d: %v", recipe, z, i+1, c+1, got)
					}
				}
			}
		})
		if behind < 5 {
			t.Errorf("%s: a server was behind only %d times", recipe, behind)
		}
	}
}
