package lessons

import (
	"slices"
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/stage/scene/mark"
)

// takeShows records which figures each step is about: those that its question's marks name, those whose number its
// words give, if the stage has reached that number by then, and the totals, if it claims them or compares the costs of
// two runs. It also records which terms no step so far, of this or an earlier lesson, is about: met collects the marks
// that those steps name.
func (l *Lesson) takeShows(r *Run, met []string) []string {
	for i := range l.Steps {
		s := &l.Steps[i]
		met = append(met, s.names()...)
		s.Shows = append(s.Shows, mark.UnmetTerms(met)...)
		if s.Question != nil {
			s.Shows = append(s.Shows, mark.FiguresIn(s.Question.Marks).Names()...)
		}
		if s.comparesCosts() || r.counts(s.Anchor, l.Prose[Source].Steps[i].Body) {
			s.Shows = append(s.Shows, mark.TotalsFigure.Names()...)
		}
		if r.countsMessages(s.Anchor, l.Prose[Source].Steps[i].Body) {
			s.Shows = append(s.Shows, mark.MessagesFigure.Names()...)
		}
	}
	return met
}

// comparesCosts reports whether the step claims the totals, or what the run beside the lesson's has cost by then.
func (s *Step) comparesCosts() bool {
	return slices.ContainsFunc(s.Claims, func(c Claim) bool {
		name, _, _ := strings.Cut(c.Text, " ")
		return c.Beside && c.Kind == "now" && (name == "requests" || name == "wakeups") ||
			c.Kind == "mark" && name == string(mark.Totals)
	})
}

// names returns the patterns of the marks that a step names: those that its picture shows, and those that answer its
// question.
func (s *Step) names() (marks []string) {
	for _, c := range s.Claims {
		if c.Kind == "mark" {
			marks = append(marks, c.Text)
		}
	}
	if s.Question != nil {
		marks = append(marks, s.Question.Marks...)
	}
	return marks
}

// counts reports whether the words give the number of requests or wakeups, and the stage shows the same.
func (r *Run) counts(anchor, md string) bool {
	s, _, ok := r.StateAt(anchor)
	if !ok {
		return false
	}
	so := map[string]int{"requests": s.Counts.Requests, "wakeups": s.Clients.Woken()}
	counted := false
	for _, m := range hole.FindAllStringSubmatch(md, -1) {
		n, total := so[m[2]]
		if !total || m[3] != "" {
			continue
		}
		if measures[m[2]].of(r, nil) != strconv.Itoa(n) {
			return false
		}
		counted = true
	}
	return counted
}

// countsMessages reports whether the words give the number of messages between servers for a write, and the stage
// shows the same.
func (r *Run) countsMessages(anchor, md string) bool {
	s, _, ok := r.StateAt(anchor)
	if !ok {
		return false
	}
	cost, any := s.Ensemble.Costs.Last()
	for _, m := range hole.FindAllStringSubmatch(md, -1) {
		if measure, err := ParseMeasure(m[2]); err == nil && measure.Name == messagesForWrite && m[3] == "" {
			return any && measures[measure.Name].of(r, measure.Args) == strconv.Itoa(cost.Messages)
		}
	}
	return false
}
