package explore_test

import (
	"context"
	"reflect"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/explore"
)

// breaking returns a recipe that promises unique counts. Its clients break that when the condition is true.
func breaking(when func(zoo.Client, recipe.Params) bool) recipe.Recipe {
	return recipe.Recipe{
		Name: "breaking", Promises: []string{promise.Unique}, Parents: recipe.JustRoot,
		Main: recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
			if when(c, p) {
				repeatCount(c)
			}
			return nil
		}),
	}
}

// repeatCount breaks check.Unique.
func repeatCount(c zoo.Client) {
	for range 2 {
		c.Phase(program.Counted, program.Subject{Path: "/counter", Fence: 1})
	}
}

func always(zoo.Client, recipe.Params) bool { return true }

// countPlays makes the recipe count how often it is played. A play asks once for the role of the first client.
func countPlays(r *recipe.Recipe) *atomic.Int64 {
	var plays atomic.Int64
	r.Role = func(index, _ int) string {
		if index == 1 {
			plays.Add(1)
		}
		return ""
	}
	return &plays
}

// onProcessors runs f on n processors.
func onProcessors(n int, f func()) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(n))
	f()
}

// TestNoSeedIsSkipped: what breaks from the nth play on is found at seed n, as that seed draws it.
func TestNoSeedIsSkipped(t *testing.T) {
	onProcessors(1, func() {
		for n := range int64(60) {
			var plays *atomic.Int64
			r := breaking(func(zoo.Client, recipe.Params) bool { return plays.Load() > n })
			plays = countPlays(&r)
			result := find(t, explore.Config{Recipe: r, Seeds: int(n) + 1})
			want := uint64(n + 1)
			if f := result.Found; f == nil || f.Seed != want || result.Seeds != int(want) {
				t.Errorf("play %d is of %+v", want, result)
			} else if !reflect.DeepEqual(f.First, explore.Draw(explore.Config{Recipe: r}, want)) {
				t.Errorf("play %d is not of what the seed draws: %+v", want, f.First)
			}
		}
	})
}

// TestEverySeedIsTried: as many plays as seeds, each reported, on any number of processors.
func TestEverySeedIsTried(t *testing.T) {
	for _, procs := range []int{1, 2, 7} {
		for _, seeds := range []int{1, 2, 6, 7, 100, 0} {
			r := breaking(func(zoo.Client, recipe.Params) bool { return false })
			plays := countPlays(&r)
			var told atomic.Int64
			var last atomic.Int64
			var result explore.Result
			onProcessors(procs, func() {
				result = find(t, explore.Config{Recipe: r, Seeds: seeds, Tried: func(n int) {
					told.Add(1)
					for was := last.Load(); int64(n) > was && !last.CompareAndSwap(was, int64(n)); was = last.Load() {
					}
				}})
			})
			if seeds == 0 {
				seeds = 1000
			}
			want := int64(seeds)
			if plays.Load() != want || told.Load() != want || last.Load() != want || result.Seeds != seeds ||
				result.Found != nil {
				t.Errorf("%d seeds on %d processors: %d plays, told of %d times, at last of %d; %+v",
					seeds, procs, plays.Load(), told.Load(), last.Load(), result)
			}
		}
	}
}

// slowly plays one seed after the other and returns the first that breaks a promise, 0 if none does.
func slowly(t *testing.T, cfg explore.Config, rules, limits []string) (uint64, run.Scenario) {
	t.Helper()
	for seed := uint64(1); seed <= uint64(cfg.Seeds); seed++ {
		s := explore.Draw(cfg, seed)
		if len(violations(t, cfg.Recipe, s, slices.Concat(rules, limitsOf(cfg, s, limits)))) > 0 {
			return seed, s
		}
	}
	return 0, run.Scenario{}
}

func limitsOf(cfg explore.Config, s run.Scenario, limits []string) []string {
	if explore.Calm(cfg, s) {
		return limits
	}
	return nil
}

