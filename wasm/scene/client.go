package scene

import (
	"github.com/zkviz/zkviz/engine/view"
	"github.com/zkviz/zkviz/engine/zoo"
)

// ringOf is the radius of the session ring round a disc of radius r.
func ringOf(r float64) float64 { return r * 1.36 }

// drawClient draws client i at its spot: the ring that runs down, the letter, the sign, the words.
func (f *Frame) drawClient(i int) {
	c, p := &f.s.Clients[i], &f.spots[i]
	if p.r <= 0 {
		return
	}
	word, s := f.status(i)
	ring := ringOf(p.r)
	if f.lit(c) {
		f.circle(p.x, p.y, ring+p.r*0.22, f.t.Accent.Fade(0.2), pen{colour: f.t.Accent, width: max(1.2, 2*f.m.k)})
	}
	f.stress(c.Name, p, ring)
	f.drawRing(c, i, p, ring)
	if c.Ended == view.Expired && s == paused {
		f.drawDisc(i, p, expired)
	} else {
		f.drawDisc(i, p, s)
	}
	f.drawSign(p, s)
	f.drawWords(c, p, word)
	side := max(ring*2, 24)
	f.hit(c.Name, rect{p.x - side/2, p.y - side/2, side, side})
}

// stress rings a client that is selected or in focus.
func (f *Frame) stress(id string, p *spot, ring float64) {
	if f.stressed(id) {
		f.circle(p.x, p.y, ring+p.r*0.32, f.t.Signal.Fade(0.08), pen{colour: f.t.Signal, width: max(1.5, 2*f.m.k), dash: 2, gap: 4})
	}
	if f.o.Selected == id {
		f.circle(p.x, p.y, ring+p.r*0.3, 0, pen{colour: f.t.Ink, width: max(1.5, 2.2*f.m.k)})
	}
}

func (f *Frame) drawRing(c *view.Client, i int, p *spot, ring float64) {
	w := max(2, p.r*0.21)
	part, _, ok := f.left(c)
	if !ok && f.observed() && c.Session != 0 && c.Ended == view.Alive {
		f.circle(p.x, p.y, ring, 0, pen{colour: f.t.client(i), width: w}) // how much is left is not known
		return
	}
	if !ok {
		f.circle(p.x, p.y, ring, 0, pen{colour: f.t.Grey, width: max(1, w*0.25), dash: 2, gap: 5})
		return
	}
	f.circle(p.x, p.y, ring, 0, pen{colour: f.t.Faint, width: w})
	colour := f.t.client(i)
	if part < 0.25 {
		colour = f.t.Signal
	}
	if part > 0 {
		f.arc(p.x, p.y, ring, part, pen{colour: colour, width: w})
	}
}

func (f *Frame) drawDisc(i int, p *spot, s sign) {
	fill, edge := f.t.client(i), pen{}
	ink := Colour(0xffffffff)
	if fill.light() {
		ink = 0x16201dff
	}
	switch s {
	case crashed, expired:
		edge = pen{colour: fill, width: max(1, 1.5*f.m.k), dash: 3, gap: 2}
		fill = f.t.Grey
		ink = 0x16201dff
	case absent:
		edge = pen{colour: fill, width: max(1, 1.5*f.m.k)}
		fill, ink = f.t.Card, f.t.Ink
	}
	f.circle(p.x, p.y, p.r, fill, edge)
	if i >= len(f.t.Client) && s != absent && p.r >= 8 {
		f.circle(p.x, p.y, p.r*0.84, 0, pen{colour: ink.Fade(0.55), width: 1}) // the colours repeat: a second sign
	}
	a := face{size: max(minText, p.r*0.82), bold: true}
	if name := f.letter(i); a.width(name) <= p.r*1.9 {
		f.middle(name, p.x, p.y, a, ink, p.r*1.9)
	}
}

// drawSign puts a small badge at the upper right of a client.
func (f *Frame) drawSign(p *spot, s sign) {
	if s == plain || s == absent || s == inside {
		return
	}
	r := max(4.5, p.r*0.4)
	x, y := p.x+p.r*0.98, p.y-p.r*0.98
	fill, ink := f.t.Signal, f.t.OnSig
	if s != woken {
		fill, ink = f.t.Ink, f.t.Paper
	}
	f.circle(x, y, r, fill, pen{colour: f.t.Paper, width: max(1, 1.4*f.m.k)})
	how := pen{colour: ink, width: max(1.2, r*0.3)}
	switch s {
	case woken:
		f.bang(x, y, r, how)
	case paused:
		f.line(x-r*0.28, y-r*0.4, x-r*0.28, y+r*0.4, how)
		f.line(x+r*0.28, y-r*0.4, x+r*0.28, y+r*0.4, how)
	case crashed, expired:
		f.cross(x, y, r*0.38, how)
	case cut:
		f.line(x-r*0.5, y, x-r*0.2, y, how)
		f.line(x+r*0.2, y, x+r*0.5, y, how)
	}
}

