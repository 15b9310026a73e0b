package scene

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/view"
)

// bundle is the one line that stands for those of all the dots with a watch on one sort of znode.
func (f *Frame) bundle(c *crowd, hub rect, out *path) {
	out.n = 0
	x, y := c.dots.x+c.dots.w*0.5, c.dots.y-3
	low := f.box.bottom()
	if f.routes.solo {
		out.add(upright(x, y, hub.midX()+hub.w*0.3, hub.bottom()+f.eyeR()))
		return
	}
	out.add(upright(x, y, c.gutterX, low-2))
	turn := f.routes.cardTop - 1
	end := hub.bottom() + f.eyeR()
	out.add(straight(c.gutterX, low-2, c.gutterX, turn))
	x = hub.midX() + hub.w*0.42
	out.add(cubic{c.gutterX, turn, c.gutterX, mix(turn, end, 0.7), x, mix(turn, end, 0.45), x, end})
}

// drawBundles draws the watches of the dots: one bundle to a znode that stands on its own, one to the queue.
func (f *Frame) drawBundles(c *crowd) {
	t := f.tally()
	way := &f.way
	if t.hub != nil {
		f.bundle(c, t.hub.rect, way)
	}
	if t.armed > 0 {
		f.stroke(way, pen{colour: f.t.Soft, width: f.m.line * 2, dash: 2 * f.m.line, gap: 3 * f.m.line})
		f.eyeCount(way, t.armed)
	}
	if t.fired > 0 {
		a := 1.0
		if f.at > t.until {
			a = 1 - f.passed(t.until, trailFor)
		}
		f.stroke(way, pen{colour: f.t.Signal.Fade(a), width: f.m.line * 3})
	}
	if t.chain > 0 && c.rest > 0 {
		way.n = 0
		x := c.dots.x + c.dots.w*0.5
		way.add(straight(x, c.dots.y-3, x, f.box.bottom()-2))
		f.stroke(way, pen{colour: f.t.Soft, width: f.m.line * 2, dash: 2 * f.m.line, gap: 3 * f.m.line})
		f.eyeCount(way, t.chain)
	}
}

// tally counts the watches of the dots: armed and fired ones on a znode that stands on its own, and armed
// ones on the queue's.
type tally struct {
	hub                 *mark
	armed, fired, chain int
	until               time.Duration // when the last fired one arrives
}

func (f *Frame) tally() (t tally) {
	last, lastHub := "", (*mark)(nil)
	for k := range f.s.Watches {
		w := &f.s.Watches[k]
		i := f.client(w.Client)
		if i < 0 || !f.spots[i].dot {
			continue
		}
		if w.Path != last {
			last, lastHub = w.Path, f.marked(w.Path)
		}
		arrives := w.OverAt + w.Flight
		if w.Flight <= 0 {
			arrives += nominal
		}
		switch {
		case lastHub == nil && !w.Over:
			t.chain++
		case lastHub == nil:
		case !w.Over:
			t.hub = lastHub
			t.armed++
		case w.Fired && f.at < arrives+trailFor:
			t.hub, t.until = lastHub, max(t.until, arrives)
			t.fired++
		}
	}
	return t
}

// eyeCount draws the eye at the end of a bundle, with the number of watches in it.
func (f *Frame) eyeCount(way *path, n int) {
	x, y := way.at(1)
	r := max(4, 6*f.m.k)
	f.eye(x, y, r, f.t.Soft)
	s := f.say("× ").num(int64(n)).label()
	a := f.m.note
	w := a.width(s) + 6
	f.panel(rect{x + r + 3, y - a.size*0.62, w, a.size * 1.24}, 3, f.t.Panel, pen{})
	f.middle(s, x+r+3+w/2, y, a, f.t.Soft, w)
}

// drawSwarm draws the events that fly to the dots.
func (f *Frame) drawSwarm(c *crowd) {
	var shared path
	var hub, target rect
	last, slot, ok := "", int32(0), false
	r := max(1.6, min(c.dots.cell*0.4, 4*f.m.k))
	for k := range f.s.Watches {
		w := &f.s.Watches[k]
		i := f.client(w.Client)
		if i < 0 || !f.spots[i].dot || !w.Over || !w.Fired {
			continue
		}
		part, _ := f.fired(w)
		if part >= 1 {
			continue
		}
		if w.Path != last {
			target, slot, ok = f.findAny(w.Path)
			last = w.Path
		}
		if !ok {
			continue
		}
		p := &f.spots[i]
		if slot < 0 && (shared.n == 0 || target != hub) {
			hub = target
			f.bundle(c, hub, &shared)
		}
		x, y := f.swarmAt(p, &shared, target, slot, part)
		f.circle(x, y, r, f.t.Signal, pen{})
	}
}

// swarmAt is the place of an event on the bundle, and after it on its own way to its dot.
func (f *Frame) swarmAt(p *spot, shared *path, target rect, slot int32, part float64) (x, y float64) {
	if slot >= 0 {
		c := upright(p.x, p.y, target.midX(), target.bottom())
		return c.at(1 - part)
	}
	const fork = 0.5
	if part < fork && !f.routes.solo {
		return shared.at(1 - part*0.9)
	}
	ex, ey := shared.at(1)
	if f.routes.solo {
		c := upright(p.x, p.y, ex, ey)
		return c.at(1 - part)
	}
	ex, ey = shared.at(1 - fork*0.9)
	c := cubic{p.x, p.y, p.x, p.y, ex, mix(ey, p.y, 0.5), ex, ey}
	return c.at(1 - (part-fork)/(1-fork))
}

// drawCrowdFlights draws the messages of the dots.
func (f *Frame) drawCrowdFlights(c *crowd) {
	r := max(1.4, min(c.dots.cell*0.34, 3.5*f.m.k))
	for k := range f.s.Flights {
		m := &f.s.Flights[k]
		i, up := f.client(m.From), true
		if i < 0 {
			i, up = f.client(m.To), false
		}
		if i < 0 || !f.spots[i].dot || m.Notify || m.Op == event.Ping {
			continue
		}
		f.drawMote(m, i, up, r)
	}
}

func (f *Frame) drawMote(m *view.Flight, i int, up bool, r float64) {
	part, seen := f.progress(m)
	if !seen {
		return
	}
	if up {
		part = 1 - part
	}
	p := &f.spots[i]
	y := mix(f.box.bottom(), p.y, part)
	switch {
	case m.Dropped:
		f.cross(p.x, y, r*1.5, pen{colour: f.t.Signal, width: 1.5})
	case up:
		f.circle(p.x, y, r, f.t.Accent, pen{})
	default:
		f.circle(p.x, y, r, f.t.Card, pen{colour: f.t.Accent, width: max(1, r*0.4)})
	}
}
