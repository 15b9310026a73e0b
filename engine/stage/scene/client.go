package scene

import (
	"strings"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
)

// ringOf returns the radius of the session ring around a disc of radius r.
func ringOf(r float64) float64 { return r * 1.36 }

// clients plans the clients and their connections to ZooKeeper.
type clients struct {
	*floor
	facts   facts
	links   []linkPlan
	letters []clientPlan // clients with their letter
	dots    []dotPlan    // those that are too small for one
}

func (cs *clients) begin() {
	cs.links, cs.letters, cs.dots = cs.links[:0], cs.letters[:0], cs.dots[:0]
	cs.facts.watched = false
}

// planClients plans all clients. Those too small for a letter become dots.
func (cs *clients) planClients() {
	for i := range cs.spots {
		switch p := &cs.spots[i]; {
		case p.dot:
			cs.planDot(i)
		case p.r > 0:
			cs.planClient(i)
		}
	}
}

// planClient plans client i at its spot: the ring that runs down, the letter, the sign and the words.
func (cs *clients) planClient(i int) {
	c, p := &cs.s.Clients[i], &cs.spots[i]
	key, s := cs.status(i)
	out := added(&cs.letters)
	out.index, out.name, out.x, out.y, out.r, out.disc, out.sign = i, c.Name, p.x, p.y, p.r, s, s
	out.lit, out.stressed, out.selected = cs.lit(i), cs.stressed(c.Name), cs.o.Selected == c.Name
	if c.Ended == view.Expired && s == paused && !deluded(c) {
		out.disc = expired
	}
	if part, _, ok := cs.facts.holdLeft(i); ok {
		out.ring, out.left = partLeft, part
	} else if cs.kind == remoteKind && c.Started && !c.Exited && !c.Crashed {
		out.ring = unknownLeft
	} else if part, _, ok := cs.left(c); ok {
		out.ring, out.left = partLeft, part
	} else if (cs.observed || !cs.s.Counted()) && c.Session != 0 && c.Ended == view.Alive {
		out.ring = unknownLeft
	}
	a := face{size: max(minText, p.r*0.82), bold: true}
	if name := letter(i); a.width(name) <= p.r*1.9 {
		out.letter = middle(name, p.x, p.y, a, inkPlain, p.r*1.9)
	}
	cs.planPending(i, p, out)
	cs.clientMarks(i, key, out)
	cs.planTimer(i, out)
	cs.planPips(i, p, out)
	if p.room > 0 {
		cs.planWords(i, p, key, out)
	} else if deluded(c) {
		out.wrong = spotMark{p.x + p.r*0.98, p.y + p.r*0.98, max(4.5, p.r*0.4)}
	}
	if w := &out.wrong; w.r > 0 {
		cs.shows(BelievesMark, letter(i), "", around(w.x, w.y, w.r))
	} else if b := &out.belief; b.w > 0 {
		cs.shows(BelievesMark, letter(i), "", b.rect)
	}
}

// planWords writes under a client what it does and how long its session lasts, or its wrong belief.
func (cs *clients) planWords(i int, p *spot, key string, out *clientPlan) {
	m, c := &cs.m, &cs.s.Clients[i]
	word := cs.word(c, key)
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
	from := len(cs.marks)
	cs.labelled(StateMark, letter(i), cs.stateOf(c, key), &out.word)
	if key == itsPhase && c.Belief.Phase == program.Saw {
		cs.labelled(HasMark, letter(i), cs.num(c.Belief.Fence).label(), &out.word)
	}
	if c.Belief.Times > 0 {
		cs.labelled(HoldsMark, letter(i), cs.num(int64(c.Belief.Times)).label(), &out.word)
	}
	cs.saying(from, word)
	if w != "" || word == "" {
		y += m.small.size * 1.35
	}
	if deluded(c) {
		cs.planBelief(c, p, y, out)
		return
	}
	if path := c.Belief.Path; cs.routes.free && event.Number(path) >= 0 && carries(c.Belief.Phase) {
		a := face{size: m.small.size, mono: true}
		out.second = text(cs.nameOf(path, a, p.room), p.x, y, a, Middle, inkPlain, p.room)
		return
	}
	if list, n := cs.facts.data(i); n > 0 {
		cs.planData(i, list[:n], y, p, out)
	}
	if cs.routes.tree && c.Note != "" && !c.Crashed {
		cs.planNote(c, p, y+m.small.size*0.55, out)
	}
}

