package scene

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/view"
)

// maxWindow is how many of a crowd's clients are readable: those at the head of the queue.
const maxWindow = 12

// crowd is the layout for more clients than can be read: the head of the queue as ever, all the others as
// ticks and dots, their lines as one bundle.
type crowd struct {
	window       int // slots that are readable
	pitch        float64
	r            float64
	left         float64
	cardTop      float64
	cardW, cardH float64
	clientY      float64
	words        bool
	ticks, dots  grid
	gutterX      float64 // between the head and the rest
	rest         int     // znodes that are ticks
}

func (f *Frame) drawCrowd() {
	f.crowded = true
	var c crowd
	f.sizeCrowd(&c)
	f.placeCrowd(&c)
	f.drawBox()
	f.drawHub()
	f.drawCrowdBus(&c)
	f.drawWatchLines()
	f.drawBundles(&c)
	f.drawTicks(&c)
	f.drawHead()
	f.drawLinks()
	f.drawCrowdFlights(&c)
	for i := range f.spots {
		if f.spots[i].dot {
			f.drawDot(i)
		} else {
			f.drawClient(i)
		}
	}
	f.drawWatchEnds()
	f.drawSwarm(&c)
	f.drawFlights()
}

func (f *Frame) sizeCrowd(c *crowd) {
	m, in := &f.m, f.inner()
	part := 0.6
	if in.w < 500 {
		part = 0.52
	}
	width := in.w*part - m.pad
	c.window = min(max(int(width/(33*max(m.k, 0.8))), 4), maxWindow)
	c.pitch = width / float64(c.window)
	c.left = in.x + m.pad
	c.r = min(c.pitch*0.31, 24*m.k)
	c.words = c.pitch >= 46
	c.cardW, c.cardH = c.pitch-max(4, 8*m.k), m.name.size+max(5, 8*m.k)
	if c.words {
		c.cardH = m.name.size + m.small.size + max(7, 11*m.k)
	}
	head := m.rootH + max(4, 10*m.k)
	tab := m.note.size + max(10, 18*m.k)
	foot := max(9, 13*m.k)
	solo := f.s.Recipe == "unique-lock"
	free := in.h - m.stripH - m.margin*0.6 - head - tab - c.cardH - foot
	lane := max(28, free*0.42)
	c.cardTop = in.y + head + tab
	boxH := head + tab + c.cardH + foot
	if !solo {
		grow := max(0, min(free*0.2, 60*m.k))
		boxH, c.cardTop = boxH+grow, c.cardTop+grow*0.6
	}
	f.box = rect{in.x, in.y, in.w, boxH}
	c.clientY = f.box.bottom() + lane + ringOf(c.r)
	c.gutterX = c.left + width + max(4, 8*m.k)
	right := in.right() - m.pad - c.gutterX - max(4, 8*m.k)
	x := c.gutterX + max(4, 8*m.k)
	ticksTop := in.y + head + m.small.size
	if f.isBarrier() { // the start node is in the way
		ticksTop += m.rootH * 1.2
	}
	c.ticks.rect = rect{x, ticksTop, right, f.box.bottom() - foot*0.6 - ticksTop}
	top := f.box.bottom() + max(12, lane*0.45)
	c.dots.rect = rect{x, top, right, in.bottom() - m.stripH - m.margin*0.6 - top}
	f.m.line = max(1.2, 1.6*m.k)
	f.routes = routing{rows: 1, fine: c.pitch < 40, cols: c.window, left: c.left, pitch: c.pitch, cardTop: c.cardTop, cardBottom: c.cardTop + c.cardH, solo: solo}
}

// placeCrowd gives the head of the queue its places, and every client its dot, which never moves.
func (f *Frame) placeCrowd(c *crowd) {
	c.dots = pack(len(f.s.Clients), c.dots.rect, 16*f.m.k)
	for i := range f.spots {
		x, y := c.dots.at(i)
		f.spots[i] = spot{x: x, y: y, r: c.dots.cell * 0.34, slot: -1, dot: true}
	}
	p := plan{rows: 1, cardH: c.cardH, foot: 13 * f.m.k, solo: f.routes.solo}
	f.placeHub(p, &f.m)
	if f.routes.solo {
		mid := c.left + float64(c.window)*c.pitch/2
		f.marks[1].rect.x = mid - f.marks[1].w/2
		f.marks[0].rect.x = max(mid-f.marks[0].w/2, f.box.x+2*f.m.pad+f.m.bold.width(f.words.ZooKeeper))
		f.windowOfClients(c)
		return
	}
	f.windowOfNodes(c)
}

