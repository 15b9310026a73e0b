package client

import (
	"strings"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/stage/scene/floor"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
	"github.com/zkviz/zkviz/engine/stage/scene/remote"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
	"github.com/zkviz/zkviz/engine/stage/scene/watch"
)

// Clients plans the clients and their connections to ZooKeeper.
type Clients struct {
	f       *floor.Floor
	watches *watch.Watches
	facts   facts
	links   []linkPlan
	Letters []clientPlan // clients with their letter
	Dots    []dotPlan    // those that are too small for one
}

// Connect lets the clients find the floor, what nodes hold, and the lines of the watches.
func (cs *Clients) Connect(f *floor.Floor, held *remote.Holdings, w *watch.Watches) {
	cs.f, cs.watches, cs.facts.f, cs.facts.held = f, w, f, held
}

// Begin forgets the last plan and keeps its memory.
func (cs *Clients) Begin() {
	cs.links, cs.Letters, cs.Dots = cs.links[:0], cs.Letters[:0], cs.Dots[:0]
	cs.facts.watched = false
}

// Plan plans all clients. Those too small for a letter become dots.
func (cs *Clients) Plan() {
	f := cs.f
	for i := range f.Spots {
		switch p := &f.Spots[i]; {
		case p.Dot:
			cs.planDot(i)
		case p.R > 0:
			cs.planClient(i)
		}
	}
	cs.planRing()
}

// calmFrom is the part of a session from which its ring draws no attention to itself: its client is heard of in time.
const calmFrom = 0.4

// planClient plans client i at its spot: the ring that runs down, the letter, the sign and the words.
func (cs *Clients) planClient(i int) {
	f := cs.f
	c, p := &f.State.Clients[i], &f.Spots[i]
	key, s := f.Status(i)
	cs.Letters = append(cs.Letters, clientPlan{})
	out := &cs.Letters[len(cs.Letters)-1]
	out.Index, out.Name, out.x, out.y, out.r, out.disc, out.sign = i, c.Name, p.X, p.Y, p.R, s, s
	out.lit, out.stressed, out.Selected = f.Lit(i), f.Stressed(c.Name), f.Options.Selected == c.Name
	if c.Ended == view.Expired && s == floor.Paused && !floor.Deluded(c) {
		out.disc = floor.Absent
	}
	if f.Options.Without&mark.SessionTerm != 0 {
		out.ring = noRing
	} else if part, _, ok := cs.facts.holdLeft(i); ok {
		out.ring, out.left = partLeft, part
	} else if cs.facts.keyGone(i) {
		out.ring = partLeft
	} else if f.Kind == floor.RemoteKind && c.Started && !c.Exited && !c.Crashed {
		out.ring = unknownLeft
	} else if cs.facts.unasked(c) {
		out.ring = unknownLeft
	} else if part, _, ok := f.Left(c); ok {
		out.ring, out.left = partLeft, part
		out.calm = part >= calmFrom && !cs.facts.ill(c) && !out.stressed && !out.Selected
	} else if (f.Observed || !f.State.Counted()) && c.Session != 0 && c.Ended == view.Alive {
		out.ring = unknownLeft
	}
	a := text.Face{Size: max(text.MinSize, p.R*0.82), Bold: true}
	if name := text.Letter(i); a.Width(name) <= p.R*1.9 {
		out.letter = text.Centred(name, p.X, p.Y, a, text.InkPlain, p.R*1.9)
	}
	cs.planPending(i, p, out)
	cs.clientMarks(i, key, out)
	cs.planTimer(i, out)
	if p.Room > 0 {
		cs.planWords(i, p, key, out)
	} else if cs.planAside(i, p, key, out); floor.Deluded(c) && out.belief.W == 0 {
		out.wrong = geom.Round{X: p.X + p.R*0.98, Y: p.Y + p.R*0.98, R: max(4.5, p.R*0.4)}
	}
	cs.planPips(i, p, out)
	if w := &out.wrong; w.R > 0 {
		f.Shows(mark.Believes, text.Letter(i), "", geom.Around(w.X, w.Y, w.R))
	} else if b := &out.belief; b.W > 0 {
		f.Shows(mark.Believes, text.Letter(i), "", b.Rect)
	}
}

