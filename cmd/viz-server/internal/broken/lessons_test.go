package broken_test

import (
	"slices"
	"testing"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/broken"
	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/lessons"
)

// TestCellsAgreeWithLessons plays the locks' runs that lessons show, with challenges' solutions. If a run with faults
// of one kind breaks a rule, the table must say so for that fault or for no fault.
func TestCellsAgreeWithLessons(t *testing.T) {
	book, err := lessons.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	rows, compared := table(t), 0
	for i := range book.Lessons {
		l := &book.Lessons[i]
		for _, s := range runsOf(t, l) {
			n := slices.IndexFunc(rows, func(r broken.Row) bool { return r.Recipe == s.Recipe })
			word, ok := oneFault(s)
			if n < 0 || !ok {
				continue
			}
			compared++
			for _, rule := range brokenRules(t, s, rows[n].Rules) {
				if !has(rows[n], word, rule) {
					t.Errorf("lesson %s: %s breaks %s, and the table's cell of %q doesn't say so: make faults computes it again",
						l.Slug, s.Command(), rule, word)
				}
			}
		}
	}
	if compared < 20 {
		t.Errorf("only %d runs are of locks in the table", compared)
	}
}

// runsOf returns the runs of a lesson: its own, those beside it, and those with the solutions of its challenges.
func runsOf(t *testing.T, l *lessons.Lesson) []run.Scenario {
	t.Helper()
	all := []run.Scenario{l.Scenario}
	for _, step := range l.Steps {
		if step.Beside != nil {
			all = append(all, step.Beside.Scenario)
		}
		if step.Challenge == nil {
			continue
		}
		s := l.Scenario
		s.Faults = slices.Clone(s.Faults)
		for _, text := range step.Challenge.Solution {
			f, err := fault.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			s.Faults = append(s.Faults, f)
		}
		all = append(all, s)
	}
	return all
}

// oneFault returns the kind of a run's faults if all have the same kind. Runs with several servers or flaws have no
// cell.
func oneFault(s run.Scenario) (word string, ok bool) {
	if s = s.WithDefaults(); s.Servers > 1 || s.Flaws != 0 {
		return "", false
	}
	for i, f := range s.Faults {
		if i == 0 {
			word = f.Kind.String()
		}
	}
	return word, !slices.ContainsFunc(s.Faults, func(f fault.Fault) bool { return !fits([]string{f.Kind.String()}, word) })
}

// brokenRules returns the rules that a run breaks.
func brokenRules(t *testing.T, s run.Scenario, rules []string) (list []string) {
	t.Helper()
	c := check.New(rules, s.WithDefaults().Header(event.Simulated))
	if err := run.Sim(t.Context(), s.WithDefaults(), c); err != nil {
		t.Fatal(err)
	}
	for _, v := range c.Report().Violations {
		list = append(list, v.Rule)
	}
	return list
}

// has reports whether the row says that the fault breaks the rule, or that the rule breaks without a fault.
func has(r broken.Row, word, rule string) bool {
	return slices.ContainsFunc(r.Cells, func(c broken.Cell) bool {
		return (c.Fault == word || c.Fault == "") &&
			slices.ContainsFunc(c.Broken, func(p broken.Promise) bool { return p.Rule == rule })
	})
}
