package recipes_test

import (
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	runs "github.com/zkviz/zkviz/engine/run"
)

// TestFoldOfEtcd: while somebody is inside by etcd-mutex, the fold has the key of each who queues, under its lease and
// with its revision, and who is inside is so by the account of etcd; in the end nothing is left.
func TestFoldOfEtcd(t *testing.T) {
	s := runs.Scenario{Recipe: "etcd-mutex", Clients: 3, Hold: 6 * time.Second, SessionTimeout: 4 * time.Second}
	s = s.WithDefaults()
	log := event.Log{Header: s.Header(event.Simulated)}
	if err := runs.Sim(t.Context(), s, &log); err != nil {
		t.Fatal(err)
	}
	state := view.NewFor(log.Header)
	looked := false
	for _, e := range log.Events {
		if !looked && e.At > 5*time.Second {
			looked = true
			if len(state.Remotes.Leases) != 3 || len(state.Remotes.Entries) != 3 {
				t.Fatalf("%d leases, %d entries", len(state.Remotes.Leases), len(state.Remotes.Entries))
			}
			for i, l := range state.Remotes.Leases {
				if l.Over || l.Renewed < 4*time.Second || l.Until < 8*time.Second {
					t.Errorf("a lease is %+v", l)
				}
				if x := state.Remotes.Entries[i]; x.Gone || x.Version != int64(i+2) || x.Session == 0 || x.Expires != 0 {
					t.Errorf("an entry is %+v", x)
				}
			}
			if !state.Clients.Get(1).Inside || state.Clients.Get(2).Inside {
				t.Errorf("inside: %t, %t", state.Clients.Get(1).Inside, state.Clients.Get(2).Inside)
			}
		}
		state.Apply(e)
	}
	for _, l := range state.Remotes.Leases {
		if !l.Over {
			t.Errorf("left: %+v", l)
		}
	}
	for _, x := range state.Remotes.Entries {
		if !x.Gone {
			t.Errorf("left: %+v", x)
		}
	}
}
