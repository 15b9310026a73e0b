package scene_test

import (
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
)

// TestLinkOfAnExpiredSession checks that a client's connection looks dead from the end of its session until it has
// another: dashed, without the dot on ZooKeeper's edge, and with scissors only if it's broken and nobody mends it.
func TestLinkOfAnExpiredSession(t *testing.T) {
	expired := func(c *view.Client) { c.Ended = view.Expired }
	broken := func(c *view.Client) { c.Linked, c.Cut, c.Closed = false, true, event.ConnHungUp }
	told := func(c *view.Client) { c.Closed = event.BySessionExpired }
	severed := func(c *view.Client) { c.CutUntil = now + time.Minute }
	both := func(all ...func(*view.Client)) func(*view.Client) {
		return func(c *view.Client) {
			for _, change := range all {
				change(c)
			}
		}
	}
	for name, c := range map[string]struct {
		change                func(c *view.Client)
		connects              bool
		dashed, dot, scissors bool
	}{
		"alive":         {func(*view.Client) {}, false, false, true, false},
		"broken":        {broken, false, true, false, true},
		"expired":       {expired, false, true, false, false},
		"then hung up":  {both(expired, broken), false, true, false, true},
		"then it calls": {both(expired, broken), true, true, false, false},
		"then told":     {both(expired, broken, told), false, true, false, false},
		"behind a cut":  {both(expired, broken, severed), true, true, false, true},
	} {
		s := queued("predecessor-lock", 3)
		c.change(&s.Clients[1])
		if c.connects {
			s.Flights.List = append(s.Flights.List,
				view.Flight{From: 2, Op: event.Connect, Sent: now - 100*time.Millisecond, Takes: time.Second})
		}
		var f scene.Frame
		o := scene.Options{Words: english, Width: 1280, Height: 720, Theme: display.Light()}
		f.Draw(s, now, o)
		link := f.Parts[slices.IndexFunc(f.Parts, func(h display.Hit) bool {
			return h.ID == "client-2" && h.Part == display.LinkPart
		})]
		x, dashed, dot := link.X+link.W/2, false, false
		for _, op := range f.Ops {
			dashed = dashed || op.Kind == display.Line && op.Dash > 0 && op.X == x && op.X3 == x
			dot = dot || op.Kind == display.Circle && op.X == x && op.R < 6 && op.Fill == o.Theme.Edge
		}
		if dashed != c.dashed || dot != c.dot {
			t.Errorf("%s: its link is dashed %v, with a dot %v", name, dashed, dot)
		}
		scissors := slices.ContainsFunc(planOf(s, o).Marks(), func(m mark.Mark) bool {
			return m.Kind == mark.Cut && m.Subject == "B"
		})
		if scissors != c.scissors {
			t.Errorf("%s: its link has scissors %v", name, scissors)
		}
	}
}
