package run_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/recipes"
)

// summary runs the scenario on the simulator.
func summary(t *testing.T, s run.Scenario) run.Summary {
	t.Helper()
	s = s.WithDefaults()
	tally := run.NewTally(s.Header("sim"))
	if err := run.Sim(context.Background(), s, tally); err != nil {
		t.Fatal(err)
	}
	return tally.Summary()
}

func faults(t testing.TB, written ...string) []fault.Fault {
	t.Helper()
	var all []fault.Fault
	for _, w := range written {
		f, err := fault.Parse(w)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, f)
	}
	return all
}

func TestValidate(t *testing.T) {
	for want, s := range map[string]run.Scenario{
		`there is no recipe "predecesor-lock"; did you mean predecessor-lock?`: {Recipe: "predecesor-lock"},
		`there is no recipe "xyzzy"; viz-server recipes lists all`:             {Recipe: "xyzzy"},
		`to 1000 clients, not -3`:                   {Recipe: "unique-lock", Clients: -3},
		`to 1000 clients, not 1000000000`:           {Recipe: "unique-lock", Clients: 1e9},
		`1 to 1000 rounds, not 1001`:                {Recipe: "unique-lock", Rounds: 1001},
		`holds for up to 1h0m0s, not 2h0m0s`:        {Recipe: "unique-lock", Hold: 2 * time.Hour},
		`session timeout is 1ms to 1h0m0s, not -1s`: {Recipe: "unique-lock", SessionTimeout: -time.Second},
		`latency is 0s to 1m0s, not 1h0m0s`:         {Recipe: "unique-lock", Latency: time.Hour},
		`there is no client-7 among 6 clients`: {Recipe: "unique-lock",
			Faults: faults(t, "crash client-7 at 1s")},
		`root "locks" is not the path of a znode`:                {Recipe: "unique-lock", Root: "locks"},
		`1 to 100000000 events, not -1`:                          {Recipe: "unique-lock", MaxEvents: -1},
		strings.Repeat("x", 60) + `…"; viz-server recipes lists`: {Recipe: strings.Repeat("x", 5000)},
	} {
		err := s.WithDefaults().Validate()
		if err == nil || !strings.Contains(said(err), want) {
			t.Errorf("%+v: got %v, want %q", s, err, want)
		}
	}
	if err := (run.Scenario{Recipe: "unique-lock"}).WithDefaults().Validate(); err != nil {
		t.Errorf("the defaults are refused: %v", err)
	}
}

// sweep returns some numbers of clients.
func sweep() []int {
	if testing.Short() {
		return []int{2, 3, 6, 10, 31}
	}
	return []int{2, 3, 4, 5, 6, 7, 8, 9, 10, 16, 31, 64, 100, 333, 1000}
}

// TestClosedForms compares the three locks with what can be computed on paper: all queue before the first release,
// each gets in once, and all wait again before the next release.
func TestClosedForms(t *testing.T) {
	for _, n := range sweep() {
		for _, stagger := range []time.Duration{-1, 0, 20 * time.Millisecond} {
			t.Run(fmt.Sprintf("%d clients, %s apart", n, stagger), func(t *testing.T) {
				t.Parallel()
				closedForms(t, n, stagger)
			})
		}
	}
}

// TestGettingInCountsOnce: a client that takes its lock again while inside has got in once, and so has one that
// takes another lock.
func TestGettingInCountsOnce(t *testing.T) {
	const clients, rounds = 4, 3
	for _, recipe := range []string{"reentrant-lock", "predecessor-lock", "revocable-lock", "leader-election"} {
		s := summary(t, run.Scenario{Recipe: recipe, Clients: clients, Rounds: rounds, Seed: 1})
		if s.Acquisitions != clients*rounds {
			t.Errorf("%s: %d acquisitions in %d rounds of %d clients", recipe, s.Acquisitions, rounds, clients)
		}
	}
}

