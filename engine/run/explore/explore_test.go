package explore_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/recipe/kit"
	"github.com/zkviz/zkviz/engine/run/explore"
	_ "github.com/zkviz/zkviz/recipes"
)

func named(t testing.TB, name string) recipe.Recipe {
	t.Helper()
	r, ok := recipe.Find(name)
	if !ok {
		t.Fatalf("there is no recipe %q", name)
	}
	return r
}

// The same seeds give the same answer, however many processors there are.
func TestParallelismChangesNothing(t *testing.T) {
	for _, name := range []string{"no-second-look", "release-by-anyone", "predecessor-lock"} {
		cfg := explore.Config{Recipe: named(t, name), Seeds: 300}
		want := find(t, cfg)
		for _, procs := range []int{1, 2, 7} {
			old := runtime.GOMAXPROCS(procs)
			got := find(t, cfg)
			runtime.GOMAXPROCS(old)
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s on %d processors: %+v, want %+v", name, procs, got, want)
			}
		}
	}
}

// Only the faults that may happen do.
func TestFaultsAreRestricted(t *testing.T) {
	r := named(t, "unnoticed-expiry")
	if f := find(t, explore.Config{Recipe: r, Faults: []fault.Kind{}}).Found; f != nil {
		t.Errorf("broken without faults: %+v", f.Scenario)
	}
	f := find(t, explore.Config{Recipe: r, Faults: []fault.Kind{fault.Pause}}).Found
	if f == nil {
		t.Fatal("not found by pauses alone")
	}
	for _, x := range slices.Concat(f.First.Faults, f.Scenario.Faults) {
		if x.Kind != fault.Pause {
			t.Errorf("a fault that may not happen: %s", x)
		}
	}
}

func TestNoMoreClientsThanAsked(t *testing.T) {
	for clients := range 4 {
		f := find(t, explore.Config{Recipe: named(t, "order-by-time"), Clients: clients + 2}).Found
		if f == nil || f.First.Clients > clients+2 {
			t.Errorf("%d clients: %+v", clients+2, f)
		}
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := explore.Run(ctx, explore.Config{Recipe: named(t, "predecessor-lock"), Seeds: 1_000_000_000})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// The mutations: predecessor-lock with one line wrong. If exploration can't see them, exploration is at fault.
func TestMutationsAreFound(t *testing.T) {
	for name, lock := range map[string]kit.Locker[zoo.Client]{
		"enters when the one ahead has gone, without a second look": mutant{secondLook: false, protected: true},
		"creates without the session in the name":                   mutant{secondLook: true, protected: false},
	} {
		r := named(t, "predecessor-lock")
		r.Promises = []string{promise.TruthExclusion, promise.Order, promise.Progress}
		r.Main = recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error { return kit.UseLock(c, lock, p) })
		result := find(t, explore.Config{Recipe: r, Seeds: 1000})
		if result.Found == nil {
			t.Errorf("%s: not found in 1000 seeds", name)
			continue
		}
		t.Logf("%s: seed %d, %s", name, result.Seeds, result.Found.Scenario.Command())
	}
	right := named(t, "predecessor-lock")
	right.Main = recipe.OnZooKeeper(func(c zoo.Client, p recipe.Params) error {
		return kit.UseLock(c, mutant{true, true}, p)
	})
	right.Promises = []string{promise.TruthExclusion, promise.Order, promise.Progress}
	if f := find(t, explore.Config{Recipe: right, Seeds: 1000}).Found; f != nil {
		t.Errorf("with both lines right: %s\n%s", f.Violation.Sentence, f.Scenario.Command())
	}
}

// mutant is predecessor-lock below /zkviz/predecessor-lock, with two lines that can be removed.
type mutant struct{ secondLook, protected bool }

const dir = "/zkviz/predecessor-lock"

func (m mutant) Lock(c zoo.Client) (program.Subject, error) {
	me, err := m.join(c)
	if err != nil {
		return program.Subject{}, err
	}
	mine := program.Subject{Path: dir + "/" + me}
	c.Phase(program.Waiting, mine)
	for {
		names, _, err := c.Children(dir)
		if kit.Unknown(err) {
			continue
		}
		if err != nil {
			return mine, err
		}
		ahead, err := kit.JustAhead(names, me)
		if err != nil || ahead == "" {
			return mine, err
		}
		_, _, gone, err := c.GetW(dir + "/" + ahead)
		if errors.Is(err, zoo.ErrNoNode) || kit.Unknown(err) {
			continue
		}
		if err != nil {
			return mine, err
		}
		if _, err := c.Await(0, gone); err != nil || !m.secondLook {
			return mine, err
		}
	}
}

func (m mutant) join(c zoo.Client) (string, error) {
	if m.protected {
		return kit.Join(c, dir, "lock-")
	}
	for {
		path, err := c.Create(dir+"/lock-", nil, zoo.EphemeralSequential)
		if !kit.Unknown(err) {
			return path[min(len(path), len(dir)+1):], err
		}
	}
}

func (m mutant) Unlock(c zoo.Client, held program.Subject) error { return kit.Remove(c, held.Path) }

// BenchmarkExplore measures a thousand seeds with five clients and all faults, on a standalone server, on three,
// and on the other systems.
func BenchmarkExplore(b *testing.B) {
	seeds := 1000
	if testing.Short() {
		seeds = 20
	}
	for _, c := range []struct {
		recipe  string
		servers int
	}{
		{"predecessor-lock", 1}, {"predecessor-lock", 3},
		{"redis-set-nx-px", 1}, {"redis-watchdog", 1}, {"redlock", 1}, {"etcd-mutex", 1}, {"db-for-update", 1},
	} {
		b.Run(fmt.Sprint(c.recipe, "/", c.servers), func(b *testing.B) {
			r := named(b, c.recipe)
			for b.Loop() {
				if f := find(b, explore.Config{Recipe: r, Seeds: seeds, Clients: 5, Servers: c.servers}).Found; f != nil {
					b.Fatal(f.Violation.Sentence)
				}
			}
			b.ReportMetric(float64(seeds*b.N)/b.Elapsed().Seconds(), "seeds/s")
		})
	}
}