// violations returns the rules' violations in a run of the scenario.
func violations(t *testing.T, r recipe.Recipe, s run.Scenario, rules []string) []promise.Violation {
	t.Helper()
	c := check.New(rules, s.HeaderOf(r, "sim"))
	if err := run.SimOf(context.Background(), r, s, c); err != nil {
		t.Fatal(err)
	}
	return c.Report().Violations
}

// TestLowestIsFound: the result is the lowest seed that breaks a promise, or a limit while it is calm, whichever
// worker gets it, and however fast.
func TestLowestIsFound(t *testing.T) {
	pitfall, lock := named(t, "release-by-anyone"), named(t, "predecessor-lock")
	late := breaking(func(c zoo.Client, p recipe.Params) bool {
		return p.Clients == 2 && p.Rounds == 1 && p.Hold == 3*time.Second
	})
	limited := breaking(always)
	limited.Promises, limited.Limits = nil, []string{promise.Unique}
	limitedLate := late
	limitedLate.Promises, limitedLate.Limits = nil, []string{promise.Unique}
	wary := limited
	wary.Harms = []string{"crash", "pause", "cut", "drop", "restart"}
	for name, c := range map[string]struct {
		cfg           explore.Config
		rules, limits []string
	}{
		"a pitfall": {explore.Config{Recipe: pitfall, Clients: 2}, pitfall.Promises, pitfall.Limits},
		"what does not hold": {explore.Config{Recipe: lock, Clients: 2, Rules: []string{promise.BeliefExclusion}},
			[]string{promise.BeliefExclusion}, nil},
		"limits of its own": {explore.Config{Recipe: lock, Rules: []string{}, Limits: []string{promise.BeliefExclusion}},
			nil, []string{promise.BeliefExclusion}},
		"seldom": {explore.Config{Recipe: late, Faults: []fault.Kind{}}, late.Promises, nil},
		"a limit, always": {explore.Config{Recipe: limited, Faults: []fault.Kind{fault.Expire}}, nil,
			limited.Limits},
		"a limit, seldom": {explore.Config{Recipe: limitedLate, Faults: []fault.Kind{fault.Cut, fault.Delay}}, nil,
			late.Promises},
		"a limit, with every harm": {explore.Config{Recipe: wary}, nil, wary.Limits},
		"the rules asked for": {explore.Config{Recipe: pitfall, Rules: []string{promise.Unique}}, []string{promise.Unique},
			nil},
		"the limits of the rules asked for are none": {explore.Config{Recipe: limited, Rules: []string{promise.Order}},
			[]string{promise.Order}, nil},
	} {
		c.cfg.Seeds = 150
		seed, first := slowly(t, c.cfg, c.rules, c.limits)
		for _, procs := range []int{1, 8} {
			onProcessors(procs, func() {
				result := find(t, c.cfg)
				switch f := result.Found; {
				case seed == 0 && f == nil && result.Seeds == c.cfg.Seeds:
				case f == nil || f.Seed != seed || result.Seeds != int(seed) || !reflect.DeepEqual(f.First, first):
					t.Errorf("%s, on %d processors: %+v, want seed %d", name, procs, result, seed)
				}
			})
		}
	}
}

// TestImpossibleIsAnError: a recipe that can't run isn't a recipe that holds.
func TestImpossibleIsAnError(t *testing.T) {
	r := breaking(func(zoo.Client, recipe.Params) bool { return false })
	if result, err := explore.Run(context.Background(), explore.Config{Recipe: r, Clients: run.MaxClients + 1000,
		Seeds: 20}); err == nil {
		t.Errorf("got %+v", result)
	}
	// A promise that an earlier seed breaks is still found, on any number of processors.
	r = breaking(always)
	result, err := explore.Run(context.Background(), explore.Config{Recipe: r, Clients: run.MaxClients + 1000, Seeds: 20})
	if err != nil || result.Found == nil || result.Found.Seed != 1 {
		t.Fatalf("got %+v, %v", result, err)
	}
}
