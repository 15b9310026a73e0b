package scene

import (
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/view"
)

// arriveFor is how long the line of a write that has just reached the store is shown.
const arriveFor = 1500 * time.Millisecond

// hasStore reports whether clients write to something outside of ZooKeeper. There is room for it from the start where the
// recipe says so, so that nothing moves when the first of them does.
func (f *Frame) hasStore() bool { return f.s.Header.Drawing.Store || len(f.s.Stores) > 0 }

// drawStore draws what the lock protects, outside of ZooKeeper and under the clients: the greatest number that
// it has taken, and the latest writes, those that it refused crossed out.
func (f *Frame) drawStore() {
	m, in := &f.m, f.inner()
	if m.storeH == 0 {
		return
	}
	r := rect{in.x, in.bottom() - m.stripH - m.margin*0.25, in.w, m.stripH}
	if len(f.s.Stores) > 0 {
		f.halo(f.s.Stores[0].Name, r)
	}
	f.panel(r, min(8*m.k, m.stripH/3), f.t.Panel, pen{colour: f.t.Soft, width: max(1.2, 1.6*m.k)})
	if len(f.s.Stores) == 0 {
		f.storeName(r, f.words.Store, f.words.NoWrites)
		return
	}
	s := &f.s.Stores[0]
	about := ""
	if s.Greatest > 0 {
		about = f.say(f.words.Greatest, " ").num(s.Greatest).label()
	}
	left := f.storeName(r, s.Name, about)
	right := r.right() - m.pad*0.6
	for i := len(s.Writes) - 1; i >= 0 && s.Writes[i].Client != 0; i-- {
		w := f.chip(&s.Writes[i], r, right, left)
		if w == 0 {
			break
		}
		if f.at-s.Writes[i].At < arriveFor {
			f.reach(&s.Writes[i], r)
		}
		right -= w + max(4, 7*m.k)
	}
}

// storeName writes the store's name and what there is to say of it, and returns where that ends.
func (f *Frame) storeName(r rect, name, about string) float64 {
	m := &f.m
	x, room := r.x+m.pad*0.8, r.w*0.5
	name = f.cut(name, m.bold, room)
	f.text(name, x, r.midY()+m.bold.size*0.36, m.bold, Start, f.t.Ink, room)
	x += m.bold.width(name) + 8
	if about = m.small.fit(r.w*0.4-x+r.x, about); about == "" {
		return x
	}
	f.text(about, x, r.midY()+m.small.size*0.36, m.small, Start, f.t.Soft, room)
	return x + m.small.width(about) + 8
}

// chip draws one write, its right end at right, unless it would reach over left; it returns its width, 0 for
// none.
func (f *Frame) chip(w *view.Write, r rect, right, left float64) float64 {
	m := &f.m
	i := f.client(w.Client)
	if i < 0 {
		return 0
	}
	a := m.small
	s := f.sayWrite(w, i)
	wide := a.width(s) + 12*max(m.k, 0.7)
	if right-wide < left {
		return 0
	}
	h := a.size + max(4, 7*m.k)
	b := rect{right - wide, r.midY() - h/2, wide, h}
	how, fill, ink := pen{colour: f.t.client(i), width: max(1.2, 1.6*m.k)}, f.t.Card, f.t.Ink
	if w.Refused {
		how.dash, how.gap = 3*max(m.k, 0.8), 2*max(m.k, 0.8)
		fill, ink = f.t.Signal, f.t.OnSig
	}
	f.panel(b, h/2, fill, how)
	f.middle(s, b.midX(), b.midY(), a, ink, wide)
	return wide
}

// sayWrite is a write in words: who, what, and with which number.
func (f *Frame) sayWrite(w *view.Write, client int) string {
	what := strings.TrimPrefix(w.Text, f.s.Clients[client].Name+" ")
	if len(what) > 24 {
		what = ""
	}
	f.say(f.letter(client), " ", what)
	if w.Fence > 0 {
		f.say(" · ").num(w.Fence)
	}
	if w.Refused {
		f.say(" · ", f.words.Refused)
	}
	return f.label()
}

// reach draws the way of a write that has just arrived, past the words of its client and down to the store,
// with a cross at its end if it was refused.
func (f *Frame) reach(w *view.Write, r rect) {
	p := &f.spots[f.client(w.Client)]
	if p.r <= 0 || p.dot {
		return
	}
	if !f.o.Still {
		f.Moving = true
	}
	m := &f.m
	colour := f.t.client(f.client(w.Client))
	if w.Refused {
		colour = f.t.Signal
	}
	ring, x := ringOf(p.r), p.x+max(p.room/2, ringOf(p.r)+6)
	side, words := ring*0.8, p.y+ring+p.r*0.36
	how := pen{colour: colour, width: max(1.5, 2*m.k)}
	f.curve(cubic{p.x + side, p.y + side, p.x + side, p.y + ring, x, p.y + side, x, words}, how, 0)
	f.line(x, words, x, r.y, how)
	if w.Refused {
		f.cross(x, r.y, 5*max(m.k, 0.7), pen{colour: colour, width: max(2, 2.5*m.k)})
		return
	}
	f.circle(x, r.y, 4*max(m.k, 0.7), colour, pen{})
}
