package scene

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// bundle traces the one line that stands for the watches of all dots on the same kind of znode.
func (c *crowd) bundle(hub rect, out *path) {
	out.n = 0
	x, y := c.dots.x+c.dots.w*0.5, c.dots.y-3
	low := c.box.bottom()
	if c.routes.solo {
		out.add(upright(x, y, hub.midX()+hub.w*0.3, hub.bottom()+c.eyeR()))
		return
	}
	out.add(upright(x, y, c.gutterX, low-2))
	turn := c.routes.cardTop - 1
	end := hub.bottom() + c.eyeR()
	out.add(straight(c.gutterX, low-2, c.gutterX, turn))
	x = hub.midX() + hub.w*0.42
	out.add(cubic{c.gutterX, turn, c.gutterX, mix(turn, end, 0.7), x, mix(turn, end, 0.45), x, end})
}

// planBundles plans the watches of the dots: one bundle for each standalone znode and one for the queue.
func (c *crowd) planBundles() {
	t := c.tally()
	var way path
	if t.hub != nil {
		c.bundle(t.hub.rect, &way)
	}
	if t.armed > 0 {
		c.bundles = append(c.bundles, bundlePlan{way: way, count: c.eyeCount(&way, t.armed)})
	}
	if t.fired > 0 {
		a := 1.0
		if c.at > t.until {
			a = 1 - c.passed(t.until, trailFor)
		}
		c.bundles = append(c.bundles, bundlePlan{way: way, fired: true, alpha: a})
	}
	if t.chain > 0 && c.rest > 0 {
		way.n = 0
		x := c.dots.x + c.dots.w*0.5
		way.add(straight(x, c.dots.y-3, x, c.box.bottom()-2))
		c.bundles = append(c.bundles, bundlePlan{way: way, count: c.eyeCount(&way, t.chain)})
	}
}

// tally counts the watches of the dots: armed and fired ones on a standalone znode, and armed ones on the queue's
// znodes.
type tally struct {
	hub                 *hub
	armed, fired, chain int
	until               time.Duration // when the last notification arrives
}

func (c *crowd) tally() (t tally) {
	last, lastHub := "", (*hub)(nil)
	for k := range c.s.Watches {
		w := &c.s.Watches[k]
		i := c.client(w.Client)
		if i < 0 || !c.spots[i].dot {
			continue
		}
		if w.Path != last {
			last, lastHub = w.Path, c.hubAt(w.Path)
		}
		arrives := w.OverAt + flight(w.Flight)
		switch {
		case lastHub == nil && !w.Over:
			t.chain++
		case lastHub == nil:
		case !w.Over:
			t.hub = lastHub
			t.armed++
		case w.Fired && c.at < arrives+trailFor:
			t.hub, t.until = lastHub, max(t.until, arrives)
			t.fired++
		}
	}
	return t
}

// eyeCount returns the number of watches in a bundle, written next to the eye at its end.
func (c *crowd) eyeCount(way *path, n int) tag {
	x, y := way.at(1)
	off := max(4, 6*c.m.k) + 3
	s, a := c.say("× ", c.grouped(n)).label(), c.m.note
	w := a.width(s) + 6
	if x += off; x+w > c.o.Width {
		x -= 2*off + w
	}
	return tag{rect: rect{x, y - a.size*0.62, w, a.size * 1.24}, radius: 3, text: middle(s, x+w/2, y, a, inkSoft, w)}
}

// planEvents plans the watch events that fly to the dots.
func (c *crowd) planEvents() {
	var shared path
	var hub, target rect
	last, slot, ok := "", int32(0), false
	r := max(1.6, min(c.dots.cell*0.4, 4*c.m.k))
	for k := range c.s.Watches {
		w := &c.s.Watches[k]
		i := c.client(w.Client)
		if i < 0 || !c.spots[i].dot || !w.Over || !w.Fired {
			continue
		}
		part, _ := c.watches.fired(w)
		if part >= 1 {
			continue
		}
		if w.Path != last {
			target, slot, ok = c.findAny(w.Path)
			last = w.Path
		}
		if !ok {
			continue
		}
		if slot < 0 && (shared.n == 0 || target != hub) {
			hub = target
			c.bundle(hub, &shared)
		}
		x, y := c.eventAt(&c.spots[i], &shared, target, slot, part)
		c.events = append(c.events, particle{float32(x), float32(y), float32(r), eventParticle})
	}
}

// eventAt returns the position of an event: first along the bundle, then on the way to its own dot.
func (c *crowd) eventAt(p *spot, shared *path, target rect, slot int32, part float64) (x, y float64) {
	if slot >= 0 {
		line := upright(p.x, p.y, target.midX(), target.bottom())
		return line.at(1 - part)
	}
	const fork = 0.5
	if part < fork && !c.routes.solo {
		return shared.at(1 - part*0.9)
	}
	ex, ey := shared.at(1)
	if c.routes.solo {
		line := upright(p.x, p.y, ex, ey)
		return line.at(1 - part)
	}
	ex, ey = shared.at(1 - fork*0.9)
	line := cubic{p.x, p.y, p.x, p.y, ex, mix(ey, p.y, 0.5), ex, ey}
	return line.at(1 - (part-fork)/(1-fork))
}

// planRequests plans the messages to and from the dots.
func (c *crowd) planRequests() {
	r := max(1.4, min(c.dots.cell*0.34, 3.5*c.m.k))
	for k := range c.s.Flights {
		m := &c.s.Flights[k]
		i, up := c.sender(m)
		if i < 0 || !c.spots[i].dot || m.Notify || m.Op == event.Ping {
			continue
		}
		part, seen := c.progress(m)
		if !seen {
			continue
		}
		p := particle{x: float32(c.spots[i].x), r: float32(r), look: replyParticle}
		switch {
		case m.Dropped:
			p.look = lostParticle
		case up:
			p.look = requestParticle
		}
		if up {
			part = 1 - part
		}
		p.y = float32(mix(c.box.bottom(), c.spots[i].y, part))
		c.messages.requests = append(c.messages.requests, p)
	}
}
