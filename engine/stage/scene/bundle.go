package scene

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// bundle traces the one line that stands for the watches of all dots on the same kind of znode.
func (l *Layout) bundle(c *crowd, hub rect, out *path) {
	out.n = 0
	x, y := c.dots.x+c.dots.w*0.5, c.dots.y-3
	low := l.box.bottom()
	if l.routes.solo {
		out.add(upright(x, y, hub.midX()+hub.w*0.3, hub.bottom()+l.eyeR()))
		return
	}
	out.add(upright(x, y, c.gutterX, low-2))
	turn := l.routes.cardTop - 1
	end := hub.bottom() + l.eyeR()
	out.add(straight(c.gutterX, low-2, c.gutterX, turn))
	x = hub.midX() + hub.w*0.42
	out.add(cubic{c.gutterX, turn, c.gutterX, mix(turn, end, 0.7), x, mix(turn, end, 0.45), x, end})
}

// planBundles plans the watches of the dots: one bundle for each standalone znode and one for the queue.
func (l *Layout) planBundles(c *crowd) {
	t := l.tally()
	var way path
	if t.hub != nil {
		l.bundle(c, t.hub.rect, &way)
	}
	if t.armed > 0 {
		l.p.bundles = append(l.p.bundles, bundlePlan{way: way, count: l.eyeCount(&way, t.armed)})
	}
	if t.fired > 0 {
		a := 1.0
		if l.at > t.until {
			a = 1 - l.passed(t.until, trailFor)
		}
		l.p.bundles = append(l.p.bundles, bundlePlan{way: way, fired: true, alpha: a})
	}
	if t.chain > 0 && c.rest > 0 {
		way.n = 0
		x := c.dots.x + c.dots.w*0.5
		way.add(straight(x, c.dots.y-3, x, l.box.bottom()-2))
		l.p.bundles = append(l.p.bundles, bundlePlan{way: way, count: l.eyeCount(&way, t.chain)})
	}
}

// tally counts the watches of the dots: armed and fired ones on a standalone znode, and armed ones on the queue's
// znodes.
type tally struct {
	hub                 *mark
	armed, fired, chain int
	until               time.Duration // when the last notification arrives
}

func (l *Layout) tally() (t tally) {
	last, lastHub := "", (*mark)(nil)
	for k := range l.s.Watches {
		w := &l.s.Watches[k]
		i := l.client(w.Client)
		if i < 0 || !l.spots[i].dot {
			continue
		}
		if w.Path != last {
			last, lastHub = w.Path, l.marked(w.Path)
		}
		arrives := w.OverAt + flight(w.Flight)
		switch {
		case lastHub == nil && !w.Over:
			t.chain++
		case lastHub == nil:
		case !w.Over:
			t.hub = lastHub
			t.armed++
		case w.Fired && l.at < arrives+trailFor:
			t.hub, t.until = lastHub, max(t.until, arrives)
			t.fired++
		}
	}
	return t
}

// eyeCount returns the number of watches in a bundle, written next to the eye at its end.
func (l *Layout) eyeCount(way *path, n int) tag {
	x, y := way.at(1)
	off := max(4, 6*l.m.k) + 3
	s, a := l.say("× ", l.grouped(n)).label(), l.m.note
	w := a.width(s) + 6
	if x += off; x+w > l.o.Width {
		x -= 2*off + w
	}
	return tag{rect: rect{x, y - a.size*0.62, w, a.size * 1.24}, radius: 3, text: middle(s, x+w/2, y, a, inkSoft, w)}
}

// planEvents plans the watch events that fly to the dots.
func (l *Layout) planEvents(c *crowd) {
	var shared path
	var hub, target rect
	last, slot, ok := "", int32(0), false
	r := max(1.6, min(c.dots.cell*0.4, 4*l.m.k))
	for k := range l.s.Watches {
		w := &l.s.Watches[k]
		i := l.client(w.Client)
		if i < 0 || !l.spots[i].dot || !w.Over || !w.Fired {
			continue
		}
		part, _ := l.fired(w)
		if part >= 1 {
			continue
		}
		if w.Path != last {
			target, slot, ok = l.findAny(w.Path)
			last = w.Path
		}
		if !ok {
			continue
		}
		if slot < 0 && (shared.n == 0 || target != hub) {
			hub = target
			l.bundle(c, hub, &shared)
		}
		x, y := l.eventAt(&l.spots[i], &shared, target, slot, part)
		l.p.events = append(l.p.events, particle{float32(x), float32(y), float32(r), eventParticle})
	}
}

// eventAt returns the position of an event: first along the bundle, then on the way to its own dot.
func (l *Layout) eventAt(p *spot, shared *path, target rect, slot int32, part float64) (x, y float64) {
	if slot >= 0 {
		c := upright(p.x, p.y, target.midX(), target.bottom())
		return c.at(1 - part)
	}
	const fork = 0.5
	if part < fork && !l.routes.solo {
		return shared.at(1 - part*0.9)
	}
	ex, ey := shared.at(1)
	if l.routes.solo {
		c := upright(p.x, p.y, ex, ey)
		return c.at(1 - part)
	}
	ex, ey = shared.at(1 - fork*0.9)
	c := cubic{p.x, p.y, p.x, p.y, ex, mix(ey, p.y, 0.5), ex, ey}
	return c.at(1 - (part-fork)/(1-fork))
}

// planRequests plans the messages to and from the dots.
func (l *Layout) planRequests(c *crowd) {
	r := max(1.4, min(c.dots.cell*0.34, 3.5*l.m.k))
	for k := range l.s.Flights {
		m := &l.s.Flights[k]
		i, up := l.sender(m)
		if i < 0 || !l.spots[i].dot || m.Notify || m.Op == event.Ping {
			continue
		}
		part, seen := l.progress(m)
		if !seen {
			continue
		}
		p := particle{x: float32(l.spots[i].x), r: float32(r), look: replyParticle}
		switch {
		case m.Dropped:
			p.look = lostParticle
		case up:
			p.look = requestParticle
		}
		if up {
			part = 1 - part
		}
		p.y = float32(mix(l.box.bottom(), l.spots[i].y, part))
		l.p.requests = append(l.p.requests, p)
	}
}
