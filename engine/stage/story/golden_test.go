package story_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/stage/story"
	"github.com/zkviz/zkviz/engine/testing/golden"
)

// TestGoldenPlans compares the plans of three small runs, across and down, with testdata. A commit that changes one
// says why.
func TestGoldenPlans(t *testing.T) {
	for _, of := range []struct {
		name string
		run  func(testing.TB, uint64) *view.History
	}{{"chain", chain}, {"believers", believers}, {"ensemble", ensemble}} {
		h := of.run(t, 1)
		golden.Compare(t, "testdata/"+of.name+".txt", described(plan(h, false))+"\n"+described(plan(h, true)))
	}
}

// described writes a plan so that a person can read it.
func described(p *story.Plan) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("%.0f by %.0f, %s to %s, %d heartbeats, %d tries", p.Width, p.Height, sentence.Spell(p.From),
		sentence.Spell(p.To), p.Heartbeats, p.Polls)
	for _, l := range p.Lanes {
		line("lane %v %q at %.0f", l.Actor, l.Name.Text, l.At)
	}
	for _, x := range p.Pieces {
		if x.Folded {
			line("folded %q %.0f-%.0f", x.Says.Text, x.A, x.B)
		} else {
			line("stretch %v-%v %.0f-%.0f", x.From, x.To, x.A, x.B)
		}
	}
	for _, k := range p.Ticks {
		line("tick %q %.0f", k.Text.Text, k.At)
	}
	for _, x := range p.Bars {
		line("bar %v %v %s %v-%v %.0f-%.0f", x.Actor, x.Kind, x.Phase, x.From, x.To, x.A, x.B)
	}
	for _, m := range p.Messages {
		lost := ""
		if m.Lost {
			lost = " lost"
		}
		line("%d %v %v %v to %v%s %.0f,%.0f %.0f,%.0f", m.Seq, m.Look, m.Op, m.From, m.To, lost, m.X0, m.Y0, m.X1, m.Y1)
	}
	for _, m := range p.Marks {
		line("%d %v on %v %.0f,%.0f", m.Seq, m.Kind, m.Actor, m.X, m.Y)
	}
	for _, l := range p.Labels {
		line("word %q %.0f,%.0f", l.Text, l.X, l.Y)
	}
	for _, told := range p.Tell() {
		line("told %s", told)
	}
	return b.String()
}
