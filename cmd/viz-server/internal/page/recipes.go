package page

import (
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/lessons"
)

// RecipesProps is the catalogue.
type RecipesProps struct {
	Frame
	Groups []RecipeGroup
}

// RecipeGroup holds recipes for one purpose, and the pitfalls that they cure.
type RecipeGroup struct {
	ID                string
	Recipes, Pitfalls []RecipeCard
}

// RecipeCard is one recipe of the catalogue.
type RecipeCard struct {
	Name       string
	Promises   []sentence.Sentence // titles of the rules that always hold; of a pitfall, those that it breaks
	Limits     []sentence.Sentence // of rules that hold while no session expires unnoticed and no Harms occur
	Harms      []string            // faults, by name
	Sources    []string
	Cure       string // of a pitfall: the correct recipe
	Seen       string // of a pitfall: the rest of the Lab's address at which it breaks a promise
	MinClients int
	Servers    int // the number that it requires, 0 for a single server
	Source     Source
	Lesson     *lessons.PageLink // the lesson that teaches it, nil if none
}

// calm states the conditions of a recipe's limits: no session ends unnoticed, and none of the harms occurs.
func (f Frame) calm(harms []string) string {
	text := f.Say("recipes.calm")
	for i, name := range harms {
		join := "recipes.calm.more"
		if i == len(harms)-1 {
			join = "recipes.calm.last"
		}
		text = f.Say(join, text, f.Say("recipes.without."+name))
	}
	return text
}
