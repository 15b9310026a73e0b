package scene

import (
	"slices"

	"github.com/zkviz/zkviz/engine/analysis/view"
)

// maxEyes is the maximum number of watches at a znode that have an eye each.
const maxEyes = 14

// watches plans the watches and their lines.
type watches struct {
	*floor
	lines    []watchPlan
	watchers []bool // by client: it watches the znode that a line leads to
}

func (ws *watches) begin() { ws.lines = ws.lines[:0] }

// planWatches plans every visible watch with its line.
func (ws *watches) planWatches() {
	for k := range ws.s.Watches {
		w := &ws.s.Watches[k]
		i := ws.client(w.Client)
		if i < 0 || ws.spots[i].dot || ws.faded(w) {
			continue
		}
		target, ok := ws.goal(i, w.Path, w.Over)
		if !ok {
			continue
		}
		p := added(&ws.lines)
		p.client = i
		if !ws.route(i, target, &p.way) {
			ws.lines = ws.lines[:len(ws.lines)-1]
			continue
		}
		ws.planWatch(w, p)
	}
}

// faded reports whether a watch is no longer visible.
func (g *setting) faded(w *view.Watch) bool {
	return w.Over && g.at >= w.OverAt+w.Flight+trailFor+nominal
}

// planWatch plans the end of a watch: the eye of an armed one, or the notification of a fired one.
func (ws *watches) planWatch(w *view.Watch, p *watchPlan) {
	switch {
	case !w.Over:
		grown := ws.grown(w.Set)
		p.look, p.alpha, p.selected = armedWatch, 0.35+0.65*grown, ws.o.Selected == ws.s.Clients[p.client].Name
		p.eye = ws.eyeR() * ease(0.3+0.7*grown)
		x, y := p.way.at(1)
		ws.shows(WatchMark, letter(p.client), w.Path, around(x, y, p.eye))
	case w.Fired:
		var part float64
		p.look = firedWatch
		if part, p.alpha = ws.fired(w); part < 1 {
			p.pulse = true
			ws.pulse(p, part)
			ws.shows(ToldMark, letter(p.client), w.Path, around(p.x, p.y, pulseR(&ws.m, ws.routes.fine)))
		}
	default:
		p.look, p.alpha = removedWatch, 1-ws.passed(w.OverAt, trailFor)
	}
}

// pulse moves the notification of a fired watch on until it doesn't overlap another one.
func (ws *watches) pulse(p *watchPlan, part float64) {
	r := pulseR(&ws.m, ws.routes.fine) * 1.8
	before := ws.lines[:len(ws.lines)-1]
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
func (ws *watches) fired(w *view.Watch) (part, alpha float64) {
	d := flight(w.Flight)
	if ws.o.Still {
		if ws.at < w.OverAt+d {
			return 0.5, 1
		}
		return 1, 0
	}
	part = ws.passed(w.OverAt, d)
	if part < 1 {
		return part, 1
	}
	return 1, 1 - ws.passed(w.OverAt+d, trailFor)
}
