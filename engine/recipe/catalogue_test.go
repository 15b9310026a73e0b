package recipe_test

import (
	"slices"
	"testing"

	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/recipes"
)

// TestCatalogue checks that the catalogue is what package recipes has, in its order, and that nobody fills it again.
func TestCatalogue(t *testing.T) {
	var want []string
	for _, r := range recipes.All() {
		want = append(want, r.Name)
		if found, ok := recipe.Find(r.Name); !ok || found.Name != r.Name || found.File != r.File {
			t.Errorf("%s is found as %s, %t", r.Name, found.Name, ok)
		}
	}
	if got := recipe.Names(); !slices.Equal(got, want) {
		t.Errorf("the catalogue has %v, want %v", got, want)
	}
	if once := slices.Compact(slices.Sorted(slices.Values(want))); len(once) != len(want) {
		t.Errorf("a name is there twice among %v", want)
	}
	if r, ok := recipe.Find("nope"); ok {
		t.Errorf("nope is found as %s", r.Name)
	}
	defer func() {
		if recover() == nil {
			t.Error("the catalogue is filled twice")
		}
	}()
	recipe.Fill(recipes.All())
}

// TestServers checks that runs that should be alike have as many servers as the recipe with the most of them needs.
func TestServers(t *testing.T) {
	for want, names := range map[int][]string{1: {"predecessor-lock", "nope"}, 3: {"predecessor-lock", "stale-read"}} {
		if got := recipe.Servers(names...); got != want {
			t.Errorf("%v: %d servers, want %d", names, got, want)
		}
	}
}
