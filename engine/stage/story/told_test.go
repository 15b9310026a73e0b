package story_test

import (
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/run"
)

// TestARestartIsNoCrash checks that a node that stops on purpose is told to be down, and not to have crashed.
func TestARestartIsNoCrash(t *testing.T) {
	h := simulated(t, run.Scenario{Recipe: "redlock", Clients: 1, Rounds: 1, Hold: 4 * time.Second, Seed: 1},
		"restart node-1 at 1s for 1s")
	told := strings.Join(plan(h, false).Tell(), "\n")
	if !strings.Contains(told, "Redis 1 down") || strings.Contains(told, "crashed") {
		t.Errorf("of a restart the story tells:\n%s", told)
	}
}

// TestACutLinkIsToldWithBothEnds checks that nobody is told to be cut off from all, if one link passes nothing.
func TestACutLinkIsToldWithBothEnds(t *testing.T) {
	h := simulated(t, run.Scenario{Recipe: "predecessor-lock", Clients: 1, Rounds: 1, Hold: 4 * time.Second, Seed: 1,
		Servers: 3}, "partition server-3 | server-1 server-2 at 1s for 1s", "cut client-1 from server-1 at 3s for 500ms")
	told := strings.Join(plan(h, false).Tell(), "\n")
	for _, want := range []string{"S1 cut off from S3", "S2 cut off from S3", "S1 cut off from A"} {
		if !strings.Contains(told, want) {
			t.Errorf("the story doesn't tell %q:\n%s", want, told)
		}
	}
}
