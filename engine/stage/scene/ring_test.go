package scene_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
)

// waiting returns a queue in which each client waits for the one ahead and, if it closes, the first for its own second
// znode at the end.
func waiting(n int, closes bool) *view.State {
	s := view.NewFor(headerOf("predecessor-lock"))
	apply := func(e event.Event) {
		e.Seq, e.At = s.Seq+1, s.At+time.Millisecond
		s.Apply(e)
	}
	apply(event.Event{Kind: event.RunStarted, Path: root})
	apply(event.Event{Kind: event.ZnodeCreated, Path: root, Mode: uint8(zoo.Persistent)})
	for i := range n + 1 {
		who := event.Actor(i%n + 1)
		if i < n {
			apply(event.Event{Kind: event.ClientStarted, Actor: who})
			apply(event.Event{Kind: event.SessionCreated, Peer: who, Session: int64(who), N: int64(10 * time.Second)})
			apply(event.Event{Kind: event.ConnOpened, Actor: who, Session: int64(who)})
		} else if !closes {
			break
		}
		apply(event.Event{Kind: event.ZnodeCreated, Path: lockPath(0, i), Peer: who, Session: int64(who),
			Mode: uint8(zoo.EphemeralSequential)})
		if i > 0 {
			apply(event.Event{Kind: event.WatchSet, Peer: who, Path: lockPath(0, i-1), Watch: event.DataWatch})
			apply(event.Event{Kind: event.ClientBlocked, Actor: who, Path: lockPath(0, i-1)})
		}
	}
	s.Tree.Order()
	return s
}

// TestRing checks that clients that wait for each other are drawn and told as a ring in every picture that has their
// letters, and that a chain that doesn't close isn't.
func TestRing(t *testing.T) {
	for _, n := range []int{1, 2, 3, 6, 14} {
		for _, o := range views {
			for _, closes := range []bool{false, true} {
				s := waiting(n, closes)
				var f scene.Frame
				f.Draw(s, s.At+time.Second, o)
				text, arrows := tell(s, s.At+time.Second, o), 0
				for _, m := range planOf(s, o).Marks() {
					if m.Kind == mark.Ring {
						arrows++
						if how := f.Hidden(m); how != "" {
							t.Errorf("%d clients, %.0f×%.0f: %v: %s", n, o.Width, o.Height, m, how)
						}
					}
				}
				letters := slices.ContainsFunc(f.Ops, func(op display.Op) bool { return op.Kind == display.Text && op.Text == "A" })
				if want := n; arrows != want && closes && letters || arrows > 0 && !closes {
					t.Errorf("%d clients, closed: %v, %.0f×%.0f: %d arrows", n, closes, o.Width, o.Height, arrows)
				}
				if said := strings.Contains(text, "move"); said != closes {
					t.Errorf("%d clients, closed: %v, %.0f×%.0f: %s", n, closes, o.Width, o.Height, text)
				}
			}
		}
	}
}

func planOf(s *view.State, o scene.Options) *scene.Plan {
	var layout scene.Layout
	return layout.Plan(s, s.At+time.Second, o)
}

// TestRingOfAHealthyClientIsQuiet checks that the ring of a session is faint while its client is heard of in time,
// unless a step is about the client or it is selected.
func TestRingOfAHealthyClientIsQuiet(t *testing.T) {
	heard := func(ago time.Duration) func(*view.Client) {
		return func(c *view.Client) { c.Heard = now - ago }
	}
	for name, c := range map[string]struct {
		change   func(*view.Client)
		focus    []string
		selected string
		faint    bool
	}{
		"just heard":     {heard(0), nil, "", true},
		"half way":       {heard(5 * time.Second), nil, "", true},
		"nearly over":    {heard(7 * time.Second), nil, "", false},
		"in focus":       {heard(0), []string{"client-2"}, "", false},
		"another is":     {heard(0), []string{"client-1"}, "", true},
		"selected":       {heard(0), nil, "client-2", false},
		"paused":         {func(c *view.Client) { c.Paused = true }, nil, "", false},
		"crashed":        {func(c *view.Client) { c.Crashed = true }, nil, "", false},
		"cut off":        {func(c *view.Client) { c.Linked, c.Cut = false, true }, nil, "", false},
		"behind the cut": {func(c *view.Client) { c.CutUntil = now + time.Minute }, nil, "", false},
	} {
		s := queued("predecessor-lock", 3)
		c.change(&s.Clients[1])
		var f scene.Frame
		theme := display.Light()
		f.Draw(s, now, scene.Options{Words: english, Width: 1280, Height: 720, Theme: theme, Still: true, Focus: c.focus,
			Selected: c.selected})
		own := theme.Of(1)
		arc := func(colour display.Colour) bool {
			return slices.ContainsFunc(f.Ops, func(o display.Op) bool { return o.Kind == display.Arc && o.Stroke == colour })
		}
		if faint, full := arc(own.Fade(0.4)), arc(own); faint != c.faint || full == c.faint {
			t.Errorf("%s: its ring is faint: %v, full: %v", name, faint, full)
		}
	}
}
