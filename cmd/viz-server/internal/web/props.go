package web

import (
	"path"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/lessons"
	"github.com/zkviz/zkviz/recipes"
)

// link returns the link to a lesson; nil if slug is unknown.
func (s *site) link(slug string, lang page.Lang) *lessons.PageLink {
	p, ok := s.book.Page(slug, string(lang))
	if !ok {
		return nil
	}
	return &lessons.PageLink{Slug: p.Slug, Title: p.Title}
}

// maxSources exceeds the number of recipes.
const maxSources = 1000

// recipeSource returns a recipe's file for the page.
func (s *site) recipeSource(name string) page.Source {
	if source, ok := s.sources.get(name); ok {
		return source
	}
	r, ok := recipes.Find(name)
	if !ok {
		return page.Source{}
	}
	source := page.GoSource(path.Join("recipes", r.File), recipes.Source(r.File))
	s.sources.put(name, source, 1)
	return source
}

// recipeGroups returns the catalogue: groups of recipes, each with the pitfalls that they cure.
func (s *site) recipeGroups(lang page.Lang) []page.RecipeGroup {
	var groups []page.RecipeGroup
	of := map[string]int{} // by the recipe's name
	for i, g := range recipes.Groups() {
		group := page.RecipeGroup{ID: g.ID}
		for _, r := range g.Recipes {
			of[r.Name] = i
			group.Recipes = append(group.Recipes, s.recipeCard(r, lang))
		}
		groups = append(groups, group)
	}
	for _, r := range recipes.All() {
		if r.Kind == recipe.Pitfall {
			group := &groups[of[r.Cure]]
			group.Pitfalls = append(group.Pitfalls, s.recipeCard(r, lang))
		}
	}
	return groups
}

func (s *site) recipeCard(r recipe.Recipe, lang page.Lang) page.RecipeCard {
	card := page.RecipeCard{
		Name: r.Name, Promises: check.Titles(r.Promises), Limits: check.Titles(r.Limits), Harms: r.Harms,
		Sources: r.Sources, Cure: r.Cure, Seen: r.Seen, MinClients: r.MinClients, Servers: r.Servers,
		Source: s.recipeSource(r.Name),
	}
	if l, ok := s.book.Teaching(r.Name); ok {
		card.Lesson = s.link(l.Slug, lang)
	}
	return card
}