func closedForms(t *testing.T, n int, stagger time.Duration) {
	get := func(recipe string) run.Summary {
		s := summary(t, run.Scenario{Recipe: recipe, Clients: n, Stagger: stagger, Seed: uint64(n)})
		if s.Acquisitions != n || len(s.Violations) > 0 {
			t.Errorf("%s: %d acquisitions and violations %v", recipe, s.Acquisitions, s.Violations)
		}
		return s
	}
	want := func(recipe, what string, got, want int) {
		if got != want {
			t.Errorf("%s: %s: got %d, want %d", recipe, what, got, want)
		}
	}
	u := get("unique-lock")
	want("unique-lock", "requests", u.Requests, n*n+n)
	want("unique-lock", "wakeups by release", u.Wakeups.ByRelease, n*(n-1)/2)
	want("unique-lock", "wakeups at the first release", u.Wakeups.MaxPerRelease, n-1)
	want("unique-lock", "wakeups by arrival", u.Wakeups.ByArrival, 0)
	want("unique-lock", "wasted wakeups", u.Wakeups.Wasted, n*(n-1)/2-(n-1))

	c := get("children-lock")
	want("children-lock", "requests", c.Requests, n+n*(n+1)/2+n+c.Wakeups.ByArrival)
	want("children-lock", "wakeups by release", c.Wakeups.ByRelease, n*(n-1)/2)
	want("children-lock", "wakeups at the first release", c.Wakeups.MaxPerRelease, n-1)

	p := get("predecessor-lock")
	want("predecessor-lock", "requests", p.Requests, 5*n-2)
	want("predecessor-lock", "wakeups by release", p.Wakeups.ByRelease, n-1)
	want("predecessor-lock", "most wakeups at a release", p.Wakeups.MaxPerRelease, 1)
	want("predecessor-lock", "wakeups by arrival", p.Wakeups.ByArrival, 0)
	want("predecessor-lock", "wasted wakeups", p.Wakeups.Wasted, 0)
}

// TestEveryRecipeKeepsItsPromises runs each recipe with several seeds and sizes and no faults.
func TestEveryRecipeKeepsItsPromises(t *testing.T) {
	for _, r := range recipes.All() {
		if r.Kind == recipe.Pitfall {
			continue
		}
		seeds := uint64(10)
		if testing.Short() {
			seeds = 3
		}
		for seed := range seeds {
			for _, rounds := range []int{1, 3} {
				s := run.Scenario{Recipe: r.Name, Clients: max(r.MinClients, 2+int(seed)), Rounds: rounds, Seed: seed}
				got := summary(t, s)
				if got.Requests == 0 || len(got.Violations) > 0 {
					t.Errorf("%+v: %d requests, violations %v", s, got.Requests, got.Violations)
				}
			}
		}
	}
}

// TestPauseOfTheHolder shows why there are fencing numbers: a holder that sleeps through its session's end still
// believes that it holds when the next one enters. ZooKeeper is never wrong.
func TestPauseOfTheHolder(t *testing.T) {
	for _, recipe := range []string{"unique-lock", "children-lock", "predecessor-lock"} {
		s := summary(t, run.Scenario{
			Recipe: recipe, Clients: 4, Hold: 5 * time.Second,
			Faults: faults(t, "pause client-1 at 2s for 20s"),
		})
		var rules []string
		for _, v := range s.Violations {
			rules = append(rules, v.Rule)
			if !slices.Contains(v.Clients, "client-1") {
				t.Errorf("%s: client-1 has no part in %+v", recipe, v)
			}
		}
		if !slices.Contains(rules, "belief-exclusion") || slices.Contains(rules, "truth-exclusion") {
			t.Errorf("%s: violations are %q, want belief-exclusion and no truth-exclusion", recipe, rules)
		}
	}
}

func TestInterruptedRunSaysSo(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := run.Sim(ctx, run.Scenario{Recipe: "children-lock", Clients: 1000}, &event.Log{})
	if err != context.Canceled {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}
