package recipe

import (
	"fmt"
	"slices"
)

// catalogue holds all recipes. Package recipes fills it once, before a program begins.
var catalogue []Recipe

// Fill fills the catalogue. It panics if that has been done before.
func Fill(all []Recipe) {
	if len(catalogue) > 0 {
		panic(fmt.Sprintf("the catalogue has %d recipes already, from %s on", len(catalogue), catalogue[0].Name))
	}
	catalogue = slices.Clone(all)
}

// Names returns the names of all recipes, in the order of teaching.
func Names() (all []string) {
	for _, r := range catalogue {
		all = append(all, r.Name)
	}
	return all
}

// Find returns the recipe or pitfall of that name.
func Find(name string) (Recipe, bool) {
	i := slices.IndexFunc(catalogue, func(r Recipe) bool { return r.Name == name })
	if i < 0 {
		return Recipe{}, false
	}
	return catalogue[i], true
}

// Servers returns the number of ZooKeeper servers in runs of these recipes that should be alike, where nobody says: as
// many as the one asks for that asks for most.
func Servers(names ...string) int {
	most := 1
	for _, name := range names {
		r, _ := Find(name)
		most = max(most, r.Servers)
	}
	return most
}
