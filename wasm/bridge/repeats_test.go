package bridge

import (
	"testing"

	"github.com/zkviz/zkviz/engine/run/protocol"
	"github.com/zkviz/zkviz/engine/stage/player"
)

// TestRepeats checks that the first run's faults are requested for the second, once and in order, and that the branches
// they create are shown together with the first run's.
func TestRepeats(t *testing.T) {
	lead, other := again(t, "sim"), again(t, "sim")
	pair := player.NewPair(lead, other, player.ByTime)
	var r repeats
	asks := func(want ...protocol.Request) {
		t.Helper()
		got := r.follow(lead, pair)
		if len(got) != len(want) {
			t.Fatalf("it asks for %+v, not %+v", got, want)
		}
		for i := range got {
			if got[i].Do != protocol.Inject || got[i].Branch != want[i].Branch || got[i].Fault != want[i].Fault {
				t.Errorf("it asks for %+v, not %+v", got[i], want[i])
			}
		}
	}
	asks()
	branch := func(p *player.Player, id, parent int, fault string) {
		putBranch(t, p, player.Branch{ID: id, Parent: parent, From: 31, Events: 50, Ended: true, Fault: fault})
	}
	branch(lead, 1, 0, "crash client-1 at 3s")
	branch(lead, 2, 1, "expire client-2 at 4s")
	asks() // the branches are not shown
	lead.Do("branch", "2")
	asks(protocol.Request{Branch: 0, Fault: "crash client-1 at 3s"})
	asks() // it was requested before
	branch(other, 1, 0, "crash client-1 at 3s")
	asks(protocol.Request{Branch: 1, Fault: "expire client-2 at 4s"})
	if other.Log.Branch() != 1 {
		t.Errorf("the second shows branch %d, as far as it has come", other.Log.Branch())
	}
	branch(other, 2, 1, "expire client-2 at 4s")
	asks()
	if other.Log.Branch() != 2 {
		t.Errorf("the second shows branch %d", other.Log.Branch())
	}
	lead.Do("branch", "0")
	asks()
	if other.Log.Branch() != 0 {
		t.Errorf("the second shows branch %d beside the first", other.Log.Branch())
	}
}
