package lessons_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/lessons"
)

// TestLinesAreInTheOrderOfTheRun checks the lines of all lessons: each has its event in the run before that of the next
// line, also in the words. On the page they are shuffled, the same each time, and never right.
func TestLinesAreInTheOrderOfTheRun(t *testing.T) {
	b, again := open(t), open(t)
	found := 0
	for i := range b.Lessons {
		l := &b.Lessons[i]
		text, err := os.ReadFile(l.Slug + "/en.md")
		if err != nil {
			t.Fatal(err)
		}
		page, _ := b.Page(l.Slug, lessons.Source)
		second, _ := again.Page(l.Slug, lessons.Source)
		for n, s := range l.Steps {
			if s.Order == nil {
				continue
			}
			found++
			where := l.Slug + "/" + s.Anchor
			events, err := s.Order.Of(b.RunOf(l.Slug))
			if err != nil {
				t.Fatalf("%s: %v", where, err)
			}
			o := page.Steps[n].Order
			words := string(text)
			for k, line := range o.Answer {
				if line.Seq != events[k].Seq || line.Place != k+1 || k > 0 && line.Seq <= o.Answer[k-1].Seq {
					t.Errorf("%s: line %d, %s, is event %d", where, k+1, line.ID, line.Seq)
				}
				var ok bool
				if _, words, ok = strings.Cut(words, "\n- "+line.ID+": "); !ok {
					t.Errorf("%s: in the words, %s isn't below the line before it", where, line.ID)
				}
			}
			if slices.Equal(o.Lines, o.Answer) || !slices.Equal(o.Lines, second.Steps[n].Order.Lines) {
				t.Errorf("%s: the lines are shown as %+v", where, o.Lines)
			}
		}
	}
	if found < 3 {
		t.Errorf("%d steps have lines to put in order", found)
	}
}

// TestLinesOutOfOrderAreRefused checks lines that the run contradicts, and one of which it knows nothing.
func TestLinesOutOfOrderAreRefused(t *testing.T) {
	const facts = "two-believe/facts.json"
	for _, c := range []struct{ old, new, want string }{
		{`{"id": "ends", "kind": "session.expired", "client": 1}`, `{"id": "ends", "kind": "client.started", "client": 1}`,
			"step learns: order: line ends is at 0.0 s, and line paused at 8.0 s: it must come later"},
		{`{"id": "enters", "kind": "recipe.phase", "client": 2, "text": "holding"}`, `{"id": "enters", "kind": "znode.deleted"}`,
			"step learns: order: line enters is at 14.0 s, and line ends at 14.0 s: it must come later"},
		{`"kind": "session.expired", "client": 1`, `"kind": "session.expired", "client": 3`,
			"step learns: order: line ends: the run has no such event"},
	} {
		m := shelf(t)
		replace(t, m, facts, c.old, c.new)
		if _, err := lessons.OpenFS(context.Background(), m); err == nil || !strings.Contains(worded(err), c.want) {
			t.Errorf("%s: the error is %v, which does not say %q", c.new, err, c.want)
		}
	}
}

// TestAnyShuffleIsWrong reads a lesson with many seeds: whatever they draw, the lines aren't in their order.
func TestAnyShuffleIsWrong(t *testing.T) {
	drawn := map[string]bool{}
	for seed := range 200 {
		m := oneLesson(orders)
		replace(t, m, "one/facts.json", `"clients": 4`, fmt.Sprintf(`"clients": 4, "stagger": "2s", "seed": %d`, seed+1))
		b, err := lessons.OpenFS(context.Background(), m)
		if err != nil {
			t.Fatal(err)
		}
		page, _ := b.Page("one", lessons.Source)
		shown := ""
		for _, l := range page.Steps[1].Order.Lines {
			shown += l.ID
		}
		drawn[shown] = true
	}
	if len(drawn) != 23 || drawn["abcd"] {
		t.Errorf("four lines are shown in %d ways, in their order: %v", len(drawn), drawn["abcd"])
	}
}
