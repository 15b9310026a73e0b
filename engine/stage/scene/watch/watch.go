package watch

import (
	"slices"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/stage/scene/floor"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
	"github.com/zkviz/zkviz/engine/stage/scene/paint"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// MaxEyes is the maximum number of watches at a znode that have an eye each.
const MaxEyes = 14

// Watches plans the watches and their lines.
type Watches struct {
	f        *floor.Floor
	lines    []watchPlan
	watchers []bool // by client: it watches the znode that a line leads to
}

// Connect lets it find what it refers to.
func (ws *Watches) Connect(f *floor.Floor) { ws.f = f }

// Begin forgets the last plan and keeps its memory.
func (ws *Watches) Begin() { ws.lines = ws.lines[:0] }

// Plan plans every visible watch with its line.
func (ws *Watches) Plan() {
	f := ws.f
	for k := range f.State.Watches.List {
		w := &f.State.Watches.List[k]
		i := f.Client(w.Client)
		if i < 0 || f.Spots[i].Dot || f.Faded(w) || f.Elsewhere(w) {
			continue
		}
		target, ok := ws.Goal(i, w.Path, w.Over)
		if !ok {
			continue
		}
		ws.lines = append(ws.lines, watchPlan{})
		p := &ws.lines[len(ws.lines)-1]
		p.client = i
		if !ws.Route(i, target, &p.way) {
			ws.lines = ws.lines[:len(ws.lines)-1]
			continue
		}
		ws.planWatch(w, p)
	}
}

// Cross reports whether the line of a watch runs across r, or near it.
func (ws *Watches) Cross(r geom.Rect) bool {
	const steps, near = 64, 3
	for i := range ws.lines {
		for k := range steps {
			x, y := ws.lines[i].way.At(float64(k) / steps)
			if x > r.X-near && x < r.Right()+near && y > r.Y-near && y < r.Bottom()+near {
				return true
			}
		}
	}
	return false
}

// planWatch plans the end of a watch: the eye of an armed one, or the notification of a fired one.
func (ws *Watches) planWatch(w *view.Watch, p *watchPlan) {
	f := ws.f
	switch {
	case !w.Over:
		grown := f.Grown(w.Set)
		p.look, p.alpha, p.selected = armedWatch, 0.35+0.65*grown, f.Options.Selected == f.State.Clients[p.client].Name
		p.eye = f.EyeR() * geom.Ease(0.3+0.7*grown)
		x, y := p.way.At(1)
		f.Shows(mark.Watch, text.Letter(p.client), w.Path, geom.Around(x, y, p.eye))
	case w.Fired:
		var part float64
		p.look = firedWatch
		if part, p.alpha = ws.Fired(w); part < 1 {
			p.pulse = true
			ws.pulse(p, part)
			f.Shows(mark.Told, text.Letter(p.client), w.Path, geom.Around(p.x, p.y, PulseR(&f.Sizes, f.Routes.Fine)))
		}
	default:
		p.look, p.alpha = removedWatch, 1-f.Passed(w.OverAt, floor.TrailFor)
	}
}

// pulse moves the notification of a fired watch on until it doesn't overlap another one.
func (ws *Watches) pulse(p *watchPlan, part float64) {
	f := ws.f
	r := PulseR(&f.Sizes, f.Routes.Fine) * 2.4
	before := ws.lines[:len(ws.lines)-1]
	if len(before) > MaxEyes {
		before = before[len(before)-MaxEyes:]
	}
	for range MaxEyes {
		p.x, p.y = p.way.At(1 - part)
		meets := slices.ContainsFunc(before, func(o watchPlan) bool { return o.pulse && geom.Dist(o.x-p.x, o.y-p.y) < r })
		if part >= 0.95 || !meets {
			return
		}
		part += 0.05
	}
}

// PulseR returns the radius of a watch's notification.
func PulseR(m *paint.Sizes, fine bool) float64 {
	if r := max(5, 8.5*m.K); !fine {
		return r
	}
	return max(2.5, max(5, 8.5*m.K)*0.45)
}

// Fired returns how far a fired watch's notification has come, and the opacity of its line.
func (ws *Watches) Fired(w *view.Watch) (part, alpha float64) {
	f := ws.f
	d := floor.Flight(w.Flight)
	if f.Options.Still {
		if f.At < w.OverAt+d {
			return 0.5, 1
		}
		return 1, 0
	}
	part = f.Passed(w.OverAt, d)
	if part < 1 {
		return part, 1
	}
	return 1, 1 - f.Passed(w.OverAt+d, floor.TrailFor)
}
