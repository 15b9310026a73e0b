package explore_test

import (
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run/explore"
	"github.com/zkviz/zkviz/engine/stores/redis"
	"github.com/zkviz/zkviz/engine/stores/redis/resp"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// onNodes breaks check.Unique if when returns true for what it finds at the first node within six seconds: how far
// that node's clock is ahead, and whether it has forgotten everything.
func onNodes(servers int, when func(ahead time.Duration, forgot bool) bool) recipe.Recipe {
	return recipe.Recipe{
		Name: "breaking", Promises: []string{promise.Unique},
		Systems: []event.System{{Kind: event.RedisSystem, Servers: servers}},
		Main: func(w systems.World, p recipe.Params) error {
			const lasts = time.Hour
			r, key := redis.New(w.Connect(1)), p.Root+"/"+w.Name()
			set, err := r.SetNXPX(key, "x", lasts)
			began := w.Now()
			for err == nil && set && w.Now() < began+6*time.Second {
				var left resp.Value // in ms, or below 0
				if left, err = r.Do("PTTL", key); err != nil {
					left, err = r.Do("PTTL", key)
				}
				lives := time.Duration(max(left.Int, 0)) * time.Millisecond
				if err == nil && when(began+lasts-w.Now()-lives, left.Int == -2) {
					for range 2 {
						w.Phase(program.Counted, program.Subject{Path: "/counter", Fence: 1})
					}
					return nil
				}
				if err == nil {
					err = w.Sleep(100 * time.Millisecond)
				}
			}
			return nil
		},
	}
}

// TestShrunkOnNodes: only the necessary faults on nodes remain, with lengths that are easy to read.
func TestShrunkOnNodes(t *testing.T) {
	all := []fault.Kind{fault.Crash, fault.Stall, fault.Vanish, fault.RestartNode, fault.Jump}
	for _, c := range []struct {
		what    string
		servers int
		kinds   []fault.Kind
		when    func(ahead time.Duration, forgot bool) bool
		want    string
	}{
		{"a clock that is ahead", 1, all,
			func(ahead time.Duration, forgot bool) bool { return !forgot && ahead > 1500*time.Millisecond },
			"--clients 1 --fault 'jump node-1 at 1s by 2s'"},
		{"a clock that is behind", 1, all,
			func(ahead time.Duration, forgot bool) bool { return !forgot && ahead < -1500*time.Millisecond },
			"--clients 1 --fault 'jump node-1 at 2s by -2s'"},
		{"a clock that is off", 1, all,
			func(ahead time.Duration, forgot bool) bool {
				return !forgot && max(ahead, -ahead) > 1500*time.Millisecond
			},
			"--clients 1 --fault 'jump node-1 at 1s by 2s'"},
		{"a clock that is set by more than is drawn at once", 1, all,
			func(ahead time.Duration, forgot bool) bool { return !forgot && ahead > 19*time.Second },
			"--clients 1 --fault 'jump node-1 at 200ms by 20s'"},
		{"a node that forgets", 1, all, func(_ time.Duration, forgot bool) bool { return forgot },
			"--clients 1 --fault 'restart node-1 at 1s for 10ms'"},
		{"a replica that has not heard", 2, []fault.Kind{fault.Lag, fault.Failover},
			func(_ time.Duration, forgot bool) bool { return forgot },
			"--clients 1 --latency 20ms --fault 'failover node-1 at 70ms'"},
	} {
		f := find(t, explore.Config{Recipe: onNodes(c.servers, c.when), Faults: c.kinds, Seeds: 2000}).Found
		if f == nil {
			t.Errorf("%s: not found", c.what)
			continue
		}
		if got, want := f.Scenario.Command(), "viz-server run breaking "+c.want; got != want {
			t.Errorf("it takes %s:\ngot  %s\nwant %s", c.what, got, want)
		}
	}
}
