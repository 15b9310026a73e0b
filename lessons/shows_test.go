package lessons_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/stage/panes"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
	"github.com/zkviz/zkviz/lessons"
	uistrings "github.com/zkviz/zkviz/static/strings"
)

// A step's picture has the figures that its question or its words are about, and no others.
func TestFiguresOfSteps(t *testing.T) {
	want := map[string]string{
		"one-name-one-lock/race":        "zxid 8",
		"one-name-one-lock/inside":      "zxid 14",
		"one-name-one-lock/price":       "totals requests 42 · wakeups 15 · 10 for nothing",
		"fencing/price":                 "totals requests 14 · wakeups 1",
		"the-herd/price":                "totals requests 43 · wakeups 25 · 20 for nothing",
		"a-queue/price":                 "totals requests 15 · wakeups 5 · 2 for nothing",
		"sorted-by-the-clock/price":     "totals requests 31 · wakeups 2",
		"taken-but-not-done/done":       "totals requests 39 · wakeups 9 · 5 for nothing",
		"a-barrier/price":               "totals requests 16 · wakeups 4",
		"a-setting-for-all/all":         "totals requests 27 · wakeups 14",
		"counting-together/price":       "totals requests 19",
		"every-message/stays":           "totals requests 30 · wakeups 11",
		"a-write-asks-a-majority/price": "cost create 6",
		"who-wakes-the-waiter/silence":  "totals requests 14 · wakeups 3 · 2 for nothing",
		"who-wakes-the-waiter/polling":  "totals requests 14 · wakeups 3 · 2 for nothing",
		"who-wakes-the-waiter/list":     "totals requests 14 · wakeups 3",
		"who-wakes-the-waiter/etcd":     "totals requests 14 · wakeups 3 · 2 for nothing",
		"who-wakes-the-waiter/told":     "totals requests 14 · wakeups 3",
		"who-wakes-the-waiter/next":     "totals requests 14 · wakeups 3 · 2 for nothing",

		"two-commands-one-crash/overdue": "totals requests 10 · polls 8",
		"two-commands-one-crash/next":    "totals requests 20 · polls 17",
	}
	book, err := lessons.Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for i := range book.Lessons {
		l := &book.Lessons[i]
		for k := range l.Steps {
			name := l.Slug + "/" + l.Steps[k].Anchor
			if got := figuresOf(t, book.RunOf(l.Slug), &l.Steps[k]); got != want[name] {
				t.Errorf("%s: the picture has the figures %q, not %q: if its words are about them, change its row in this table",
					name, got, want[name])
			}
		}
	}
}

// figuresOf returns the marks of the figures in a step's picture.
func figuresOf(t *testing.T, r *lessons.Run, s *lessons.Step) string {
	t.Helper()
	state, pos, ok := r.StateAt(s.Anchor)
	if !ok {
		t.Fatalf("the run does not reach %s", s.Anchor)
	}
	var layout scene.Layout
	o := scene.Options{Width: 1024, Height: 576, Words: uistrings.English(), Without: mark.FiguresBut(s.Shows)}
	var figures []string
	for _, m := range layout.Plan(state, pos.At, o).Marks() {
		if len(mark.FiguresIn([]string{m.String()}).Names()) > 0 {
			figures = append(figures, m.String())
		}
	}
	slices.Sort(figures)
	return strings.Join(figures, "; ")
}

// TestPairsAreJudged checks that nothing stands above both of two runs, and that the rule that a step names stands
// above one of them; no rule does if it asks for none.
func TestPairsAreJudged(t *testing.T) {
	b, say := open(t), uistrings.English().Say
	for i := range b.Lessons {
		l := &b.Lessons[i]
		for k := range l.Steps {
			s := &l.Steps[k]
			lead, pair := s.Pair(b.RunOf(l.Slug))
			if lead == nil {
				continue
			}
			two := panes.Pictures(lead, pair, [2]string{}, s.Beside.Rule, say)
			if two[0].Verdict == two[1].Verdict && two[0].Verdict != "" {
				t.Errorf("%s/%s: %q stands above both", l.Slug, s.Anchor, two[0].Verdict)
			}
			ok, both := true, two[0].Verdict+two[1].Verdict
			switch rule := s.Beside.Rule; rule {
			case "":
			case lessons.NoRule:
				ok = both != "" && !strings.Contains(both, say("beside.kept", ""))
			default:
				ok = two[0].Broken || two[1].Broken || strings.Contains(both, say("rule."+rule))
			}
			if !ok {
				t.Errorf("%s/%s is about %q, but above the two stand %q and %q", l.Slug, s.Anchor, s.Beside.Rule,
					two[0].Verdict, two[1].Verdict)
			}
		}
	}
}

// TestPairsHaveTheirFocus checks that of two runs both stress what their step is about.
func TestPairsHaveTheirFocus(t *testing.T) {
	b := open(t)
	for i := range b.Lessons {
		l := &b.Lessons[i]
		for k := range l.Steps {
			s := &l.Steps[k]
			lead, pair := s.Pair(b.RunOf(l.Slug))
			if lead == nil {
				continue
			}
			two := panes.Pictures(lead, pair, [2]string{}, s.Beside.Rule, uistrings.English().Say)
			if !slices.Equal(two[0].Focus, s.Focus) || len(two[1].Focus) != len(s.Focus) {
				t.Errorf("%s/%s is about %q, and its pictures about %q and %q", l.Slug, s.Anchor, s.Focus, two[0].Focus,
					two[1].Focus)
			}
		}
	}
}
