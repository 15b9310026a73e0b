package scene

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/view"
)

// drawNode draws a znode's card: dashed if it is ephemeral, lit if its owner is inside, faint as it goes.
func (f *Frame) drawNode(n *view.Node, r rect) {
	alpha := 1.0
	if n.Gone {
		alpha = f.fading(n)
	} else if g := f.grown(n.Created); g < 1 {
		g = ease(g)
		alpha = g
		r = r.grown((g - 1) * r.h * 0.25)
	}
	owner := f.owner(n)
	f.outline(n, r, owner, alpha)
	f.nodeText(n, r, owner, alpha)
	f.hit(n.Path, r)
}

// outline draws a card without its words.
func (f *Frame) outline(n *view.Node, r rect, owner int, alpha float64) {
	m := &f.m
	edge, fill := f.t.Soft, f.t.Card
	if owner >= 0 && n.Mode.IsEphemeral() {
		edge = f.t.client(owner)
	}
	if f.holds(n, owner) {
		fill = f.t.Lit
	}
	how := pen{colour: edge.Fade(alpha), width: max(1.2, 1.8*m.k)}
	if n.Mode.IsEphemeral() {
		how.dash, how.gap = 4*max(m.k, 0.8), 3*max(m.k, 0.8)
	}
	f.halo(n.Path, r)
	f.panel(r, 7*m.k, fill.Fade(alpha), how)
	if f.o.Selected == n.Path {
		f.panel(r.grown(3*m.k), 9*m.k, 0, pen{colour: f.t.Ink, width: max(1.5, 2*m.k)})
	}
	if n.Version > 0 {
		if p := f.passed(n.Changed, flashFor); p < 1 {
			f.panel(r.grown(3*m.k), 9*m.k, 0, pen{colour: f.t.Accent.Fade(1 - p), width: 3 * m.k})
		}
	}
}

// halo stresses a card if it is in focus.
func (f *Frame) halo(path string, r rect) {
	if f.stressed(path) {
		m := &f.m
		f.panel(r.grown(4*m.k), 9*m.k, f.t.Signal.Fade(0.14), pen{colour: f.t.Signal, width: max(1.5, 2*m.k), dash: 2, gap: 3})
	}
}

// fading is how much of a deleted znode is left to see.
func (f *Frame) fading(n *view.Node) float64 {
	if f.o.Still {
		return 0.55
	}
	if f.at < n.GoneAt+view.Keep {
		f.Moving = true
	}
	dur := fadeFor
	if f.routes.free || f.crowded {
		dur = leaveFor
	}
	p := f.passed(n.GoneAt, dur)
	return 0.75 * (1 - p*p)
}

// holds reports whether a znode is the one that lets its owner be inside.
func (f *Frame) holds(n *view.Node, owner int) bool {
	if f.inZoo() {
		return n.Path == f.first && !n.Gone && f.first != ""
	}
	return owner >= 0 && !n.Gone && f.s.Clients[owner].Inside &&
		(f.s.Clients[owner].Belief.Path == n.Path || f.s.Clients[owner].Belief.Path == "")
}

func (f *Frame) nodeText(n *view.Node, r rect, owner int, alpha float64) {
	m := &f.m
	room := r.w - 4
	name := f.name(n, m.name, room)
	second := ""
	if r.h >= m.name.size+m.small.size+5 {
		second = f.kindOf(n, owner, room)
	}
	ink, soft := f.t.Ink.Fade(max(alpha, 0)), f.t.Soft.Fade(max(alpha, 0))
	if second == "" {
		f.middle(name, r.midX(), r.midY(), m.name, ink, room)
	} else {
		f.middle(name, r.midX(), r.midY()-m.small.size*0.58, m.name, ink, room)
		f.middle(second, r.midX(), r.midY()+m.name.size*0.64, m.small, soft, room)
	}
	if n.Gone {
		f.line(r.x+3, r.midY(), r.right()-3, r.midY(), pen{colour: f.t.Soft.Fade(alpha * 0.8), width: max(1, 1.3*m.k)})
	}
}

// kindOf is a card's second line: what kind of znode it is and whose, or how it went.
func (f *Frame) kindOf(n *view.Node, owner int, room float64) string {
	w, a := f.words, f.m.small
	if n.Gone {
		if n.Why == event.BySessionExpired {
			return a.fit(room, w.Expired)
		}
		return a.fit(room, w.Deleted)
	}
	if n.Data != "" && f.routes.free {
		return f.cut(n.Data, a, room)
	}
	if !n.Mode.IsEphemeral() {
		return a.fit(room, w.Persistent)
	}
	if owner < 0 {
		return a.fit(room, w.Ephemeral, w.Eph)
	}
	who := f.letter(owner)
	long := f.say(w.Ephemeral, " · ", who).label()
	widest := a.width("W") - a.width(who) // the same form for all letters
	if a.width(long)+widest <= room {
		return long
	}
	short := f.say(w.Eph, " · ", who).label()
	if a.width(short)+widest <= room {
		return short
	}
	return a.fit(room, who)
}

// drawMissing draws the place of a znode that is watched, or awaited, and not there.
func (f *Frame) drawMissing(p string, r rect) {
	m := &f.m
	f.halo(p, r)
	f.panel(r, 7*m.k, 0, pen{colour: f.t.Grey, width: max(1, 1.2*m.k), dash: 2, gap: 4})
	room := r.w - 4
	name := f.cut(base(p), m.name, room)
	second := ""
	if r.h >= m.name.size+m.small.size+5 {
		second = m.small.fit(room, f.words.NotThere)
	}
	if second == "" {
		f.middle(name, r.midX(), r.midY(), m.name, f.t.Soft, room)
	} else {
		f.middle(name, r.midX(), r.midY()-m.small.size*0.58, m.name, f.t.Soft, room)
		f.middle(second, r.midX(), r.midY()+m.name.size*0.64, m.small, f.t.Soft, room)
	}
	if f.o.Selected == p {
		f.panel(r.grown(3*m.k), 9*m.k, 0, pen{colour: f.t.Ink, width: max(1.5, 2*m.k)})
	}
	f.hit(p, r)
}

// drawTab says on the top of the holder's card who is inside.
func (f *Frame) drawTab(r rect, owner int, room float64) {
	a, m := f.m.note, &f.m
	long, short := f.words.IsInside, f.words.Inside
	if owner < 0 || !f.s.Clients[owner].Inside { // in the zoo: more is not known
		long, short = f.words.IsFirst, f.words.First
	}
	if owner >= 0 {
		long = f.say(f.letter(owner), " ", long).label()
	} else {
		long = short
	}
	s := a.fit(room-10, long, short)
	if s == "" {
		f.panel(rect{r.x + 2, r.y - 5*m.k, r.w - 4, 4 * m.k}, 2, f.t.Accent, pen{})
		return
	}
	w := a.width(s) + 12*max(m.k, 0.7)
	h := a.size + max(4, 7*m.k)
	f.panel(rect{r.midX() - w/2, r.y - h - 2, w, h}, h/2, f.t.Accent, pen{})
	f.middle(s, r.midX(), r.y-h/2-2, a, f.t.OnAcc, w)
	f.tabbed = true
}