// planWords writes under a client what it does and how long its session lasts, or its wrong belief.
func (cs *Clients) planWords(i int, p *floor.Spot, key string, out *clientPlan) {
	f := cs.f
	m, c := &f.Sizes, &f.State.Clients[i]
	word := f.Word(c, key)
	y := p.Y + floor.RingOf(p.R) + p.R*0.36 + m.Bold.Size*0.98
	a := m.Bold
	for _, less := range [...]text.Face{m.Note, {Size: text.MinSize, Bold: true}, {Size: text.MinSize}} {
		if a.Width(word) > p.Room {
			a = less
		}
	}
	number := "" // that the phase's word ends with
	if n := len(word); key == floor.ItsPhase && c.Belief.Times == 0 && n > 0 && word[n-1] >= '0' && word[n-1] <= '9' {
		number = word[strings.LastIndexByte(word, ' ')+1:]
	}
	w := a.Fit(p.Room, word, number)
	out.word = text.At(w, p.X, y, a, text.Middle, text.InkPlain, p.Room)
	cs.wordMarks(i, key, word, out)
	deluded := floor.Deluded(c)
	if w != "" || word == "" && !deluded {
		y += m.Small.Size * 1.35
	}
	if deluded {
		logs := cs.facts.logged(c)
		if cs.planBelief(c, p, y, logs.long != "", out); logs.long != "" && out.belief.W > 0 {
			cs.planData(i, []datum{logs}, out.belief.Bottom()+m.Small.Size*1.1, p, out)
		}
		return
	}
	if path := c.Belief.Path; f.Routes.Free && event.Number(path) >= 0 && carries(c.Belief.Phase) {
		a := text.Face{Size: m.Small.Size, Mono: true}
		out.second = text.At(f.NameOf(path, a, p.Room), p.X, y, a, text.Middle, text.InkPlain, p.Room)
		return
	}
	if list, n := cs.facts.data(i); n > 0 {
		cs.planData(i, list[:n], y, p, out)
	}
	if f.Routes.Tree && c.Note != "" && !c.Crashed && !p.Brief {
		cs.planNote(c, p, y+m.Small.Size*0.55, out)
	}
}

// wordMarks records what the word for a client's state shows.
func (cs *Clients) wordMarks(i int, key, word string, out *clientPlan) {
	f, from := cs.f, len(cs.f.Marks)
	c := &f.State.Clients[i]
	f.Labelled(mark.State, text.Letter(i), cs.stateOf(c, key), &out.word)
	if key == floor.ItsPhase && c.Belief.Phase == program.Saw {
		f.Labelled(mark.Has, text.Letter(i), f.Num(c.Belief.Fence).Label(), &out.word)
	}
	if c.Belief.Times > 0 {
		f.Labelled(mark.Holds, text.Letter(i), f.Num(int64(c.Belief.Times)).Label(), &out.word)
	}
	f.Saying(from, word)
}

// planAside writes a client's word between it and the next one, where nodes leave no room for it below.
func (cs *Clients) planAside(i int, p *floor.Spot, key string, out *clientPlan) {
	f, a := cs.f, cs.f.Sizes.Small
	if f.Crowded || f.Routes.Pitch == 0 || f.Kind != floor.RemoteKind && (f.Routes.Rows > 1 || !f.Sizes.Tight) {
		return
	}
	ring := floor.RingOf(p.R)
	x := p.X + ring + 6
	room := min(p.X+f.Routes.Pitch-ring-6, f.Options.Width) - x
	if floor.Deluded(&f.State.Clients[i]) {
		q := *p
		q.Room = min(room-10, a.Size*6.5) // without the edges of what it's written on
		q.X = x + q.Room/2 + 5
		cs.planBelief(&f.State.Clients[i], &q, p.Y+4-a.Size*1.3, false, out)
		return
	}
	word := f.Word(&f.State.Clients[i], key)
	out.word = text.At(a.Fit(room, word), x, p.Y+a.Size*0.36, a, text.Start, text.InkPlain, room)
	cs.wordMarks(i, key, word, out)
}

// planData writes the most important datum of a client, and as many others as fit.
func (cs *Clients) planData(i int, list []datum, y float64, p *floor.Spot, out *clientPlan) {
	f := cs.f
	a := f.Sizes.Small
	for len(list) > 1 && list[0].short == "" && a.Width(list[0].long) > p.Room {
		list = list[1:]
	}
	long, said, n := list[0].long, a.Fit(p.Room, list[0].long, list[0].short), 1
	if said == "" {
		a.Size = text.MinSize
		said = a.Fit(p.Room, long, list[0].short)
	}
	for ; n < len(list) && said == long; n++ {
		more := f.Say(said, " · ", list[n].long).Label()
		if a.Width(more) > p.Room && list[n].kind == mark.Has {
			more = f.Say(said, " · ", list[n].short).Label()
			if n == 1 && list[0].kind == mark.Back { // which matters less
				more = f.Say(list[0].short, " · ", list[n].long).Label()
				a.Size = min(a.Size, max(text.MinSize, 0.98*a.Size*p.Room/a.Width(more)))
				if a.Width(more) > p.Room {
					more = f.Say(list[0].short, " · ", list[n].short).Label()
				}
			}
		}
		if a.Width(more) > p.Room {
			least := text.Face{Size: text.MinSize}
			if list[n].kind != mark.Has || least.Width(more) > p.Room {
				break
			}
			a = least
		}
		long, said = more, more
	}
	if n == 1 && len(list) > 1 && list[0].kind == mark.Unread && list[1].kind == mark.Has { // the value tells more
		if long = list[1].long; a.Width(long) <= p.Room {
			list, said = list[1:], long
		}
	}
	soft := text.InkSoft
	if list[0].kind != mark.Session {
		soft = text.InkPlain
	}
	out.second = text.At(said, p.X, y, a, text.Middle, soft, p.Room)
	for k := range n {
		from := len(f.Marks)
		f.Labelled(list[k].kind, text.Letter(i), list[k].value, &out.second)
		f.Saying(from, list[k].long)
	}
}

