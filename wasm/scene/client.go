package scene

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/view"
	"github.com/zkviz/zkviz/engine/zoo"
)

// ringOf is the radius of the session ring round a disc of radius r.
func ringOf(r float64) float64 { return r * 1.36 }

// planClients plans all clients: those that are too small for a letter as dots.
func (l *Layout) planClients() {
	for i := range l.spots {
		switch p := &l.spots[i]; {
		case p.dot:
			l.planDot(i)
		case p.r > 0:
			l.planClient(i)
		}
	}
}

// planClient plans client i at its spot: the ring that runs down, the letter, the sign, the words.
func (l *Layout) planClient(i int) {
	c, p := &l.s.Clients[i], &l.spots[i]
	key, s := l.status(i)
	out := added(&l.p.clients)
	out.index, out.name, out.x, out.y, out.r, out.disc, out.sign = i, c.Name, p.x, p.y, p.r, s, s
	out.lit, out.stressed, out.selected = l.lit(c), l.stressed(c.Name), l.o.Selected == c.Name
	if c.Ended == view.Expired && s == paused && !deluded(c) {
		out.disc = expired
	}
	if part, _, ok := l.left(c); ok {
		out.ring, out.left = partLeft, part
	} else if l.observed && c.Session != 0 && c.Ended == view.Alive {
		out.ring = unknownLeft
	}
	a := face{size: max(minText, p.r*0.82), bold: true}
	if name := letter(i); a.width(name) <= p.r*1.9 {
		out.letter = middle(name, p.x, p.y, a, inkPlain, p.r*1.9)
	}
	if p.room > 0 {
		l.planWords(c, p, l.word(c, key), out)
	} else if deluded(c) {
		out.wrong = spotMark{p.x + p.r*0.98, p.y + p.r*0.98, max(4.5, p.r*0.4)}
	}
}

// planWords writes what a client does under it, and how long its session lasts, or the belief that is wrong.
func (l *Layout) planWords(c *view.Client, p *spot, word string, out *clientPlan) {
	m := &l.m
	y := p.y + ringOf(p.r) + p.r*0.36 + m.bold.size*0.98
	a := m.bold
	if a.width(word) > p.room {
		a = m.note
	}
	if a.width(word) > p.room {
		a.size = minText
	}
	if a.width(word) > p.room {
		a.bold = false
	}
	w := a.fit(p.room, word)
	out.word = text(w, p.x, y, a, Middle, inkPlain, p.room)
	if w != "" || word == "" {
		y += m.small.size * 1.35
	}
	if deluded(c) {
		l.planBelief(c, p, y, out)
		return
	}
	if path := c.Belief.Path; l.routes.free && event.Number(path) >= 0 && carries(c.Belief.Phase) {
		a := face{size: m.small.size, mono: true}
		out.second = text(l.nameOf(path, a, p.room), p.x, y, a, Middle, inkPlain, p.room)
		return
	}
	if _, left, ok := l.left(c); ok {
		short := l.seconds(left)
		long := l.phrase("scene.session", short)
		if l.isForeign(c) {
			long = l.phrase("scene.yours", short)
		}
		out.second = text(m.small.fit(p.room, long, short), p.x, y, m.small, Middle, inkSoft, p.room)
	}
	if l.routes.tree && c.Note != "" && !c.Crashed {
		l.planNote(c, p, y+m.small.size*0.55, out)
	}
}

// carries reports whether a client in the phase has just had an item in its hands.
func carries(p zoo.Phase) bool { return p == zoo.Produced || p == zoo.Consumed }

// planNote shows under a client what it last said, as its own words: it may no longer be true.
func (l *Layout) planNote(c *view.Client, p *spot, top float64, out *clientPlan) {
	a := l.m.small
	s := l.cut(c.Note, a, p.room-12)
	w := a.width(s) + 12
	r := rect{p.x - w/2, top, w, a.size * 1.6}
	out.note = tag{rect: r, radius: 5, text: middle(s, p.x, r.midY(), a, inkPlain, w)}
}

// planBelief says, under a client that is not inside, that it thinks it is.
func (l *Layout) planBelief(c *view.Client, p *spot, y float64, out *clientPlan) {
	a, head, short := l.m.note, l.phrase("scene.thinks"), l.phrase("scene.thinks.short")
	var tail string
	switch c.Belief.Phase {
	case zoo.Holding:
		tail = l.phrase("scene.thinks.holding")
	case zoo.Leading:
		tail = l.phrase("scene.thinks.leading")
	default:
		tail = l.phrase("scene.thinks.inside")
	}
	wide := max(a.width(head), a.width(tail))
	if wide+8 > p.room {
		a.size = minText
		wide = max(a.width(head), a.width(tail))
	}
	top := y - a.size*1.02
	line := func(s string, y float64) label { return text(s, p.x, y, a, Middle, inkOnSignal, wide) }
	if wide <= p.room {
		out.belief = tag{rect: rect{p.x - wide/2 - 5, top, wide + 10, a.size*2.35 + 4}, radius: 5,
			text: line(head, top+a.size*1.05+1)}
		out.second = line(tail, top+a.size*2.2+1)
		return
	}
	if wide = a.width(short); wide <= p.room+2 {
		out.belief = tag{rect: rect{p.x - wide/2 - 3, top, wide + 6, a.size*1.25 + 3}, radius: 4,
			text: line(short, top+a.size*1.05+1)}
		return
	}
	r := p.r * 0.5
	out.wrong = spotMark{p.x, top + r, r}
}
