package recipes_test

import (
	"slices"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/recipes"
)

// A pitfall breaks one of the promises that it lists within as many seeds as it says, and its cure keeps all
// of them on the same seeds, with the same faults.
func TestPitfallsAreFoundAndCured(t *testing.T) {
	if testing.Short() {
		t.Skip("tries thousands of seeds")
	}
	for _, r := range recipes.All() {
		if r.Kind != recipe.Pitfall {
			continue
		}
		t.Run(r.Name, func(t *testing.T) {
			var cures []recipe.Recipe
			for _, name := range r.Cures() {
				cure, ok := recipe.Find(name)
				if !ok || cure.Kind != recipe.Right {
					t.Fatalf("the cure %q is no recipe", name)
				}
				cure.After = r.After // the same programs come back
				cures = append(cures, cure)
			}
			within := uint64(r.FoundWithin)
			if within == 0 {
				within = 1000
			}
			for seed := range within {
				p, cfg := chance(r, seed)
				broken := play(t, r, p, cfg, r.Promises).Violations
				for _, cure := range cures {
					p, cfg := p, cfg
					p.Clients = max(p.Clients, cure.MinClients)
					cfg.Faults = slices.DeleteFunc(slices.Clone(cfg.Faults), func(f fault.Fault) bool {
						// The cure talks to something else.
						return !slices.Contains(kinds(cure), f.Kind) || f.Node > event.NodesOf(cure.Systems)
					})
					if v := play(t, cure, p, cfg, r.Promises).Violations; len(v) > 0 {
						t.Fatalf("seed %d, %+v, faults %v: %s breaks too: %s: %s", seed, p, cfg.Faults, cure.Name, v[0].Rule,
							v[0].Sentence)
					}
				}
				if len(broken) > 0 {
					t.Logf("seed %d: %s: %s", seed, broken[0].Rule, broken[0].Sentence)
					return
				}
			}
			t.Fatalf("%v held for %d seeds", r.Promises, within)
		})
	}
}
