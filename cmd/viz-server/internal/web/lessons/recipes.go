package lessons

import (
	"net/http"
	"path"

	"github.com/a-h/templ"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/lessons"
	"github.com/zkviz/zkviz/recipes"
)

// link returns the link to a lesson; nil if slug is unknown.
func (s *Pages) link(slug string, lang page.Lang) *lessons.PageLink {
	p, ok := s.book.Page(slug, string(lang))
	if !ok {
		return nil
	}
	return &lessons.PageLink{Slug: p.Slug, Title: p.Title}
}

// OnEven returns the step about even numbers of servers and its lesson; nil if there is none.
func (s *Pages) OnEven(lang page.Lang) (lesson *lessons.PageLink, anchor string) {
	l, anchor, ok := s.book.OnEven()
	if !ok {
		return nil, ""
	}
	return s.link(l.Slug, lang), anchor
}

// maxSources exceeds the number of recipes.
const maxSources = 1000

// recipes answers /recipes.
func (s *Pages) recipes(w http.ResponseWriter, r *http.Request) {
	s.site.Cached(w, r, func() (templ.Component, error) {
		p := page.RecipesProps{Frame: s.site.CachedFrame(r, "recipes")}
		p.Groups, p.Summary = s.recipeGroups(p.Lang), p.Say("recipes.lead")
		return page.Recipes(p), nil
	})
}

// Source returns a recipe's file for the page.
func (s *Pages) Source(name string) page.Source {
	if source, ok := s.sources.Get(name); ok {
		return source
	}
	r, ok := recipe.Find(name)
	if !ok {
		return page.Source{}
	}
	source := page.GoSource(path.Join("recipes", r.File), recipes.Source(r.File))
	s.sources.Put(name, source, 1)
	return source
}

// recipeGroups returns the catalogue: groups of recipes, each with the pitfalls that they cure.
func (s *Pages) recipeGroups(lang page.Lang) []page.RecipeGroup {
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

func (s *Pages) recipeCard(r recipe.Recipe, lang page.Lang) page.RecipeCard {
	card := page.RecipeCard{
		Name: r.Name, Promises: promise.Titles(r.Promises), Limits: promise.Titles(r.Limits), Harms: r.Harms,
		Sources: r.Sources, Cure: r.Cure, Seen: r.Seen, MinClients: r.MinClients, Servers: r.Servers,
		Source: s.Source(r.Name),
	}
	if l, ok := s.book.Teaching(r.Name); ok {
		card.Lesson = s.link(l.Slug, lang)
	}
	return card
}
