package scene_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
)

// TestMarksAreDrawn checks the marks of all pictures: something is drawn at each, and the table has its kind.
func TestMarksAreDrawn(t *testing.T) {
	seen := map[mark.Kind]bool{}
	check := func(name string, s *view.State, o scene.Options, m *moment) {
		var layout scene.Layout
		var f scene.Frame
		at := now
		if m != nil {
			at = m.at
		}
		f.Clear(o.Width, o.Height, o.Theme.Paper)
		plan := layout.Plan(s, at, o)
		f.Paint(plan, 0, 0)
		for _, m := range plan.Marks() {
			seen[m.Kind] = true
			if !mark.Pattern(m.String()) {
				t.Errorf("%s: there is no kind %q", name, m.Kind)
			}
			if how := f.Hidden(m); how == "nothing is drawn for it" || how == "it is cut off" {
				t.Errorf("%s, %.0f×%.0f: %v: %s", name, o.Width, o.Height, m, how)
			}
		}
	}
	for name, s := range fixtures() {
		for _, o := range views {
			check(name, s, o, nil)
		}
	}
	moments(t, 12, func(m *moment) {
		for _, o := range views {
			check(m.String(), m.state, o, m)
			o.Without = mark.FiguresBut([]string{"totals"})
			check(m.String(), m.state, o, m)
		}
	})
	for _, k := range mark.Kinds() {
		if !seen[k] {
			t.Errorf("no picture shows %q", k)
		}
	}
}

func TestMarkPatterns(t *testing.T) {
	m := mark.Mark{Kind: mark.Watch, Subject: "B", Value: "/q/lock-0000000001"}
	for pattern, is := range map[string]bool{
		"watch B /q/lock-0000000001": true, "watch B *": true, "watch * *01": true, "*": true, "watch B *lock*": true,
		"watch A *": false, "watch B": false, "watch B *02": false, "told B *": false, "": false,
	} {
		if m.Is(pattern) != is {
			t.Errorf("%v is %q: %v", m, pattern, !is)
		}
	}
	for pattern, known := range map[string]bool{"watch B *": true, "zxid *": true, "eye B": false, "": false} {
		if mark.Pattern(pattern) != known {
			t.Errorf("%q has a known kind: %v", pattern, !known)
		}
	}
}

// TestHiddenMarks checks that a mark is hidden if it lies outside, isn't drawn, or is covered.
func TestHiddenMarks(t *testing.T) {
	panel := display.Op{Kind: display.Rect, X: 10, Y: 10, W: 20, H: 20, Fill: 0xff}
	glass := display.Op{Kind: display.Rect, X: 0, Y: 0, W: 90, H: 90, Fill: 0x20}
	lid := display.Op{Kind: display.Rect, X: 5, Y: 0, W: 90, H: 90, Fill: 0xff}
	for _, c := range []struct {
		name, how string
		mark      mark.Mark
		ops       []display.Op
	}{
		{"it is there", "", mark.Mark{X: 10, Y: 10, W: 20, H: 20}, []display.Op{lid, panel, glass}},
		{"it is covered", "something lies over it", mark.Mark{X: 10, Y: 10, W: 20, H: 20}, []display.Op{panel, lid}},
		{"it is elsewhere", "nothing is drawn for it", mark.Mark{X: 60, Y: 60, W: 20, H: 20}, []display.Op{panel}},
		{"it is outside", "it is cut off", mark.Mark{X: 90, Y: 10, W: 20, H: 20}, []display.Op{panel}},
	} {
		f := scene.Frame{Width: 100, Height: 100, List: display.List{Ops: c.ops}}
		if how := f.Hidden(c.mark); how != c.how {
			t.Errorf("%s: %q", c.name, how)
		}
	}
}

// TestWhatClientsHave draws what a client has read, has not read, and will wait for.
func TestWhatClientsHave(t *testing.T) {
	marks := func(s *view.State) (list []string) {
		var layout scene.Layout
		o := scene.Options{Words: english, Width: 1024, Height: 576, Theme: display.Light()}
		for _, m := range layout.Plan(s, now, o).Marks() {
			list = append(list, m.String())
		}
		return list
	}
	s := tree(3)
	s.Clients[0].Belief = view.Belief{Phase: program.Published, Path: "/app/config", Fence: 5}
	s.Clients[1].Belief = view.Belief{Phase: program.Saw, Path: "/app/config", Fence: 3}
	s.Clients[1].Linked, s.Clients[2].Linked = true, true
	s.Clients[2].CutUntil = now + 1
	s.Clients[2].Belief = view.Belief{Phase: program.Holding, Times: 2}
	got := marks(s)
	for _, want := range []string{"unread B 2", "cut C", "holds C 2", "version /app/config 3"} {
		if !slices.Contains(got, want) {
			t.Errorf("there is no %q among %s", want, strings.Join(got, ", "))
		}
	}
}
