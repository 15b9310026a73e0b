package lab

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/page"
	"github.com/zkviz/zkviz/engine/analysis/challenge"
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/base/escape"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run/link"
)

// Limits of a task in a link.
const (
	maxTaskTitle = 80  // characters
	maxTaskText  = 300 // characters
	maxTaskPar   = 9
)

// taskStep is the step's name of a task outside a lesson.
const taskStep = "lab"

// takeTask takes a task out of the query: title, text, rule and par. Without a rule there is no task. Its own link has
// the run beside its own, but no moment.
func takeTask(q url.Values, m link.Moment) (t page.LabTask, err error) {
	t.Title, t.Text, t.Rule, t.Par = q.Get("title"), q.Get("text"), q.Get("rule"), q.Get("par")
	t.Link = link.Of(q.Encode(), link.Moment{Beside: m.Beside.Fresh()})
	for _, name := range link.TaskNames {
		q.Del(name)
	}
	if n := utf8.RuneCountInString(t.Title); n > maxTaskTitle {
		return page.LabTask{}, sentence.Error("bad.task.title", sentence.Number(maxTaskTitle), sentence.Number(n))
	}
	if n := utf8.RuneCountInString(t.Text); n > maxTaskText {
		return page.LabTask{}, sentence.Error("bad.task.text", sentence.Number(maxTaskText), sentence.Number(n))
	}
	t.Title, t.Text = escape.Line(strings.TrimSpace(t.Title)), escape.Line(oneLine(t.Text))
	if t.Rule == "" {
		return t, nil
	}
	recipe := q.Get("recipe")
	if !slices.Contains(breakable(recipe), t.Rule) {
		return page.LabTask{}, sentence.Error("bad.task.rule", sentence.Quote(t.Rule), sentence.Quote(recipe))
	}
	if t.Par == "" {
		t.Par = "1"
	}
	par, err := strconv.Atoi(t.Par)
	if err != nil || par < 1 || par > maxTaskPar {
		return page.LabTask{}, sentence.Error("bad.task.par", sentence.Quote(t.Par), sentence.Number(maxTaskPar))
	}
	t.Goal = promise.Title(t.Rule)
	t.Task = challenge.Task{Step: taskStep, Rule: t.Rule, Times: 1, Par: par}.String()
	return t, nil
}

// oneLine returns a text without line breaks.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// breakable returns the rules that a run of the recipe can break: for a correct recipe only its limits.
func breakable(name string) []string {
	r, ok := recipe.Find(name)
	switch {
	case !ok:
		return nil
	case r.Kind == recipe.Pitfall:
		return slices.Concat(r.Promises, r.Limits)
	}
	return r.Limits
}

// rulesToBreak returns the rules that the form offers.
func rulesToBreak(recipe string) (all []page.LabRule) {
	for _, rule := range breakable(recipe) {
		all = append(all, page.LabRule{Name: rule, Title: promise.Title(rule)})
	}
	return all
}
