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
