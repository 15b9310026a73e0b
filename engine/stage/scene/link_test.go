package scene_test

import (
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
)

// TestLinkOfAnExpiredSession checks that a client's connection looks dead from the end of its session until it has
// another: dashed in one piece, without the dot on ZooKeeper's edge, and without scissors, because nobody cut it.
func TestLinkOfAnExpiredSession(t *testing.T) {
	for name, c := range map[string]struct {
		change             func(c *view.Client)
		dashed, dot, wound bool
	}{
		"alive":                      {func(*view.Client) {}, false, true, false},
		"broken":                     {func(c *view.Client) { c.Linked, c.Cut = false, true }, true, false, true},
		"expired, and unaware of it": {func(c *view.Client) { c.Ended = view.Expired }, true, false, false},
		"expired, connecting":        {func(c *view.Client) { c.Ended, c.Linked, c.Cut = view.Expired, false, true }, true, false, false},
		"expired behind a cut": {func(c *view.Client) {
			c.Ended, c.Linked, c.Cut, c.CutUntil = view.Expired, false, true, now+time.Minute
		}, true, false, true},
	} {
		s := queued("predecessor-lock", 3)
		c.change(&s.Clients[1])
		var f scene.Frame
		o := scene.Options{Words: english, Width: 1280, Height: 720, Theme: display.Light()}
		f.Draw(s, now, o)
		link := f.Parts[slices.IndexFunc(f.Parts, func(h display.Hit) bool { return h.ID == "client-2" && h.Part == display.LinkPart })]
		x, dashed, dot := link.X+link.W/2, false, false
		for _, op := range f.Ops {
			dashed = dashed || op.Kind == display.Line && op.Dash > 0 && op.X == x && op.X3 == x
			dot = dot || op.Kind == display.Circle && op.X == x && op.R < 6 && op.Fill == o.Theme.Edge
		}
		if dashed != c.dashed || dot != c.dot {
			t.Errorf("%s: its link is dashed %v, with a dot %v", name, dashed, dot)
		}
		wound := slices.ContainsFunc(planOf(s, o).Marks(), func(m mark.Mark) bool { return m.Kind == mark.Cut && m.Subject == "B" })
		if wound != c.wound {
			t.Errorf("%s: its link has scissors %v", name, wound)
		}
	}
}
