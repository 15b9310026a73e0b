package explore_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run/explore"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// standstills counts how often the client does nothing for longer than limit, in the second that it naps through.
func standstills(c zoo.Client, limit time.Duration) (n int) {
	for range 100 {
		before := c.Now()
		if c.Sleep(10*time.Millisecond) != nil {
			return n
		}
		if c.Now()-before > limit {
			n++
		}
	}
	return n
}

// losesAnswer reports whether the client, which makes requests for ten seconds, misses an answer.
func losesAnswer(c zoo.Client) bool {
	for c.Now() < 10*time.Second {
		if _, _, err := c.Exists("/x"); err != nil {
			return errors.Is(err, zoo.ErrConnectionLoss)
		}
	}
	return false
}

// TestShrunkToWhatItTakes: if a recipe breaks under a known condition, what remains is that condition.
func TestShrunkToWhatItTakes(t *testing.T) {
	for _, c := range []struct {
		what string
		when func(zoo.Client, recipe.Params) bool
		want string
	}{
		{"nothing", always, "--clients 1"},
		{"three clients", func(_ zoo.Client, p recipe.Params) bool { return p.Clients >= 3 }, "--clients 3"},
		{"two rounds", func(_ zoo.Client, p recipe.Params) bool { return p.Rounds >= 2 }, "--clients 1 --rounds 2"},
		{"three clients and two rounds", func(_ zoo.Client, p recipe.Params) bool { return p.Clients >= 3 && p.Rounds >= 2 },
			"--clients 3 --rounds 2"},
		{"a hold of some seconds", func(_ zoo.Client, p recipe.Params) bool { return p.Hold >= 3*time.Second },
			"--clients 1 --hold 3s"},
		{"a hold of its own", func(_ zoo.Client, p recipe.Params) bool { return p.Hold == 10*time.Millisecond },
			"--clients 1 --hold 10ms"},
		{"late starters", func(c zoo.Client, _ recipe.Params) bool { return c.Now() > 500*time.Millisecond },
			"--clients 2 --stagger 500ms"},
		{"slow answers", func(c zoo.Client, _ recipe.Params) bool { return c.Now() > 150*time.Millisecond },
			"--clients 1 --latency 100ms"},
		{"a standstill", func(c zoo.Client, _ recipe.Params) bool { return standstills(c, 1200*time.Millisecond) > 0 },
			"--clients 1 --fault 'pause client-1 at 100ms for 2s'"},
		{"a standstill of the last of two or more", func(c zoo.Client, p recipe.Params) bool {
			return p.Clients > 1 && p.Index == p.Clients && standstills(c, 1200*time.Millisecond) > 0
		}, "--clients 2 --fault 'pause client-2 at 100ms for 2s'"},
		{"two standstills", func(c zoo.Client, _ recipe.Params) bool { return standstills(c, 15*time.Millisecond) > 1 },
			"--clients 1 --fault 'pause client-1 at 100ms for 1s' --fault 'pause client-1 at 2s for 10ms'"},
		{"a lost answer", func(c zoo.Client, _ recipe.Params) bool { return losesAnswer(c) },
			"--clients 1 --fault 'cut client-1 at 100ms for 10ms'"},
	} {
		r := breaking(c.when)
		f := find(t, explore.Config{Recipe: r, Faults: []fault.Kind{fault.Pause, fault.Cut}}).Found
		if f == nil {
			t.Errorf("%s: not found", c.what)
			continue
		}
		if got, want := f.Scenario.Command(), "viz-server run breaking "+c.want; got != want {
			t.Errorf("it takes %s:\ngot  %s\nwant %s", c.what, got, want)
		}
		if f.Scenario.Seed != 1 {
			t.Errorf("%s: it needs seed %d", c.what, f.Scenario.Seed)
		}
		if v := violations(t, r, f.Scenario, r.Promises); len(v) == 0 || v[0].Seq != f.Violation.Seq ||
			v[0].Sentence.String() != f.Violation.Sentence.String() {
			t.Errorf("%s: it breaks %+v, not %+v", c.what, v, f.Violation)
		}
	}
}

