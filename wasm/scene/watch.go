package scene

import (
	"math"

	"github.com/zkviz/zkviz/engine/view"
)

// routing is how lines find their way from the clients to the znodes without crossing the cards: through the
// gutters between the columns.
type routing struct {
	rows, cols          int
	left, pitch         float64
	cardTop, cardBottom float64
	words               float64
	solo                bool // one card alone: nothing is in the way
	tree                bool // lines arrive from the right
	treeX, treeStep     float64
	fine                bool // many lines: thin ones, small pulses
	free                bool // cards stand anywhere in one row: lines take the gap nearest to them
}

// maxEyes is the most watches at one znode that have an eye each.
const maxEyes = 14

// route is the line from client i to the znode at target, which has the given slot or -1. n is how many lines
// end there.
func (f *Frame) route(i int, target rect, slot int32, out *path) bool {
	p := &f.spots[i]
	if p.r <= 0 || p.dot {
		return false
	}
	out.n = 0
	switch {
	case f.routes.tree:
		f.routeTree(i, p, target, out)
	case slot >= 0 && f.routes.rows == 1, f.routes.solo && f.routes.rows == 1:
		x := f.landing(i, target, slot)
		sx, sy := f.takeOff(p, x)
		out.add(upright(sx, sy, x, target.bottom()+f.eyeR()))
	case f.routes.free && slot >= 0:
		x := target.midX()
		sx, sy := f.takeOff(p, x)
		out.add(upright(sx, sy, x, target.bottom()+f.eyeR()))
	default:
		f.routeGutter(i, p, target, slot, out)
	}
	return true
}

func (f *Frame) eyeR() float64 {
	return min(max(4, 5.5*f.m.k), max(3, f.routes.pitch*0.12))
}

// takeOff is where a line leaves a client on its way to x.
func (f *Frame) takeOff(p *spot, x float64) (sx, sy float64) {
	ring := ringOf(p.r) + 2
	a := 0.5
	if math.Abs(x-p.x) < 2 {
		a = 0.12
	}
	if x < p.x {
		a = -a
	}
	return p.x + ring*math.Sin(a), p.y - ring*math.Cos(a)
}

// landing is where on the lower edge of the target the line of client i ends.
func (f *Frame) landing(i int, target rect, slot int32) float64 {
	p := &f.spots[i]
	if slot >= 0 { // towards the watcher, out of the owner's way
		if p.x > target.midX() {
			return target.midX() + target.w*0.27
		}
		return target.midX() - target.w*0.27
	}
	n, k := max(len(f.slots), 2), float64(p.slot)
	if f.routes.free {
		n, k = max(len(f.s.Clients), 2), float64(p.col)
	}
	if n > maxEyes*2 {
		return target.midX()
	}
	step := min(2.3*f.eyeR(), target.w*0.9/float64(n))
	return target.midX() + (k-float64(n-1)/2)*step
}

// routeGutter leads a line up the gutter beside the client's column.
func (f *Frame) routeGutter(i int, p *spot, target rect, slot int32, out *path) {
	g := &f.routes
	x := f.landing(i, target, slot)
	col := float64(p.col)
	if x > p.x {
		col++
	}
	if g.free {
		col = min(max(math.Round((p.x-g.left)/g.pitch), 0), float64(g.cols))
	}
	if slot >= 0 && g.rows > 1 { // the gutter on the right of the target's column, or on its left
		col = float64(p.col)
		if tc := float64(int(slot) % g.cols); tc > col {
			col++
		}
	}
	gx := g.left + col*g.pitch
	if g.free {
		gx -= max(5, 10*f.m.k) / 2 // cards begin at the left of their column
	}
	gx += float64(i%3-1) * min(2.5*f.m.k, g.pitch*0.05)
	low := f.box.bottom()
	if g.rows == 1 {
		sx, sy := f.takeOff(p, gx)
		out.add(upright(sx, sy, gx, low-2))
	} else {
		ring := ringOf(p.r)
		side := ring * 0.8
		if gx < p.x {
			side = -side
		}
		out.add(cubic{p.x + side, p.y - ring*0.62, gx, p.y - ring*0.8, gx, p.y - ring, gx, p.y - ring*1.4})
		out.add(straight(gx, p.y-ring*1.4, gx, low-2))
	}
	end := target.bottom() + f.eyeR()
	if slot >= 0 {
		if end < low-6 {
			out.add(straight(gx, low-2, gx, end+4))
			out.add(cubic{gx, end + 4, gx, end, x, end + 4, x, end})
		} else {
			out.add(cubic{gx, low - 2, gx, end, x, low, x, end})
		}
		return
	}
	turn := min(g.cardTop-1, low-3)
	out.add(straight(gx, low-2, gx, turn))
	out.add(cubic{gx, turn, gx, mix(turn, end, 0.7), x, mix(turn, end, 0.45), x, end})
}