// windowOfNodes makes the first znodes of the queue readable. As one goes, those behind it move up.
func (f *Frame) windowOfNodes(c *crowd) {
	offset, seen := 0.0, 0
	for i, s := range f.slots {
		if s.node < 0 {
			continue
		}
		n := &f.s.Nodes[s.node]
		if offset > float64(c.window)-0.999 {
			if !n.Gone {
				c.rest++
			}
			continue
		}
		x := c.left + (offset+0.5)*c.pitch
		f.cards[s.node] = card{rect: rect{x - c.cardW/2, c.cardTop, c.cardW, c.cardH}, shown: true, slot: int32(i)}
		weight := 1.0
		if n.Gone && !f.o.Still {
			weight = 1 - ease(f.passed(n.GoneAt+600*time.Millisecond, slideFor))
		}
		if s.client >= 0 && weight > 0.3 {
			f.readable(c, int(s.client), x, int32(i), seen)
		}
		offset += weight
		seen++
	}
	if seen == 0 {
		f.windowOfClients(c)
	}
	f.placeTicks(c)
}

func (f *Frame) placeTicks(c *crowd) {
	c.ticks = pack(c.rest, c.ticks.rect, 14*f.m.k)
	k := 0
	for i, s := range f.slots {
		if s.node < 0 || f.cards[s.node].shown || f.s.Nodes[s.node].Gone {
			continue
		}
		x, y := c.ticks.at(k)
		w, h := c.ticks.cell*0.62, c.ticks.cell*0.72
		f.cards[s.node] = card{rect: rect{x - w/2, y - h/2, w, h}, shown: true, slot: int32(i), tick: true}
		k++
	}
}

// windowOfClients makes the first clients readable, and the one that is inside.
func (f *Frame) windowOfClients(c *crowd) {
	n := min(c.window, len(f.s.Clients))
	last := n - 1
	for i := n; i < len(f.s.Clients); i++ {
		if f.s.Clients[i].Inside {
			last = i
			break
		}
	}
	for k := range n {
		i := k
		if k == n-1 {
			i = last
		}
		f.readable(c, i, c.left+(float64(k)+0.5)*c.pitch, int32(k), k)
	}
}

func (f *Frame) readable(c *crowd, i int, x float64, slot int32, col int) {
	f.spots[i] = spot{x: x, y: c.clientY, r: c.r, slot: slot, col: int32(col), cardX: x}
	if c.words {
		f.spots[i].room = c.pitch - 4
	}
}

func (f *Frame) drawCrowdBus(c *crowd) {
	if f.routes.solo {
		return
	}
	how := pen{colour: f.t.Edge, width: max(1, 1.4*f.m.k)}
	from := f.marks[0].rect
	for i := range f.marks {
		if f.marks[i].path == f.queueOf {
			from = f.marks[i].rect
		}
	}
	y := from.bottom() + max(3, (c.cardTop-from.bottom())*0.2)
	lo, hi := from.midX(), from.midX()
	for _, s := range f.slots {
		if s.node >= 0 && f.cards[s.node].shown && !f.cards[s.node].tick {
			r := &f.cards[s.node]
			f.line(r.midX(), y, r.midX(), r.y, how)
			lo, hi = min(lo, r.midX()), max(hi, r.midX())
		}
	}
	if c.rest > 0 {
		hi = max(hi, c.ticks.x)
		f.line(c.ticks.x, y, c.ticks.x, c.ticks.y+2, how)
	}
	f.line(from.midX(), from.bottom(), from.midX(), y, how)
	f.line(lo, y, hi, y, how)
}

// drawHead draws the readable cards.
func (f *Frame) drawHead() {
	for _, s := range f.slots {
		if s.node < 0 || !f.cards[s.node].shown || f.cards[s.node].tick {
			continue
		}
		n, r := &f.s.Nodes[s.node], f.cards[s.node].rect
		f.drawNode(n, r)
		if owner := f.owner(n); f.holds(n, owner) {
			f.drawTab(r, owner, r.w+6)
		}
	}
}

// drawTicks draws the rest of the queue.
func (f *Frame) drawTicks(c *crowd) {
	if c.rest == 0 {
		return
	}
	s := f.say("+").num(int64(c.rest)).say(" ", f.words.More).label()
	room := c.ticks.w
	if f.isBarrier() {
		f.text(f.m.small.fit(room, s), c.ticks.x+5, c.ticks.y-3, f.m.small, Start, f.t.Soft, room)
	} else {
		f.text(f.m.small.fit(room, s), c.ticks.right(), c.ticks.y-3, f.m.small, End, f.t.Soft, room)
	}
	for _, s := range f.slots {
		if s.node < 0 || !f.cards[s.node].tick {
			continue
		}
		r := f.cards[s.node].rect
		fill := f.t.Soft
		if n := &f.s.Nodes[s.node]; n.Path == f.o.Selected {
			fill = f.t.Signal
		}
		f.panel(r, 0, fill, pen{})
		f.hit(f.s.Nodes[s.node].Path, rect{r.midX() - c.ticks.cell/2, r.midY() - c.ticks.cell/2, c.ticks.cell, c.ticks.cell})
	}
}

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
	var hub rect
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
		target, slot, ok := f.findAny(w.Path)
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
