package scene

import (
	"slices"

	"github.com/zkviz/zkviz/engine/analysis/view"
)

// maxEyes is the maximum number of watches at a znode that have an eye each.
const maxEyes = 14

// planWatches plans every visible watch with its line.
func (l *Layout) planWatches() {
	for k := range l.s.Watches {
		w := &l.s.Watches[k]
		i := l.client(w.Client)
		if i < 0 || l.spots[i].dot || l.faded(w) {
			continue
		}
		target, ok := l.goal(i, w.Path, w.Over)
		if !ok {
			continue
		}
		p := added(&l.p.watches)
		p.client = i
		if !l.route(i, target, &p.way) {
			l.p.watches = l.p.watches[:len(l.p.watches)-1]
			continue
		}
		l.planWatch(w, p)
	}
}

// faded reports whether a watch is no longer visible.
func (l *Layout) faded(w *view.Watch) bool {
	return w.Over && l.at >= w.OverAt+w.Flight+trailFor+nominal
}

// planWatch plans the end of a watch: the eye of an armed one, or the notification of a fired one.
func (l *Layout) planWatch(w *view.Watch, p *watchPlan) {
	switch {
	case !w.Over:
		grown := l.grown(w.Set)
		p.look, p.alpha, p.selected = armedWatch, 0.35+0.65*grown, l.o.Selected == l.s.Clients[p.client].Name
		p.eye = l.eyeR() * ease(0.3+0.7*grown)
		x, y := p.way.at(1)
		l.shows(WatchMark, letter(p.client), w.Path, around(x, y, p.eye))
	case w.Fired:
		var part float64
		p.look = firedWatch
		if part, p.alpha = l.fired(w); part < 1 {
			p.pulse = true
			l.pulse(p, part)
			l.shows(ToldMark, letter(p.client), w.Path, around(p.x, p.y, pulseR(&l.m, l.routes.fine)))
		}
	default:
		p.look, p.alpha = removedWatch, 1-l.passed(w.OverAt, trailFor)
	}
}

// pulse moves the notification of a fired watch on until it doesn't overlap another one.
func (l *Layout) pulse(p *watchPlan, part float64) {
	r := pulseR(&l.m, l.routes.fine) * 1.8
	before := l.p.watches[:len(l.p.watches)-1]
	if len(before) > maxEyes {
		before = before[len(before)-maxEyes:]
	}
	for range maxEyes {
		p.x, p.y = p.way.at(1 - part)
		meets := slices.ContainsFunc(before, func(o watchPlan) bool { return o.pulse && dist(o.x-p.x, o.y-p.y) < r })
		if part >= 0.95 || !meets {
			return
		}
		part += 0.05
	}
}

// pulseR returns the radius of a watch's notification.
func pulseR(m *metrics, fine bool) float64 {
	if r := max(5, 8.5*m.k); !fine {
		return r
	}
	return max(2.5, max(5, 8.5*m.k)*0.45)
}

// fired returns how far a fired watch's notification has come, and the opacity of its line.
func (l *Layout) fired(w *view.Watch) (part, alpha float64) {
	d := flight(w.Flight)
	if l.o.Still {
		if l.at < w.OverAt+d {
			return 0.5, 1
		}
		return 1, 0
	}
	part = l.passed(w.OverAt, d)
	if part < 1 {
		return part, 1
	}
	return 1, 1 - l.passed(w.OverAt+d, trailFor)
}
