package explore_test

import (
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/explore"
)

// TestKindsOnNodes: everything drawn can happen, and everything that can is drawn.
func TestKindsOnNodes(t *testing.T) {
	alone := []fault.Kind{fault.Crash, fault.Pause, fault.Cut, fault.Drop, fault.Delay, fault.Stall, fault.Vanish,
		fault.RestartNode, fault.Jump}
	for name, want := range map[string][]fault.Kind{
		"redis-set-nx-px":  alone,
		"redis-fenced":     slices.DeleteFunc(slices.Clone(alone), isRestart),
		"redis-failover":   append(slices.DeleteFunc(slices.Clone(alone), isRestart), fault.Lag, fault.Failover),
		"predecessor-lock": slices.DeleteFunc(fault.Kinds(), isClock),
	} {
		r := named(t, name)
		got := explore.Kinds(r, 1)
		slices.Sort(want)
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%s: %v are drawn, want %v", name, got, want)
		}
		drawn := map[fault.Kind]bool{}
		for seed := range uint64(300) {
			s := explore.Draw(explore.Config{Recipe: r}, seed)
			if err := s.Validate(); err != nil {
				t.Fatalf("%s, seed %d: %v", name, seed, err)
			}
			for _, f := range s.Faults {
				drawn[f.Kind] = true
			}
		}
		if len(drawn) != len(want) {
			t.Errorf("%s: only %v are drawn", name, drawn)
		}
	}
}

// isClock reports whether a kind sets the clock of a ZooKeeper server, which isn't drawn.
func isClock(k fault.Kind) bool { return k == fault.SetClock }

func isRestart(k fault.Kind) bool { return k == fault.RestartNode }

// TestCalmOnNodes: a lease can end without its holder knowing when the holder is held up, and when a node forgets
// it or considers it over, but not when messages are held up.
func TestCalmOnNodes(t *testing.T) {
	for text, want := range map[string]bool{
		"crash client-1 at 1s": true, "vanish client-1 at 1s": true, "drop client-1 at 1s": true,
		"cut client-1 at 1s for 24h": true, "delay client-1 at 1s for 24h": true, "pause client-1 at 1s for 1ms": false,
		"stall client-1 at 1s for 1ms": false, "restart node-1 at 1s for 1ms": false, "jump node-1 at 1s by 1ms": false,
	} {
		f, err := fault.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		s := run.Scenario{Recipe: "redis-set-nx-px", Clients: 3, SessionTimeout: 6 * time.Second, Faults: []fault.Fault{f}}
		if explore.Calm(explore.Config{Recipe: named(t, s.Recipe)}, s) != want {
			t.Errorf("%q: calm is not %t", text, want)
		}
	}
}
