package page

import (
	"strings"

	"github.com/a-h/templ"

	"github.com/zkviz/zkviz/lessons"
)

// HomeProps is the first page.
type HomeProps struct {
	Frame
	Parts []lessons.Part
	Asked []lessons.Review // all questions, in the order of the course
}

// ReviewProps repeats three questions from a part of the course.
type ReviewProps struct {
	Frame
	Part      lessons.Part
	Questions []lessons.Review
	Next      *lessons.PageLink // the first lesson of the next part, nil after the last
}

// AgainProps holds all questions. Those that come back today are chosen in the browser, which knows the answers.
type AgainProps struct {
	Frame
	Parts []AskedPart
}

// AskedPart holds the questions of a part of the course.
type AskedPart struct {
	Title     string
	Questions []lessons.Review
}

// againTitles returns the titles for one, two and three questions.
func againTitles(f Frame) templ.Attributes {
	all := templ.Attributes{}
	for _, n := range []string{"1", "2", "3"} {
		all["data-some-"+n] = f.Say("again.some." + n)
	}
	return all
}

// askedName returns the name under which a browser keeps the answer to a question.
func askedName(r lessons.Review) string { return r.Lesson.Slug + "/" + r.Step.Question.ID }

// askedNames returns the names of questions, for again.js.
func askedNames(all []lessons.Review) string {
	var names []string
	for _, q := range all {
		names = append(names, askedName(q))
	}
	return strings.Join(names, " ")
}

// reasked returns a question with an ID that is unique among those of several lessons.
func reasked(r lessons.Review) lessons.PageQuestion {
	q := *r.Step.Question
	q.ID = r.Lesson.Slug + "-" + q.ID
	return q
}

// GlossaryProps is the page of terms.
type GlossaryProps struct {
	Frame
	Terms []*lessons.Term
}

// SearchProps is a search and its results.
type SearchProps struct {
	Frame
	Query string
	Hits  []Hit
}

// script returns what search.js needs on a site of files.
func (p SearchProps) script() templ.Attributes {
	if p.Exported == nil {
		return nil
	}
	all := templ.Attributes{
		"data-index": string(p.to("/search.json")), "data-none": p.Say("search.none"), "data-failed": p.Say("search.failed"),
	}
	for _, kind := range []string{"lesson", "term", "recipe"} {
		all["data-"+kind] = p.Say("search." + kind)
	}
	return all
}

// Hit is a page that was found. Kind ends the key of its word: "lesson", "term" or "recipe".
type Hit struct {
	Kind, Title string
	Address     string // without the language
	Pieces      []Piece
}

// Piece is a part of a text. Found marks the match.
type Piece struct {
	Text  string
	Found bool
}
