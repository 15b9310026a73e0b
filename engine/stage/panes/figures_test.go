package panes_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/panes"
)

// TestFiguresWhereNobodyGetsIn checks the counts of a recipe in which clients report no beliefs.
func TestFiguresWhereNobodyGetsIn(t *testing.T) {
	const in, vain, change = "times somebody got in", "wakeups for nothing", "wakeups by a change"
	for recipe, want := range map[string][]string{"first-steps": {change}, "children-lock": {in, vain}} {
		f, say := history(t, recipe, 0), say(t)
		s := f.StateAtSeq(event.Seq(f.Len()))
		var got []string
		for _, c := range panes.Counts(s, say) {
			if slices.Contains([]string{in, vain, change}, c.Name) {
				got = append(got, c.Name)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s counts %q, want %q", recipe, got, want)
		}
		judged := recipe != "first-steps"
		if c := panes.NewChart(s, say); strings.Contains(c.Text, "for nothing") != judged {
			t.Errorf("%s: the chart says %q", recipe, c.Text)
		}
		in := text(panes.Inspect(s, s.At, "client-2", "", say))
		for _, about := range []string{"believes", "in truth", "fencing number", "for nothing"} {
			if strings.Contains(in, about) != judged {
				t.Errorf("%s: of a client it says %q", recipe, in)
			}
		}
	}
}

func text(in panes.Inspected) string {
	var b strings.Builder
	for _, f := range in.Facts {
		b.WriteString(f.Name + ": " + f.Value + "\n")
	}
	return b.String()
}
