package recipes_test

import (
	"context"
	"slices"
	"testing"

	"github.com/zkviz/zkviz/engine/run/explore"
	"github.com/zkviz/zkviz/recipes"
)

// TestMutantsAreFound: what a recipe promises is judged. A recipe that does not do it breaks the rule that says
// so, and that alone is looked for: another may break as well.
func TestMutantsAreFound(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes 10,000 runs")
	}
	for _, m := range recipes.Mutants() {
		name := m.Recipe.Name + " " + m.Wrong
		rules, limits := only(m.Recipe.Promises, m.Rule), only(m.Recipe.Limits, m.Rule)
		if len(rules)+len(limits) != 1 {
			t.Errorf("%s: %s is not promised", name, m.Rule)
			continue
		}
		result, err := explore.Run(context.Background(), explore.Config{Recipe: m.Recipe, Rules: rules, Limits: limits,
			Seeds: 1000})
		if err != nil {
			t.Fatal(err)
		}
		if result.Found == nil {
			t.Errorf("%s: %s held for 1000 seeds", name, m.Rule)
			continue
		}
		t.Logf("%s: seed %d: %s", name, result.Found.Seed, result.Found.Violation.Sentence)
	}
}

func only(rules []string, rule string) []string {
	return slices.DeleteFunc(slices.Clone(rules), func(r string) bool { return r != rule })
}
