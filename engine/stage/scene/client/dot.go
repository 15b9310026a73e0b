package client

import (
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/stage/scene/floor"
)

// planDot plans client i as a dot.
func (cs *Clients) planDot(i int) {
	f := cs.f
	c, p := &f.State.Clients[i], &f.Spots[i]
	cs.Dots = append(cs.Dots, dotPlan{Index: i, Name: c.Name, x: float32(p.X), y: float32(p.Y), r: float32(p.R),
		Look: cs.dotLook(i), Selected: f.Options.Selected == c.Name})
}

func (cs *Clients) dotLook(i int) dotLook {
	f := cs.f
	c := &f.State.Clients[i]
	key, s := f.Status(i)
	switch {
	case f.Lit(i):
		return DotInside
	case floor.Deluded(c):
		return DotWrong
	case s == floor.Woken:
		return DotWoken
	case s == floor.Crashed:
		return DotDead
	case s == floor.Paused || s == floor.Cut:
		return DotStopped
	case s == floor.Absent:
		return DotAbsent
	case key == "scene.waits":
		return DotWaits
	case (f.Visitors || f.Observed) && c.Belief.Phase == "": // silent, but connected
		return DotThere
	case c.Belief.Phase == "" || done(c):
		return DotAbsent
	}
	return DotWaits
}

// done reports whether a client has got what it came for.
func done(c *view.Client) bool { return c.Belief.Phase.Traits().Over }
