package explore_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/explore"
	"github.com/zkviz/zkviz/engine/testing/golden"
	"github.com/zkviz/zkviz/engine/zookeeper/zab"
	"github.com/zkviz/zkviz/recipes"
)

// onZooKeeper returns the recipes that use ZooKeeper.
func onZooKeeper() []recipe.Recipe {
	return slices.DeleteFunc(recipes.All(), func(r recipe.Recipe) bool { return !event.HasZooKeeper(r.Systems) })
}

// TestInvariantsHold: whatever happens to clients and servers, and whatever recipe runs, the servers agree.
func TestInvariantsHold(t *testing.T) {
	seeds := 20
	if testing.Short() {
		seeds = 5
	}
	for _, cfg := range []explore.Config{{Servers: 3}, {Servers: 5}, {Servers: 4, Observers: 1}} {
		for _, r := range onZooKeeper() {
			cfg.Recipe, cfg.Seeds, cfg.Rules = r, seeds, promise.Invariants()
			finds(t, cfg, "")
		}
	}
}

// TestRecipesOnServers: recipes keep their promises whatever happens to servers, to clients, and to the network.
func TestRecipesOnServers(t *testing.T) {
	seeds := 50
	if testing.Short() {
		seeds = 10
	}
	for _, servers := range []int{3, 5} {
		for _, r := range onZooKeeper() {
			if r.Kind == "pitfall" {
				continue
			}
			finds(t, explore.Config{Recipe: r, Servers: servers, Seeds: seeds}, "")
		}
	}
}

// flawed is what exploration finds for one flaw.
type flawed struct {
	flaw      zab.Flaws
	servers   int
	observers int
	seed      int // the first that breaks an invariant,
	rule      string
}

var allFlawed = []flawed{
	{zab.ForgetsPromise, 3, 0, 97, promise.EpochMonotony},
	{zab.VotesByZxid, 3, 0, 3189, promise.LeaderComplete},
	{zab.HalfIsEnough, 4, 0, 1, promise.QuorumDurable},
	{zab.AcksBeforeSync, 3, 0, 1, promise.AckOrder},
	{zab.EpochBeforeLog, 3, 0, 8, promise.AckOrder},
	{zab.NeverTruncates, 3, 0, 24, promise.ProcessConsistency},
	{zab.ServesEarly, 3, 0, 8, promise.QuorumDurable},
	{zab.IgnoresSeen, 3, 0, 256, promise.SingleHistory},
	{zab.CommitsOutOfOrder, 3, 0, 19, promise.MonotonicCommit},
	{zab.CountsObservers, 3, 2, 31, promise.Leadership},
	{zab.BreaksPromise, 3, 0, 24, promise.ProcessConsistency},
	{zab.VotesByNumber, 3, 0, 12, promise.CommittedDurable},
}

// TestGoldenFlaws: each way to get the protocol wrong breaks an invariant within that many seeds. The first is
// recorded, and so is the smallest run.
func TestGoldenFlaws(t *testing.T) {
	r, _ := recipe.Find("predecessor-lock")
	for _, c := range allFlawed {
		if testing.Short() && c.seed > 1000 {
			continue
		}
		found := finds(t, explore.Config{Recipe: r, Servers: c.servers, Observers: c.observers, Flaws: c.flaw,
			Seeds: 4000, Rules: promise.Invariants()}, c.rule)
		if found == nil {
			continue
		}
		if int(found.Seed) != c.seed {
			t.Errorf("%v is found with seed %d, not %d: put it into allFlawed, and see what the run in testdata breaks",
				c.flaw, found.Seed, c.seed)
		}
		text, err := json.MarshalIndent(found.Scenario, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		golden.Compare(t, filepath.Join("flaws", c.flaw.String()+".json"), string(text)+"\n")
	}
}

// TestFlawsShow: the stored run for each flaw breaks its invariant, also through its link; without the flaw it
// breaks no invariant, and no promise. None of its server faults can be removed.
func TestFlawsShow(t *testing.T) {
	all := zab.AllFlaws()
	for _, c := range allFlawed {
		all &^= c.flaw
		f, err := explore.OfFlaw(context.Background(), c.flaw)
		if err != nil {
			t.Error(err)
			continue
		}
		s, r := f.Scenario, named(t, f.Scenario.Recipe)
		if s.Flaws != c.flaw || f.Violation.Rule != c.rule {
			t.Errorf("the run of %v breaks %s: %s", c.flaw, f.Violation.Rule, s.Command())
		}
		if v := replay(t, s, c.rule); !reflect.DeepEqual(v, f.Violation) {
			t.Errorf("%v, replayed: %+v, want %+v", c.flaw, v, f.Violation)
		}
		if v := replay(t, byQuery(t, s), c.rule); !reflect.DeepEqual(v, f.Violation) || len(s.Query()) > run.MaxQuery {
			t.Errorf("%v, by its link: %+v, want %+v", c.flaw, v, f.Violation)
		}
		for i := range s.Faults {
			less := s
			less.Faults = slices.Delete(slices.Clone(s.Faults), i, i+1)
			if v := replay(t, less, c.rule); v.Rule != "" {
				t.Errorf("%v needs no %q", c.flaw, s.Faults[i])
			}
		}
		s.Flaws = 0
		if v := violations(t, r, s, slices.Concat(promise.Invariants(), r.Promises)); len(v) > 0 {
			t.Errorf("without %v: %+v\n%s", c.flaw, v[0], s.Command())
		}
	}
	if all != 0 {
		t.Errorf("no run shows %v", all)
	}
}

// finds explores, and requires a violation of that rule, or none.
func finds(t *testing.T, cfg explore.Config, rule string) *explore.Finding {
	t.Helper()
	result, err := explore.Run(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	switch f := result.Found; {
	case f == nil && rule != "":
		t.Errorf("%d servers of which each %v keep %s", cfg.Servers, cfg.Flaws, rule)
	case f != nil && f.Violation.Rule != rule:
		t.Errorf("seed %d: %v\n%s", f.Seed, f.Violation, f.Scenario.Command())
	}
	return result.Found
}
