package lessons_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/lessons"
)

// hourOf writes a plan of a class, a slot a line: its minutes, what the class does, and the steps.
func hourOf(h lessons.Hour) string {
	var b strings.Builder
	for _, s := range h.Slots {
		fmt.Fprintf(&b, "%d-%d %s", s.From, s.To(), s.Does)
		for _, step := range s.Steps {
			fmt.Fprintf(&b, " %s", step.Anchor)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// TestFirstHour checks the plan of the first class, minute by minute.
func TestFirstHour(t *testing.T) {
	h := open(t).FirstHour("en")
	const want = `0-4 join
4-6 see number arrival
6-10 ask fan
10-14 ask release
14-18 ask look
18-21 see all price
21-36 task break-it
36-38 board break-it
38-45 end next
`
	if got := hourOf(h); got != want || h.Minutes != 45 {
		t.Errorf("the plan for %d minutes with %s is\n%s, not\n%s", h.Minutes, h.Lesson.Slug, got, want)
	}
}

// TestHours checks that every lesson fits into an hour, whose slots follow each other, and that each step has its slot.
func TestHours(t *testing.T) {
	b := open(t)
	for _, p := range b.Parts("en") {
		for _, l := range p.Lessons {
			h := b.HourOf(l)
			at := 0
			var steps []string
			for _, s := range h.Slots {
				if s.From != at || s.Minutes < 1 {
					t.Errorf("%s: %s begins at %d and takes %d minutes, after %d", l.Slug, s.Does, s.From, s.Minutes, at)
				}
				at = s.To()
				for _, step := range s.Steps {
					steps = append(steps, step.Anchor)
				}
			}
			if at != h.Minutes {
				t.Errorf("%s: the plan for %d minutes takes %d", l.Slug, h.Minutes, at)
			}
			for _, s := range l.Steps {
				if !slices.Contains(steps, s.Anchor) {
					t.Errorf("%s: the plan leaves out the step %s", l.Slug, s.Anchor)
				}
			}
		}
	}
}

// TestSemester checks that the weeks have each lesson once, in the order of the course, that none is much longer than
// others, and where the parts end.
func TestSemester(t *testing.T) {
	b := open(t)
	var slugs, ends []string
	weeks := b.Semester("en")
	for i, w := range weeks {
		if w.Number != i+1 {
			t.Errorf("week %d is called %d", i+1, w.Number)
		}
		if w.Together == nil {
			if i != len(weeks)-1 {
				t.Errorf("week %d has no lesson", w.Number)
			}
			continue
		}
		for _, l := range append([]*lessons.Page{w.Together}, w.Home...) {
			slugs = append(slugs, l.Slug)
		}
		if n := len(w.Home); n < 1 || n > 4 || w.Minutes() > 45 {
			t.Errorf("week %d has %d lessons to do at home, which take %d minutes", w.Number, n, w.Minutes())
		}
		if w.Ends != nil {
			ends = append(ends, fmt.Sprint(w.Number, " ", w.Ends.ID))
		}
	}
	same := func(slug string, l lessons.Lesson) bool { return slug == l.Slug }
	if len(weeks) != 14 || !slices.EqualFunc(slugs, b.Lessons, same) {
		t.Errorf("%d weeks have the lessons %v", len(weeks), slugs)
	}
	const want = "1 basics, 3 line, 5 failures, 7 groups, 8 operation, 11 servers, 13 others"
	if got := strings.Join(ends, ", "); got != want {
		t.Errorf("the parts end in the weeks %s, not %s", got, want)
	}
}

// TestPlansAreChecked checks the errors of the file that plans are made from.
func TestPlansAreChecked(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{`"the-herd"`, `"the-flock"`, `plans.json: hour: there is no lesson "the-flock"`},
		{"45", "10", "plans.json: hour: minutes must be between 20 and 180, not 10"},
		{"14", "7", "plans.json: semester: without those that repeat, weeks must be between 7, one for each part, and"},
		{"14", "60", "plans.json: semester: without those that repeat, weeks must be between"},
		{`"repeat": 1`, `"repeat": -1`, "plans.json: semester: "},
		{`"weeks"`, `"months"`, `plans.json: json: unknown field "months"`},
	} {
		m := shelf(t)
		replace(t, m, "plans.json", c.old, c.new)
		if _, err := lessons.OpenFS(t.Context(), m); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: the error is %v, not %q", c.new, err, c.want)
		}
	}
}
