package web

import (
	"path"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/lessons"
	"github.com/zkviz/zkviz/recipes"
	"github.com/zkviz/zkviz/recipes/kit"
)

func lessonCard(l lessons.Page) page.LessonCard {
	first := l.Steps[0] // a lesson without steps is not loaded
	return page.LessonCard{
		Number: l.Number, Slug: l.Slug, Title: l.Title, Summary: l.Lede, Recipe: l.Recipe,
		Steps: len(l.Steps), First: first.Anchor, Alt: first.Text,
	}
}

func (s *site) lessonProps(f page.Frame, l *lessons.Lesson) (page.LessonProps, error) {
	p, err := s.book.Page(l.Slug, s.languageOf(f.Lang))
	if err != nil {
		return page.LessonProps{}, err
	}
	props := page.LessonProps{
		Frame: f, Number: p.Number, Slug: p.Slug, Title: p.Title, Recipe: p.Recipe, Clients: p.Clients,
		SessionTimeout: l.Scenario.WithDefaults().SessionTimeout.String(),
		Source:         s.recipeSource(p.Recipe),
		Previous:       s.link(p.Prev, f.Lang),
		Next:           s.link(p.Next, f.Lang),
	}
	for _, step := range p.Steps {
		props.Steps = append(props.Steps, pageStep(step))
	}
	return props, nil
}

// link names a lesson; nil if slug is empty or unknown.
func (s *site) link(slug, lang string) *page.LessonLink {
	p, err := s.book.Page(slug, s.languageOf(lang))
	if err != nil {
		return nil
	}
	return &page.LessonLink{Slug: slug, Title: p.Title}
}

func pageStep(s lessons.PageStep) page.Step {
	step := page.Step{Anchor: s.Anchor, Title: s.Title, Body: page.HTML(s.HTML), Alt: s.Text, Join: s.Join}
	if q := s.Question; q != nil {
		step.Question = &page.Question{ID: q.ID, Text: q.Text}
		for _, c := range q.Choices {
			step.Question.Choices = append(step.Question.Choices, page.Choice{
				ID: c.ID, Label: c.Label, Right: c.Right, Why: c.Why,
			})
		}
	}
	if c := s.Challenge; c != nil {
		step.Challenge = &page.Challenge{
			Task: c.Task, Par: c.Par, From: c.From, Text: c.Goal, Hint: c.Hint, Won: c.Won,
		}
	}
	if t := s.Try; t != nil {
		step.Figures = &page.Figures{Text: t.Text}
		for _, b := range t.Buttons {
			step.Figures.Buttons = append(step.Figures.Buttons, page.Button{Label: b.Label, Recipe: b.Recipe, Clients: b.Clients})
		}
	}
	return step
}

// maxSources is more than there are recipes.
const maxSources = 1000

// recipeSource is the file of a recipe, as it is shown.
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

// recipeCards are the catalogue: the recipes, then the pitfalls.
func (s *site) recipeCards(lang string) (right, wrong []page.RecipeCard) {
	for _, r := range recipes.All() {
		card := s.recipeCard(r, lang)
		if r.Kind == kit.Pitfall {
			wrong = append(wrong, card)
		} else {
			right = append(right, card)
		}
	}
	return right, wrong
}

func (s *site) recipeCard(r recipes.Recipe, lang string) page.RecipeCard {
	card := page.RecipeCard{
		Name: r.Name, Summary: r.Summary, Promises: r.Promises, Limits: r.Limits, Harms: r.Harms, Cost: r.Cost,
		Sources: r.Sources, Cure: r.Cure, Seen: r.Seen, MinClients: r.MinClients, Source: s.recipeSource(r.Name),
	}
	if l, ok := s.book.Teaching(r.Name); ok {
		card.Lesson = s.link(l.Slug, lang)
	}
	return card
}
