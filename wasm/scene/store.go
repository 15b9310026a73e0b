package scene

import (
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/view"
)

// arriveFor is how long the line of a write that has just reached the store is shown.
const arriveFor = 1500 * time.Millisecond

// hasStore reports whether clients write to something outside of ZooKeeper. Where the log says that they will, it has
// its place from the start, so that nothing moves when the first of them does.
func (l *Layout) hasStore() bool { return len(l.s.Header.Drawing.Stores) > 0 || len(l.s.Stores) > 0 }

// planStore plans what the lock protects, outside of ZooKeeper and under the clients: the greatest number that it has
// taken, and the latest writes.
func (l *Layout) planStore() {
	m, in, p := &l.m, l.inner(), &l.p.store
	if m.storeH == 0 {
		return
	}
	r := rect{in.x, in.bottom() - m.stripH - m.margin*0.25, in.w, m.stripH}
	p.rect = r
	if len(l.s.Stores) == 0 {
		l.storeName(p, l.phrase("scene.store"), l.phrase("scene.no-writes"))
		return
	}
	s := &l.s.Stores[0] // of several, the one that was written to first: there is room for one
	p.stressed = l.stressed(s.Name)
	about := ""
	if s.Greatest > 0 {
		about = l.phrase("scene.greatest", l.num(s.Greatest).label())
	}
	left := l.storeName(p, s.Name, about)
	right := r.right() - m.pad*0.6
	for i := len(s.Writes) - 1; i >= 0 && s.Writes[i].Client != 0; i-- {
		w, ok := l.write(&s.Writes[i], r, right, left)
		if !ok {
			break
		}
		p.writes = append(p.writes, w)
		right -= w.w + max(4, 7*m.k)
	}
}

// storeName plans the store's name and what there is to say of it, and returns where that ends.
func (l *Layout) storeName(p *storePlan, name, about string) float64 {
	m, r := &l.m, p.rect
	x, room := r.x+m.pad*0.8, r.w*0.5
	name = l.cut(name, m.bold, room)
	p.name = text(name, x, r.midY()+m.bold.size*0.36, m.bold, Start, inkPlain, room)
	x += m.bold.width(name) + 8
	if about = m.small.fit(r.w*0.4-x+r.x, about); about == "" {
		return x
	}
	p.about = text(about, x, r.midY()+m.small.size*0.36, m.small, Start, inkSoft, room)
	return x + m.small.width(about) + 8
}

// write plans one write, its right end at right; ok is false if it would reach over left.
func (l *Layout) write(w *view.Write, r rect, right, left float64) (p writePlan, ok bool) {
	m, i := &l.m, l.client(w.Client)
	if i < 0 {
		return p, false
	}
	a := m.small
	s := l.sayWrite(w, i)
	wide := a.width(s) + 12*max(m.k, 0.7)
	if right-wide < left {
		return p, false
	}
	h := a.size + max(4, 7*m.k)
	b := rect{right - wide, r.midY() - h/2, wide, h}
	colour := inkPlain
	if w.Refused {
		colour = inkOnSignal
	}
	p = writePlan{client: i, refused: w.Refused, bottom: r.y,
		tag: tag{rect: b, radius: h / 2, text: middle(s, b.midX(), b.midY(), a, colour, wide)}}
	if at := &l.spots[i]; l.at-w.At < arriveFor && at.r > 0 && !at.dot {
		l.p.Moving = l.p.Moving || !l.o.Still
		p.arrives, p.bend = true, bend(at)
	}
	return p, true
}

// bend is the way of a write from its client to beside the words of that one.
func bend(p *spot) cubic {
	ring, x := ringOf(p.r), p.x+max(p.room/2, ringOf(p.r)+6)
	side := ring * 0.8
	return cubic{p.x + side, p.y + side, p.x + side, p.y + ring, x, p.y + side, x, p.y + ring + p.r*0.36}
}

// sayWrite is a write in words: who, what, and with which number.
func (l *Layout) sayWrite(w *view.Write, client int) string {
	what := strings.TrimPrefix(w.Text, l.s.Clients[client].Name+" ")
	if len(what) > 24 {
		what = ""
	}
	refused := l.phrase("scene.refused")
	l.say(letter(client), " ", what)
	if w.Fence > 0 {
		l.say(" · ").num(w.Fence)
	}
	if w.Refused {
		l.say(" · ", refused)
	}
	return l.label()
}
