package queue

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene/floor"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/message"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// bundle traces the one line that stands for the watches of all dots on the same kind of znode.
func (c *Crowd) bundle(hub geom.Rect, out *geom.Path) {
	f := c.f
	out.N = 0
	x, y := c.dots.X+c.dots.W*0.5, c.dots.Y-3
	low := f.Box.Bottom()
	if f.Routes.Solo {
		out.Add(geom.Upright(x, y, hub.MidX()+hub.W*0.3, hub.Bottom()+f.EyeR()))
		return
	}
	out.Add(geom.Upright(x, y, c.gutterX, low-2))
	turn := f.Routes.CardTop - 1
	end := hub.Bottom() + f.EyeR()
	out.Add(geom.Straight(c.gutterX, low-2, c.gutterX, turn))
	x = hub.MidX() + hub.W*0.42
	out.Add(geom.Curve(c.gutterX, turn, c.gutterX, geom.Mix(turn, end, 0.7), x, geom.Mix(turn, end, 0.45), x, end))
}

// PlanBundles plans the watches of the dots: one bundle for each standalone znode and one for the queue.
func (c *Crowd) PlanBundles() {
	f := c.f
	t := c.tally()
	var way geom.Path
	if t.hub != nil {
		c.bundle(t.hub.Rect, &way)
	}
	if t.armed > 0 {
		c.bundles = append(c.bundles, bundlePlan{way: way, count: c.eyeCount(&way, t.armed)})
	}
	if t.fired > 0 {
		a := 1.0
		if f.At > t.until {
			a = 1 - f.Passed(t.until, floor.TrailFor)
		}
		c.bundles = append(c.bundles, bundlePlan{way: way, fired: true, alpha: a})
	}
	if t.chain > 0 && c.rest > 0 {
		way.N = 0
		x := c.dots.X + c.dots.W*0.5
		way.Add(geom.Straight(x, c.dots.Y-3, x, f.Box.Bottom()-2))
		c.bundles = append(c.bundles, bundlePlan{way: way, count: c.eyeCount(&way, t.chain)})
	}
}

// tally counts the watches of the dots: armed and fired ones on a standalone znode, and armed ones on the queue's
// znodes.
type tally struct {
	hub                 *floor.Hub
	armed, fired, chain int
	until               time.Duration // when the last notification arrives
}

func (c *Crowd) tally() (t tally) {
	f := c.f
	last, lastHub := "", (*floor.Hub)(nil)
	for k := range f.State.Watches.List {
		w := &f.State.Watches.List[k]
		i := f.Client(w.Client)
		if i < 0 || !f.Spots[i].Dot {
			continue
		}
		if w.Path != last {
			last, lastHub = w.Path, f.HubAt(w.Path)
		}
		arrives := w.OverAt + floor.Flight(w.Flight)
		switch {
		case lastHub == nil && !w.Over:
			t.chain++
		case lastHub == nil:
		case !w.Over:
			t.hub = lastHub
			t.armed++
		case w.Fired && f.At < arrives+floor.TrailFor:
			t.hub, t.until = lastHub, max(t.until, arrives)
			t.fired++
		}
	}
	return t
}

// eyeCount returns the number of watches in a bundle, written next to the eye at its end.
func (c *Crowd) eyeCount(way *geom.Path, n int) text.Tag {
	f := c.f
	x, y := way.At(1)
	off := max(4, 6*f.Sizes.K) + 3
	s, a := f.Say("× ", f.Grouped(n)).Label(), f.Sizes.Note
	w := a.Width(s) + 6
	if x += off; x+w > f.Options.Width {
		x -= 2*off + w
	}
	return text.Tag{Rect: geom.R(x, y-a.Size*0.62, w, a.Size*1.24), Radius: 3,
		Text: text.Centred(s, x+w/2, y, a, text.InkSoft, w)}
}

// PlanEvents plans the watch events that fly to the dots.
func (c *Crowd) PlanEvents() {
	f := c.f
	var shared geom.Path
	var hub, target geom.Rect
	last, slot, ok := "", int32(0), false
	r := max(1.6, min(c.dots.Cell*0.4, 4*f.Sizes.K))
	for k := range f.State.Watches.List {
		w := &f.State.Watches.List[k]
		i := f.Client(w.Client)
		if i < 0 || !f.Spots[i].Dot || !w.Over || !w.Fired {
			continue
		}
		part, _ := c.watches.Fired(w)
		if part >= 1 {
			continue
		}
		if w.Path != last {
			target, slot, ok = f.FindAny(w.Path)
			last = w.Path
		}
		if !ok {
			continue
		}
		if slot < 0 && (shared.N == 0 || target != hub) {
			hub = target
			c.bundle(hub, &shared)
		}
		x, y := c.eventAt(&f.Spots[i], &shared, target, slot, part)
		c.events = append(c.events, message.Particle{X: float32(x), Y: float32(y), R: float32(r),
			Look: message.EventParticle})
	}
}

// eventAt returns the position of an event: first along the bundle, then on the way to its own dot.
func (c *Crowd) eventAt(p *floor.Spot, shared *geom.Path, target geom.Rect, slot int32, part float64) (x, y float64) {
	f := c.f
	if slot >= 0 {
		line := geom.Upright(p.X, p.Y, target.MidX(), target.Bottom())
		return line.At(1 - part)
	}
	const fork = 0.5
	if part < fork && !f.Routes.Solo {
		return shared.At(1 - part*0.9)
	}
	ex, ey := shared.At(1)
	if f.Routes.Solo {
		line := geom.Upright(p.X, p.Y, ex, ey)
		return line.At(1 - part)
	}
	ex, ey = shared.At(1 - fork*0.9)
	line := geom.Curve(p.X, p.Y, p.X, p.Y, ex, geom.Mix(ey, p.Y, 0.5), ex, ey)
	return line.At(1 - (part-fork)/(1-fork))
}

// PlanRequests plans the messages to and from the dots.
func (c *Crowd) PlanRequests() {
	f := c.f
	r := max(1.4, min(c.dots.Cell*0.34, 3.5*f.Sizes.K))
	for k := range f.State.Flights.List {
		m := &f.State.Flights.List[k]
		i, up := f.Sender(m)
		if i < 0 || !f.Spots[i].Dot || m.Notify || m.Op == event.Ping {
			continue
		}
		part, seen := f.Progress(m)
		if !seen {
			continue
		}
		p := message.Particle{X: float32(f.Spots[i].X), R: float32(r), Look: message.ReplyParticle}
		switch {
		case m.Dropped:
			p.Look = message.LostParticle
		case up:
			p.Look = message.RequestParticle
		}
		if up {
			part = 1 - part
		}
		p.Y = float32(geom.Mix(f.Box.Bottom(), f.Spots[i].Y, part))
		c.messages.Requests = append(c.messages.Requests, p)
	}
}