// each calls do for every watch that can be seen, with its line.
func (f *Frame) each(do func(f *Frame, i int, w *view.Watch, p *path)) {
	for k := range f.s.Watches {
		w := &f.s.Watches[k]
		i := f.client(w.Client)
		if i < 0 || f.spots[i].dot || w.Over && f.at >= w.OverAt+w.Flight+trailFor+nominal {
			continue
		}
		target, slot, ok := f.find(w.Path)
		if ok && f.route(i, target, slot, &f.way) {
			do(f, i, w, &f.way)
		}
	}
}

func (f *Frame) drawWatchLines() { f.each((*Frame).drawWatchLine) }
func (f *Frame) drawWatchEnds()  { f.each((*Frame).drawWatchEnd) }

// fired is how far a fired watch's event has come, and how much of its line is still seen.
func (f *Frame) fired(w *view.Watch) (part, alpha float64) {
	d := w.Flight
	if d <= 0 {
		d = nominal
	}
	if f.o.Still {
		if f.at < w.OverAt+d {
			return 0.5, 1
		}
		return 1, 0
	}
	part = f.passed(w.OverAt, d)
	if part < 1 {
		return part, 1
	}
	return 1, 1 - f.passed(w.OverAt+d, trailFor)
}

// drawWatchLine draws an armed watch as a dotted line, a fired one as a strong line that fades.
func (f *Frame) drawWatchLine(i int, w *view.Watch, p *path) {
	colour := f.t.client(i)
	name := f.s.Clients[i].Name
	switch {
	case !w.Over:
		a := 0.35 + 0.65*f.passed(w.Set, growFor)
		width := f.m.line
		if f.o.Selected == name {
			width *= 1.7
		}
		f.stroke(p, pen{colour: colour.Fade(a), width: width, dash: max(1.5, 2*f.m.k), gap: max(3, 4.5*f.m.k)})
	case w.Fired:
		_, alpha := f.fired(w)
		if alpha > 0 {
			f.stroke(p, pen{colour: f.t.Signal.Fade(alpha), width: f.m.line * 1.25})
		}
	default:
		if a := 1 - f.passed(w.OverAt, trailFor); a > 0 {
			f.stroke(p, pen{colour: f.t.Grey.Fade(a), width: f.m.line, dash: 1, gap: 6})
		}
	}
}

// drawWatchEnd draws the eye of an armed watch, the pulse of a fired one.
func (f *Frame) drawWatchEnd(i int, w *view.Watch, p *path) {
	r := f.eyeR()
	if !w.Over {
		x, y := p.at(1)
		f.eye(x, y, r*ease(0.3+0.7*f.passed(w.Set, growFor)), f.t.client(i))
		return
	}
	if !w.Fired {
		return
	}
	part, _ := f.fired(w)
	if part >= 1 {
		return
	}
	x, y := p.at(1 - part)
	if r := max(5, 8.5*f.m.k); !f.routes.fine {
		f.pulse(x, y, r)
	} else {
		f.circle(x, y, max(2.5, r*0.45), f.t.Signal, pen{colour: f.t.Paper, width: 1})
	}
}

// pulse is a watch event on its way.
func (f *Frame) pulse(x, y, r float64) {
	f.circle(x, y, r, f.t.Signal, pen{colour: f.t.Paper, width: max(1, 1.5*f.m.k)})
	f.bang(x, y, r, pen{colour: f.t.OnSig, width: max(1.4, r*0.26)})
}
