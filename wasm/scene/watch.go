package scene

import (
	"github.com/zkviz/zkviz/engine/view"
)

// maxEyes is the most watches at one znode that have an eye each.
const maxEyes = 14

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
		a := 0.35 + 0.65*f.grown(w.Set)
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
		f.eye(x, y, r*ease(0.3+0.7*f.grown(w.Set)), f.t.client(i))
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
