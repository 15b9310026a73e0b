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
