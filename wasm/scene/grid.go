package scene

import (
	"math"

	"github.com/zkviz/zkviz/engine/view"
)

// grid packs n squares into a rectangle as large as they go, at most most px.
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

// at is the centre of square i.
func (g *grid) at(i int) (x, y float64) {
	return g.x + (float64(i%g.cols)+0.5)*g.cell, g.y + (float64(i/g.cols)+0.5)*g.cell
}

// drawDot draws a client too small for a letter. Its shape says what is up: full waits, large and ringed is
// inside, a ring is not in the queue, a cross is dead.
func (f *Frame) drawDot(i int) {
	c, p := &f.s.Clients[i], &f.spots[i]
	_, s := f.status(i)
	r := p.r
	switch {
	case f.lit(c):
		f.circle(p.x, p.y, r*1.5, f.t.Accent, pen{colour: f.t.Paper, width: max(0.8, r*0.3)})
	case deluded(c):
		f.circle(p.x, p.y, r*1.4, f.t.Card, pen{colour: f.t.Signal, width: max(1.2, r*0.5)})
	case s == woken:
		f.circle(p.x, p.y, r, f.t.Signal, pen{})
	case s == crashed || s == expired:
		f.cross(p.x, p.y, r*0.7, pen{colour: f.t.Soft, width: max(0.8, r*0.4)})
	case s == paused || s == cut:
		f.circle(p.x, p.y, r*0.9, f.t.Card, pen{colour: f.t.Ink, width: max(0.8, r*0.4)})
	case s == absent || c.Belief.Phase == "" || done(c):
		f.circle(p.x, p.y, r*0.8, 0, pen{colour: f.t.Grey, width: max(0.7, r*0.3)})
	default:
		f.circle(p.x, p.y, r*0.9, f.t.Soft, pen{})
	}
	if f.o.Selected == c.Name {
		f.circle(p.x, p.y, r*2, 0, pen{colour: f.t.Ink, width: 1.5})
	}
	side := max(r*2.4, 3)
	f.hit(c.Name, rect{p.x - side/2, p.y - side/2, side, side})
}

// done reports whether a client has had what it came for.
func done(c *view.Client) bool {
	switch c.Belief.Phase {
	case "released", "lost", "passed":
		return true
	}
	return false
}