// planPending counts, next to a client, the events that it has not processed yet.
func (cs *Clients) planPending(i int, p *floor.Spot, out *clientPlan) {
	f := cs.f
	if !f.State.Clients[i].Paused {
		return
	}
	n := cs.pending(i)
	if n == 0 {
		return
	}
	a := f.Sizes.Note
	s := f.Say("! ").Num(int64(n)).Label()
	w, h := a.Width(s)+a.Size*0.8, a.Size*1.4
	off := max(p.R*0.98+w*0.6, p.R*0.82*0.5+2+w) // clear of the letter
	r := geom.R(max(p.X-off, 0), p.Y-p.R*0.98-h/2, w, h)
	out.pending = text.Tag{Rect: r, Radius: h / 2, Text: text.Centred(s, r.MidX(), r.MidY(), a, text.InkOnSignal, w)}
	f.Shows(mark.Pending, text.Letter(i), f.Num(int64(n)).Label(), r)
}

// stateOf returns a client's state as a word that doesn't depend on the language.
func (cs *Clients) stateOf(c *view.Client, key string) string {
	if key == floor.ItsPhase {
		return string(c.Belief.Phase)
	}
	return strings.TrimPrefix(strings.TrimPrefix(key, "scene."), "phase.")
}

// clientMarks records what a client's disc and ring show.
func (cs *Clients) clientMarks(i int, key string, out *clientPlan) {
	f := cs.f
	who := text.Letter(i)
	f.Labelled(mark.Client, who, "", &out.letter)
	ring := geom.Around(out.x, out.y, floor.RingOf(out.r))
	if out.ring == partLeft && f.Kind != floor.RemoteKind {
		f.Shows(mark.Session, who, f.Tenths(&f.State.Clients[i]), ring)
		f.Saying(len(f.Marks)-1, cs.facts.session(&f.State.Clients[i]).long)
	}
	if out.lit {
		f.Shows(mark.Inside, who, "", ring)
	}
	if f.Observed && out.sign == floor.Cut {
		f.Shows(mark.Silent, who, "", ring)
	}
	if out.sign != floor.Plain && out.sign != floor.Absent {
		f.Shows(mark.State, who, cs.stateOf(&f.State.Clients[i], key), ring)
		f.Saying(len(f.Marks)-1, f.Word(&f.State.Clients[i], key))
	}
}

// carries reports whether the phase means that a client has just put in or taken out an item.
func carries(p program.Phase) bool { return p == program.Produced || p == program.Consumed }

// planNote shows the latest note of a client below it, as its own words: it may no longer be true.
func (cs *Clients) planNote(c *view.Client, p *floor.Spot, top float64, out *clientPlan) {
	f := cs.f
	a := f.Sizes.Small
	s := f.Cut(c.Note, a, p.Room-12)
	w := a.Width(s) + 12
	r := geom.R(p.X-w/2, top, w, a.Size*1.6)
	out.note = text.Tag{Rect: r, Radius: 5, Text: text.Centred(s, p.X, r.MidY(), a, text.InkPlain, w)}
	f.Shows(mark.Said, text.Letter(out.Index), "", r)
	f.Saying(len(f.Marks)-1, s)
}

// planBelief says, below a client that is not inside, that it believes it is. It can say so briefly, in one line.
func (cs *Clients) planBelief(c *view.Client, p *floor.Spot, y float64, brief bool, out *clientPlan) {
	f := cs.f
	a, head, short := f.Sizes.Note, f.Phrase("scene.thinks"), f.Phrase("scene.thinks.short")
	tail := f.Phrase("scene.thinks.inside")
	if c.Belief.Phase == program.Leading {
		tail = f.Phrase("scene.thinks.leading")
	}
	wide := max(a.Width(head), a.Width(tail))
	if wide+8 > p.Room {
		a.Size = text.MinSize
		wide = max(a.Width(head), a.Width(tail))
	}
	top := y - a.Size*1.02
	line := func(s string, y float64) text.Label {
		return text.At(s, p.X, y, a, text.Middle, text.InkOnSignal, wide)
	}
	if wide <= p.Room && !brief {
		out.belief = text.Tag{Rect: geom.R(p.X-wide/2-5, top, wide+10, a.Size*2.35+4), Radius: 5,
			Text: line(head, top+a.Size*1.05+1)}
		out.second = line(tail, top+a.Size*2.2+1)
		return
	}
	if wide = a.Width(short); wide <= p.Room+2 {
		out.belief = text.Tag{Rect: geom.R(p.X-wide/2-3, top, wide+6, a.Size*1.25+3), Radius: 4,
			Text: line(short, top+a.Size*1.05+1)}
		return
	}
	r := p.R * 0.5
	out.wrong = geom.Round{X: p.X, Y: top + r, R: r}
}
