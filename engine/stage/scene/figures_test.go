package scene_test

import (
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
)

// TestFigures checks that a picture leaves out the figures in Options.Without and groups the others in thousands.
func TestFigures(t *testing.T) {
	for _, c := range []struct {
		about []string
		want  string
	}{
		{nil, ""},
		{[]string{"watch B */lock", "zxid *"}, "zxid"},
		{[]string{"totals"}, "totals"},
		{[]string{"zxid *", "totals *"}, "zxid totals"},
		{[]string{"cost create *"}, "cost"},
	} {
		s := ensemble(queued("predecessor-lock", 3), 3)
		s.Counts.Requests, s.Zxid = 607_688, 3
		var layout scene.Layout
		o := scene.Options{Words: english, Width: 1024, Height: 576, Without: mark.FiguresBut(c.about)}
		var got []string
		for _, m := range layout.Plan(s, now, o).Marks() {
			if len(mark.FiguresIn([]string{m.String()}).Names()) > 0 {
				got = append(got, string(m.Kind))
			}
			if m.Kind == mark.Totals && !strings.Contains(m.Subject, "607,688") {
				t.Errorf("the totals are %q", m.Subject)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("about %q, the picture has the figures %q and not %q", c.about, got, c.want)
		}
		if names := strings.Join(mark.FiguresIn(c.about).Names(), " "); names != c.want {
			t.Errorf("the figures in %q are %q", c.about, names)
		}
	}
}

// TestTotalsAreThePoint checks that a step about totals shows them in place of the summary, and how often each client
// was woken, and that the Lab has both.
func TestTotalsAreThePoint(t *testing.T) {
	for name, c := range map[string]struct {
		without       mark.Figures
		summary, left bool
	}{
		"a step about totals": {mark.FiguresBut([]string{"totals"}), false, true},
		"another step":        {mark.FiguresBut(nil), true, false},
		"the Lab":             {0, true, false},
	} {
		s := queued("predecessor-lock", 3)
		s.Counts.Requests, s.Clients[1].Woken = 43, 4
		var layout scene.Layout
		summary, left, woken := false, false, ""
		o := scene.Options{Words: english, Width: 1024, Height: 576, Without: c.without}
		for _, m := range layout.Plan(s, now, o).Marks() {
			summary = summary || m.Kind == mark.Summary
			left = left || m.Kind == mark.Totals && m.X < 512
			if m.Kind == mark.Wakeups {
				woken += m.String() + ": " + m.Said
			}
		}
		if (woken == "wakeups B 4: wakeups 4") != c.left || !c.left && woken != "" {
			t.Errorf("%s: of the clients it says %q", name, woken)
		}
		if summary != c.summary || left != c.left {
			t.Errorf("%s: there's a summary: %t, and totals at the left: %t; want %t and %t",
				name, summary, left, c.summary, c.left)
		}
	}
}

// TestTotalsCountTheVain checks that the totals count the wakeups that let nobody in, where there is room.
func TestTotalsCountTheVain(t *testing.T) {
	for _, c := range []struct {
		wasted int
		width  float64
		want   string
	}{
		{2, 1024, "requests 43 · wakeups 3 · 2 for nothing"}, {0, 1024, "requests 43 · wakeups 3"},
		{2, 240, "requests 43 · wakeups 3"},
	} {
		s := queued("predecessor-lock", 3)
		s.Counts.Requests, s.Clients[1].Woken, s.Wakeups.Wasted = 43, 3, c.wasted
		var layout scene.Layout
		o := scene.Options{Words: english, Width: c.width, Height: 576, Without: mark.FiguresBut([]string{"totals"})}
		got := ""
		for _, m := range layout.Plan(s, now, o).Marks() {
			if m.Kind == mark.Totals {
				got = strings.TrimPrefix(m.String(), "totals ")
			}
		}
		if got != c.want {
			t.Errorf("%d wasted, %g wide: the totals are %q, not %q", c.wasted, c.width, got, c.want)
		}
	}
}

// TestUnmetTerms checks that a picture leaves out the terms that its reader hasn't met: nothing is drawn for them, and
// the rest of the picture stays.
func TestUnmetTerms(t *testing.T) {
	s := ensemble(queued("predecessor-lock", 3), 4)
	kinds := func(shows []string) map[mark.Kind]bool {
		var layout scene.Layout
		o := scene.Options{Words: english, Width: 1024, Height: 576, Without: mark.FiguresBut(shows)}
		got := map[mark.Kind]bool{}
		for _, m := range layout.Plan(s, now, o).Marks() {
			got[m.Kind] = true
		}
		return got
	}
	all, none := kinds(nil), kinds(mark.UnmetTerms(nil))
	for _, k := range []mark.Kind{mark.Session, mark.Mode, mark.Server, mark.Epoch, mark.Whose, mark.Vote, mark.Agree} {
		if none[k] {
			t.Errorf("the picture has a mark of kind %s, a term that isn't met yet", k)
		}
	}
	if !all[mark.Session] || !all[mark.Mode] || !all[mark.Server] || !none[mark.Node] || !none[mark.Client] {
		t.Errorf("with all terms the picture has %v, without them %v", all, none)
	}
	named := []string{"session A *", "mode */x ephemeral", "version */x 1", "server server-1 S1", "vote server-1 1 *"}
	votes := kinds([]string{"not vote"})
	if votes[mark.Vote] || votes[mark.Agree] || !votes[mark.Server] || !all[mark.Vote] {
		t.Errorf("without votes the picture has %v, with all terms %v", votes, all)
	}
	if unmet := mark.UnmetTerms(named); unmet != nil {
		t.Errorf("all terms are named, but %q are unmet", unmet)
	}
}