// bang is an exclamation mark made of lines, so that it needs no font.
func (f *Frame) bang(x, y, r float64, how pen) {
	f.line(x, y-r*0.5, x, y+r*0.1, how)
	f.circle(x, y+r*0.5, how.width*0.6, how.colour, pen{})
}

// drawWords writes what a client does under it, and how long its session lasts, or the belief that is wrong.
func (f *Frame) drawWords(c *view.Client, p *spot, word string) {
	if p.room <= 0 {
		if deluded(c) {
			f.drawWrong(p.x+p.r*0.98, p.y+p.r*0.98, max(4.5, p.r*0.4))
		}
		return
	}
	m := &f.m
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
	f.text(w, p.x, y, a, Middle, f.t.Ink, p.room)
	if w != "" || word == "" {
		y += m.small.size * 1.35
	}
	if deluded(c) {
		f.drawBelief(c, p, y)
		return
	}
	if f.routes.free && number(c.Belief.Path) >= 0 && (c.Belief.Phase == zoo.Produced || c.Belief.Phase == zoo.Consumed) {
		a := f.m.name
		a.size = m.small.size
		f.text(f.nameOf(c.Belief.Path, a, p.room), p.x, y, a, Middle, f.t.Ink, p.room)
		f.left(c)
		return
	}
	if _, left, ok := f.left(c); ok {
		short := f.seconds(left)
		long := f.say(f.words.Session, " ", short).label()
		if f.isGuest(c) {
			long = f.say(f.words.Yours, " · ", short).label()
		}
		f.text(m.small.fit(p.room, long, short), p.x, y, m.small, Middle, f.t.Soft, p.room)
	}
	if f.routes.tree && c.Note != "" && !c.Crashed {
		f.drawNote(c, p, y+m.small.size*0.55)
	}
}

// drawNote shows under a client what it last said, as its own words: it may no longer be true.
func (f *Frame) drawNote(c *view.Client, p *spot, top float64) {
	a := f.m.small
	s := f.cut(c.Note, a, p.room-12)
	w := a.width(s) + 12
	r := rect{p.x - w/2, top, w, a.size * 1.6}
	f.panel(r, 5, f.t.Card, pen{colour: f.t.Edge, width: 1})
	f.middle(s, p.x, r.midY(), a, f.t.Ink, w)
}

// drawBelief says, under a client that is not inside, that it thinks it is.
func (f *Frame) drawBelief(c *view.Client, p *spot, y float64) {
	a, w := f.m.note, f.words
	tail := w.ThinksTail
	switch c.Belief.Phase {
	case zoo.Holding:
	case zoo.Leading:
		tail = w.ThinksLeads
	default:
		tail = w.ThinksIn
	}
	wide := max(a.width(w.ThinksLong), a.width(tail))
	if wide+8 > p.room {
		a.size = minText
		wide = max(a.width(w.ThinksLong), a.width(tail))
	}
	top := y - a.size*1.02
	if wide+6 <= p.room+6 {
		r := rect{p.x - wide/2 - 5, top, wide + 10, a.size*2.35 + 4}
		f.panel(r, 5, f.t.Signal, pen{})
		f.text(w.ThinksLong, p.x, top+a.size*1.05+1, a, Middle, f.t.OnSig, wide)
		f.text(tail, p.x, top+a.size*2.2+1, a, Middle, f.t.OnSig, wide)
		return
	}
	if wide = a.width(w.ThinksShort); wide <= p.room+2 {
		f.panel(rect{p.x - wide/2 - 3, top, wide + 6, a.size*1.25 + 3}, 4, f.t.Signal, pen{})
		f.text(w.ThinksShort, p.x, top+a.size*1.05+1, a, Middle, f.t.OnSig, wide)
		return
	}
	r := p.r * 0.5
	f.drawWrong(p.x, top+r, r)
}

// drawWrong marks a client whose belief is wrong where there is no room to say so.
func (f *Frame) drawWrong(x, y, r float64) {
	f.circle(x, y, r, f.t.Signal, pen{})
	f.bang(x, y, r, pen{colour: f.t.OnSig, width: max(1.2, r*0.3)})
}
