package page

import (
	"slices"
	"strings"

	"github.com/a-h/templ"

	"github.com/zkviz/zkviz/engine/stage/panes"
	"github.com/zkviz/zkviz/lessons"
)

// LessonProps is a lesson's page.
type LessonProps struct {
	Frame
	Lesson *lessons.Page
	Source Source
	ByHand *Way // how to join the zoo by hand, nil if no ZooKeeper runs here
	Story  Story
	Broken map[string][]panes.Verdict // the promises that are broken in a step's picture, by the step's anchor
}

// panelsOf names the panels that a step opens, in the format of panels.js. A challenge needs the inspector's buttons.
func panelsOf(s lessons.PageStep) string {
	var names []string
	for _, panel := range s.Opens {
		names = append(names, string(panel))
	}
	if s.Challenge != nil {
		names = append(names, string(lessons.PanelInspector))
	}
	return strings.Join(names, " ")
}

// attributes returns the attributes of the lesson's document.
func (p LessonProps) attributes() templ.Attributes {
	all := templ.Attributes{
		"data-page": "lesson", "data-lesson": p.Lesson.Slug, "data-steps": itoa(len(p.Lesson.Steps)),
	}
	if p.Exported != nil {
		all["data-reel"] = p.Base + ReelOf(p.Lesson.Slug)
	}
	return all
}

// SheetProps is a lesson on one sheet of paper.
type SheetProps struct {
	Frame
	Lesson *lessons.Page
}

// picture returns the picture that the lesson ends with.
func (p SheetProps) picture() picture {
	of := pictureOf(p.Lesson.Slug, p.Lesson.Steps[len(p.Lesson.Steps)-1])
	of.loading = "eager"
	return of
}

// questions returns the lesson's questions in their order.
func (p SheetProps) questions() (all []*lessons.PageQuestion) {
	for _, s := range p.Lesson.Steps {
		if s.Question != nil {
			all = append(all, s.Question)
		}
	}
	return all
}

// ReelOf returns the address of the reel that the stage of an exported lesson plays.
func ReelOf(slug string) string { return "/lessons/" + slug + "/reel.bin" }

// runs returns what a button for figures asks for: a run, and the one beside it.
func (f Frame) runs(one lessons.PageButton) templ.Attributes {
	if one.Beside == "" {
		return templ.Attributes{"data-from": f.figuresOf(one.Recipe, one.Clients)}
	}
	return templ.Attributes{
		"data-from": f.momentsOf(one.Recipe, one.Clients), "data-to": f.momentsOf(one.Beside, one.Clients),
		"data-script": f.asset("herd.js"),
	}
}

// plays reports whether one of the buttons plays its runs.
func plays(b lessons.PageTry) bool {
	return slices.ContainsFunc(b.Buttons, func(one lessons.PageButton) bool { return one.Beside != "" })
}

// figuresOf returns the address of a run's figures, and momentsOf with what happens moment by moment.
func (f Frame) figuresOf(recipe string, clients int) string {
	return string(f.to("/api/figures?recipe=" + query(recipe) + "&clients=" + itoa(clients)))
}

func (f Frame) momentsOf(recipe string, clients int) string {
	return f.figuresOf(recipe, clients) + "&with=moments"
}
