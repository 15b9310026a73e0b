package explore_test

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/check"
	"github.com/zkviz/zkviz/engine/explore"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/recipes"
	"github.com/zkviz/zkviz/recipes/kit"
)

func find(t testing.TB, cfg explore.Config) explore.Result {
	t.Helper()
	result, err := explore.Run(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// seeds of each recipe that are tried here; make explore tries 10,000.
const seeds = 200

// TestRecipesHold: what is in the catalogue as right keeps its promises, whatever happens.
func TestRecipesHold(t *testing.T) {
	for _, r := range recipes.All() {
		if r.Kind == kit.Right {
			if f := find(t, explore.Config{Recipe: r, Seeds: seeds}).Found; f != nil {
				t.Errorf("%s: seed %d: %s\n%s", r.Name, f.Seed, f.Violation.Text, f.Scenario.Command())
			}
		}
	}
}

// TestPitfallsAreFound: each pitfall breaks a promise within the seeds that the catalogue says, its smallest
// reproduction breaks it again, and its cure keeps the same promises for these seeds.
func TestPitfallsAreFound(t *testing.T) {
	for _, r := range recipes.All() {
		if r.Kind != kit.Pitfall {
			continue
		}
		within := r.FoundWithin
		if within == 0 {
			within = 1000
		}
		result := find(t, explore.Config{Recipe: r, Seeds: within})
		if result.Found == nil {
			t.Errorf("%s: not found in %d seeds", r.Name, within)
			continue
		}
		f := result.Found
		if len(f.Scenario.Query()) > run.MaxQuery {
			t.Errorf("%s: the link is too long: %s", r.Name, f.Link())
		}
		for way, s := range map[string]run.Scenario{"scenario": f.Scenario, "query": byQuery(t, f.Scenario), "file": byFile(t, f.Scenario)} {
			if v := replay(t, s, f.Violation.Rule); !reflect.DeepEqual(v, f.Violation) {
				t.Errorf("%s, replayed by %s: %+v, want %+v", r.Name, way, v, f.Violation)
			}
		}
		cure, ok := recipes.Find(r.Cure)
		if !ok || cure.Kind != kit.Right {
			t.Errorf("%s: its cure %q is no recipe", r.Name, r.Cure)
			continue
		}
		cfg := explore.Config{Recipe: cure, Seeds: max(result.Seeds, seeds), Rules: r.Promises, Limits: r.Limits}
		if f := find(t, cfg).Found; f != nil {
			t.Errorf("%s, cured by %s: seed %d: %s\n%s", r.Name, cure.Name, f.Seed, f.Violation.Text, f.Scenario.Command())
		}
	}
}

// replay is the first violation of the rule when the scenario is run as the command line runs it.
func replay(t *testing.T, s run.Scenario, rule string) check.Violation {
	t.Helper()
	c := check.New([]string{rule}, s.Header("sim"))
	if err := run.Sim(context.Background(), s, c); err != nil {
		t.Fatal(err)
	}
	if v := c.Report().Violations; len(v) > 0 {
		return v[0]
	}
	return check.Violation{}
}

func byQuery(t *testing.T, s run.Scenario) run.Scenario {
	t.Helper()
	got, err := run.ParseQuery(s.Query())
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func byFile(t *testing.T, s run.Scenario) run.Scenario {
	t.Helper()
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	got, err := run.ReadFile(strings.NewReader(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestSmallest: of a reproduction nothing can be taken away: not one fault, not one round.
func TestSmallest(t *testing.T) {
	for _, name := range []string{"no-second-look", "orphan-node", "unnoticed-expiry", "delete-before-processing"} {
		r, ok := recipes.Find(name)
		if !ok {
			t.Fatalf("there is no %s", name)
		}
		f := find(t, explore.Config{Recipe: r}).Found
		if f == nil {
			t.Fatalf("%s: not found", name)
		}
		first, small := f.First, f.Scenario
		if small.Clients > first.Clients || small.Rounds > first.Rounds || len(small.Faults) > len(first.Faults) {
			t.Errorf("%s grew: from %s\nto %s", name, first.Command(), small.Command())
		}
		for i := range small.Faults {
			s := small
			s.Faults = slices.Delete(slices.Clone(s.Faults), i, i+1)
			if v := replay(t, s, f.Violation.Rule); v.Rule != "" {
				t.Errorf("%s needs no %q", name, small.Faults[i])
			}
		}
		if s := small; s.Rounds > 1 {
			s.Rounds--
			if v := replay(t, s, f.Violation.Rule); v.Rule != "" {
				t.Errorf("%s needs no %d rounds", name, small.Rounds)
			}
		}
	}
}
