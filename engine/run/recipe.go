package run

import (
	"strings"

	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/recipe"
)

// Recipe finds a recipe by name. For an unknown name, the error suggests the nearest one.
func Recipe(name string) (recipe.Recipe, error) {
	if r, ok := recipe.Find(name); ok {
		return r, nil
	}
	known := recipe.Names()
	if near, ok := Nearest(name, known); ok {
		return recipe.Recipe{}, sentence.Error("bad.recipe.near", sentence.Quote(name), sentence.Text(near))
	}
	return recipe.Recipe{}, sentence.Error("bad.recipe", sentence.Quote(name), sentence.Number(len(known)))
}

// Nearest returns the known name that name most likely meant, if one is near: at most a third of its letters
// differ, or name is a prefix of it.
func Nearest(name string, known []string) (string, bool) {
	const longest = 100 // names; computing the distance takes the product of the lengths
	if name == "" || len(name) > longest {
		return "", false
	}
	best, least := "", len(name)
	for _, k := range known {
		if strings.HasPrefix(k, name) {
			return k, true
		}
		if d := distance(name, k); d < least {
			best, least = k, d
		}
	}
	return best, best != "" && least <= len(best)/3
}

// distance returns the Levenshtein distance: how many bytes have to be added, removed or replaced.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replace := corner
			if a[i] != b[j] {
				replace++
			}
			corner = row[j+1]
			row[j+1] = min(replace, row[j]+1, corner+1)
		}
	}
	return row[len(b)]
}