// planData writes the most important datum of a client, and as many others as fit.
func (cs *clients) planData(i int, list []datum, y float64, p *spot, out *clientPlan) {
	a := cs.m.small
	long, said, n := list[0].long, a.fit(p.room, list[0].long, list[0].short), 1
	if said == "" {
		a.size = minText
		said = a.fit(p.room, long, list[0].short)
	}
	for ; n < len(list) && said == long; n++ {
		more := cs.say(said, " · ", list[n].long).label()
		if a.width(more) > p.room {
			break
		}
		long, said = more, more
	}
	soft := inkSoft
	if list[0].kind != SessionMark {
		soft = inkPlain
	}
	out.second = text(said, p.x, y, a, Middle, soft, p.room)
	for k := range n {
		from := len(cs.marks)
		cs.labelled(list[k].kind, letter(i), list[k].value, &out.second)
		cs.saying(from, list[k].long)
	}
}

// planPending counts, next to a client, the events that it has not processed yet.
func (cs *clients) planPending(i int, p *spot, out *clientPlan) {
	if !cs.s.Clients[i].Paused {
		return
	}
	n := cs.pending(i)
	if n == 0 {
		return
	}
	a := cs.m.note
	s := cs.say("! ").num(int64(n)).label()
	w, h := a.width(s)+a.size*0.8, a.size*1.4
	off := max(p.r*0.98+w*0.6, p.r*0.82*0.5+2+w) // clear of the letter
	r := rect{max(p.x-off, 0), p.y - p.r*0.98 - h/2, w, h}
	out.pending = tag{rect: r, radius: h / 2, text: middle(s, r.midX(), r.midY(), a, inkOnSignal, w)}
	cs.shows(PendingMark, letter(i), cs.num(int64(n)).label(), r)
}

// stateOf returns a client's state as a word that doesn't depend on the language.
func (cs *clients) stateOf(c *view.Client, key string) string {
	if key == itsPhase {
		return string(c.Belief.Phase)
	}
	return strings.TrimPrefix(key, "scene.")
}

// clientMarks records what a client's disc and ring show.
func (cs *clients) clientMarks(i int, key string, out *clientPlan) {
	who := letter(i)
	cs.labelled(ClientMark, who, "", &out.letter)
	ring := around(out.x, out.y, ringOf(out.r))
	if out.ring == partLeft && cs.kind != remoteKind {
		cs.shows(SessionMark, who, cs.tenths(&cs.s.Clients[i]), ring)
		cs.saying(len(cs.marks)-1, cs.facts.session(&cs.s.Clients[i]).long)
	}
	if out.lit {
		cs.shows(InsideMark, who, "", ring)
	}
	if cs.observed && out.sign == cut {
		cs.shows(SilentMark, who, "", ring)
	}
	if out.sign != plain && out.sign != absent {
		cs.shows(StateMark, who, cs.stateOf(&cs.s.Clients[i], key), ring)
		cs.saying(len(cs.marks)-1, cs.word(&cs.s.Clients[i], key))
	}
}

// carries reports whether the phase means that a client has just put in or taken out an item.
func carries(p program.Phase) bool { return p == program.Produced || p == program.Consumed }

// planNote shows the latest note of a client below it, as its own words: it may no longer be true.
func (cs *clients) planNote(c *view.Client, p *spot, top float64, out *clientPlan) {
	a := cs.m.small
	s := cs.cut(c.Note, a, p.room-12)
	w := a.width(s) + 12
	r := rect{p.x - w/2, top, w, a.size * 1.6}
	out.note = tag{rect: r, radius: 5, text: middle(s, p.x, r.midY(), a, inkPlain, w)}
	cs.shows(SaidMark, letter(out.index), "", r)
	cs.saying(len(cs.marks)-1, s)
}

// planBelief says, below a client that is not inside, that it believes it is.
func (cs *clients) planBelief(c *view.Client, p *spot, y float64, out *clientPlan) {
	a, head, short := cs.m.note, cs.phrase("scene.thinks"), cs.phrase("scene.thinks.short")
	var tail string
	switch c.Belief.Phase {
	case program.Holding:
		tail = cs.phrase("scene.thinks.holding")
	case program.Leading:
		tail = cs.phrase("scene.thinks.leading")
	default:
		tail = cs.phrase("scene.thinks.inside")
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
