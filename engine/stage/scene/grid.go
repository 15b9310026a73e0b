package scene

import (
	"math"

	"github.com/zkviz/zkviz/engine/analysis/view"
)

// grid packs squares into a rectangle, as large as they fit.
type grid struct {
	rect
	cols int
	cell float64
}

func pack(n int, r rect, most float64) grid {
	if n <= 0 || r.w <= 0 || r.h <= 0 {
		return grid{rect: r, cols: 1, cell: 1}
	}
	cell := math.Sqrt(r.w * r.h / float64(n))
	for cell > 0.5 && int(r.w/cell)*int(r.h/cell) < n {
		cell *= 0.97
	}
	cell = min(cell, most)
	return grid{rect: r, cols: max(int(r.w/cell), 1), cell: cell}
}

// at returns the centre of square i.
func (g *grid) at(i int) (x, y float64) {
	return g.x + (float64(i%g.cols)+0.5)*g.cell, g.y + (float64(i/g.cols)+0.5)*g.cell
}

// planDot plans client i as a dot.
func (cs *clients) planDot(i int) {
	c, p := &cs.s.Clients[i], &cs.spots[i]
	cs.dots = append(cs.dots, dotPlan{index: i, name: c.Name, x: float32(p.x), y: float32(p.y), r: float32(p.r),
		look: cs.dotLook(i), selected: cs.o.Selected == c.Name})
}

func (cs *clients) dotLook(i int) dotLook {
	c := &cs.s.Clients[i]
	key, s := cs.status(i)
	switch {
	case cs.lit(i):
		return dotInside
	case deluded(c):
		return dotWrong
	case s == woken:
		return dotWoken
	case s == crashed || s == expired:
		return dotDead
	case s == paused || s == cut:
		return dotStopped
	case s == absent:
		return dotAbsent
	case key == "scene.waits":
		return dotWaits
	case (cs.visitors || cs.observed) && c.Belief.Phase == "": // silent, but connected
		return dotThere
	case c.Belief.Phase == "" || done(c):
		return dotAbsent
	}
	return dotWaits
}

// done reports whether a client has got what it came for.
func done(c *view.Client) bool { return c.Belief.Phase.Traits().Over }