// TestShrunkToFewServers: three are left of five with two observers, and no faults of those that are gone.
func TestShrunkToFewServers(t *testing.T) {
	r := breaking(func(c zoo.Client, _ recipe.Params) bool {
		before := c.Now()
		_, err := c.Create("/zkviz/x", nil, zoo.Persistent)
		return err != nil || c.Now()-before > 2*time.Second
	})
	s := find(t, explore.Config{Recipe: r, Servers: 5, Observers: 2, Clients: 1, Rules: r.Promises,
		Faults: explore.EnsembleFaults()}).Found.Scenario
	if s.Servers != 3 || s.Observers != 0 || len(s.Faults) != 1 || s.Faults[0].Server == 0 {
		t.Errorf("it takes %s", s.Command())
	}
}

// TestShrunkNoFurther: not below what the recipe needs, nor to faults that may not happen.
func TestShrunkNoFurther(t *testing.T) {
	r := breaking(always)
	r.MinClients = 4
	if s := find(t, explore.Config{Recipe: r}).Found.Scenario; s.Clients != 4 {
		t.Errorf("a recipe for four: %s", s.Command())
	}
	r = breaking(func(c zoo.Client, _ recipe.Params) bool { return losesAnswer(c) })
	for _, k := range []fault.Kind{fault.Cut, fault.Drop, fault.Restart} {
		s := find(t, explore.Config{Recipe: r, Faults: []fault.Kind{k}}).Found.Scenario
		if len(s.Faults) != 1 || s.Faults[0].Kind != k || s.Faults[0].Client != min(int(fault.Restart-k), 1) {
			t.Errorf("by %s alone: %s", k, s.Command())
		}
	}
	kinds := []fault.Kind{fault.Pause, fault.Delay}
	slow := breaking(func(c zoo.Client, _ recipe.Params) bool { return c.Now() > time.Second })
	for _, list := range [][]fault.Kind{kinds[:1], kinds[1:], kinds} {
		s := find(t, explore.Config{Recipe: slow, Clients: 1, Faults: list}).Found.Scenario
		if len(s.Faults) != 1 || s.Faults[0].Kind != list[0] {
			t.Errorf("by %v alone: %s", list, s.Command())
		}
	}
}

// TestRuleIsKept: while a scenario is made smaller it breaks the rule that was found broken, even where fewer
// clients break another: a promise, or a limit.
func TestRuleIsKept(t *testing.T) {
	const few, many = promise.Once, promise.Unique
	for _, limits := range [][]string{nil, {many}, {few}} {
		for seed := uint64(1); seed <= 6; seed++ {
			keepsRule(t, seed, limits)
		}
	}
}

// keepsRule explores, from a seed on, a recipe that breaks one rule with up to two clients and another with more.
func keepsRule(t *testing.T, seed uint64, limits []string) {
	r := breaking(nil)
	plays := countPlays(&r)
	broken := func() bool { return plays.Load() >= int64(seed) }
	r.Main = func(w systems.World, p recipe.Params) error {
		c := w.ZooKeeper()
		switch {
		case !broken():
		case p.Clients > 2:
			repeatCount(c)
		default:
			c.Phase(program.Consumed, program.Subject{Path: "/queue/item-0000000001"})
			c.Phase(program.Consumed, program.Subject{Path: "/queue/item-0000000001"})
		}
		return nil
	}
	rules := []string{promise.Once, promise.Unique}
	r.Promises = slices.DeleteFunc(slices.Clone(rules), func(rule string) bool { return slices.Contains(limits, rule) })
	r.Limits = limits
	cfg := explore.Config{Recipe: r, Seeds: 200}
	onProcessors(1, func() {
		f := find(t, cfg).Found
		rule, clients := promise.Once, 1
		if f.First.Clients > 2 {
			rule, clients = promise.Unique, 3
		}
		if f.Violation.Rule != rule || f.Scenario.Clients != clients {
			t.Errorf("with limits %q: from %s\nto %s, which breaks %s; want %s with %d clients",
				limits, f.First.Command(), f.Scenario.Command(), f.Violation.Rule, rule, clients)
		}
		if v := violations(t, r, f.First, rules); v[0].Rule != rule {
			t.Errorf("seed %d breaks %s at first", f.Seed, v[0].Rule)
		}
	})
}
