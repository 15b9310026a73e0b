package scene

import (
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
)

// store plans the store that the lock protects, below the clients.
type store struct {
	*floor
	plan storePlan
}

func (st *store) begin() { st.plan = st.plan.emptied() }

// hasStore reports whether clients write to a store outside of ZooKeeper. If the header announces one, it has its place
// from the start, so that nothing moves at the first write.
func (st *store) hasStore() bool { return len(st.s.Header.Drawing.Stores) > 0 || len(st.s.Stores) > 0 }

// storeHeight returns the height of the band below the clients. It depends only on the size of the picture.
func (st *store) storeHeight() float64 {
	part := 0.095
	if st.o.Height < 400 {
		part = 0.075
	}
	return min(max(st.o.Height*part, st.m.stripH), st.m.stripH*2.2)
}

// planStore plans the store that the lock protects, below the clients.
func (st *store) planStore() {
	m, in, p := &st.m, st.inner(), &st.plan
	if m.storeH == 0 {
		return
	}
	h := st.storeHeight()
	p.rect = rect{in.x, st.foot() - m.stripH - m.margin*0.25 - h, in.w, h}
	if len(st.s.Stores) == 0 {
		st.nameStore("", st.phrase("scene.no-writes"))
		return
	}
	s := &st.s.Stores[0] // the first of several: there is room for one
	p.stressed = s.Name != "" && st.stressed(s.Name)
	room := st.nameStore(s.Name, st.aboutStore(s))
	switch s.Form {
	case event.StoreSheet:
		st.planSheets(s, room)
	case event.StoreTasks:
		st.planTasks(s, room)
	case event.StoreDocument:
		st.planDocument(s, room)
	default:
		st.planWrites(s, room)
	}
}

// nameStore plans the store's name and description, and returns the rectangle for its contents, which doesn't depend on
// the description.
func (st *store) nameStore(name, about string) rect {
	m, p := &st.m, &st.plan
	r := p.rect
	if name == "" {
		name = st.phrase("scene.store")
	}
	x, room := r.x+m.pad*0.8, r.w*0.3
	name = st.cut(name, m.bold, room)
	wide := min(room, max(m.bold.width(name), 108*m.k)) + max(6, 8*m.k)
	left := x + wide
	in := rect{left, r.y, r.right() - m.pad*0.8 - left, r.h}
	y := r.midY() + m.bold.size*0.36
	if r.h >= m.bold.size+m.small.size+6 {
		y -= m.small.size * 0.58
		if st.written() == 0 { // nothing is beside it
			wide = r.right() - m.pad*0.8 - x
		}
		about = st.cut(about, m.small, wide-4)
		p.about = text(about, x, y+m.small.size*1.26, m.small, Start, inkSoft, wide)
	} else if st.written() == 0 {
		p.about = text(st.cut(about, m.small, in.w), left, r.midY()+m.small.size*0.36, m.small, Start, inkSoft, in.w)
	}
	p.name = text(name, x, y, m.bold, Start, inkPlain, room)
	return in
}

// written counts the writes that reached the store.
func (st *store) written() int {
	if len(st.s.Stores) == 0 {
		return 0
	}
	return st.s.Stores[0].Taken + st.s.Stores[0].Refused
}

// aboutStore returns the most important fact about the whole store.
func (st *store) aboutStore(s *view.Store) string {
	switch {
	case s.Taken+s.Refused == 0:
		return st.phrase("scene.no-writes")
	case s.Torn > 0:
		return st.filled("scene.torn.count", st.grouped(s.Torn))
	case s.Twice > 0:
		return st.filled("scene.twice.count", st.grouped(s.Twice))
	case s.Form == event.StoreTasks:
		return st.filled("scene.done-of", st.grouped(s.Done), st.grouped(s.Done+s.Open))
	case s.Draft.Client != 0:
		return st.filled("scene.writing", s.Draft.Client.Letter())
	case s.Form == event.StoreDocument:
		return st.filled("scene.versions", st.grouped(s.Versions))
	case s.Greatest > 0:
		return st.filled("scene.greatest", st.num(s.Greatest).label())
	case s.Form == event.StoreSheet && s.Taken > 0:
		return st.count("scene.pages", pages(s))
	}
	return st.filled("scene.written", st.grouped(s.Taken))
}

// pages counts the pages in the printer. Older pages have been taken away.
func pages(s *view.Store) (n int) {
	for tray := range s.HasTrays() {
		n += s.Pages[tray]
	}
	return n
}

// planVerdict says what is wrong with the store, from left on, if it fits; it returns the x at which it ends.
func (st *store) planVerdict(left, right float64, texts ...string) float64 {
	m, r := &st.m, st.plan.rect
	wide := 12 * max(m.k, 0.7)
	s := m.note.fit(right-left-wide, texts...)
	if s == "" {
		return left
	}
	wide += m.note.width(s)
	h := m.note.size + max(4, 7*m.k)
	b := rect{left, r.midY() - h/2, wide, h}
	st.plan.verdict = tag{rect: b, radius: h / 2, text: middle(s, b.midX(), b.midY(), m.note, inkOnSignal, wide)}
	return b.right()
}

// arriveFor is how long the path of a write to the store is shown, and landIn is how long the write travels.
const (
	arriveFor = 1500 * time.Millisecond
	landIn    = 400 * time.Millisecond
)

// planArrival plans the path of a write that has just reached the store, to x there. It plans none for a client that
// has crashed.
func (st *store) planArrival(w *view.Write, client int, x float64) {
	at := &st.spots[client]
	if st.at-w.At >= arriveFor || at.r == 0 || at.dot || st.s.Clients[client].Crashed {
		return
	}
	st.moving = st.moving || !st.o.Still
	m, r := &st.m, st.plan.rect
	a := added(&st.plan.arrivals)
	a.client, a.refused, a.x, a.y = client, w.Refused, x, r.y
	b, level := bend(at), r.y-max(3, 4*m.k)
	a.way.add(b)
	a.way.add(straight(b.x3, b.y3, b.x3, level))
	a.way.add(straight(b.x3, level, x, level))
	a.way.add(straight(x, level, x, r.y))
	wide, high := 12*max(m.k, 0.7), 15*max(m.k, 0.7)
	part := float64(st.at-w.At) / float64(landIn)
	if st.o.Still {
		part = 2
	}
	px, py := a.way.at(min(part, 1))
	switch {
	case part >= 1 && !w.Refused:
		return
	case part >= 1: // it bounces off and comes to rest
		py = r.y - high*(0.6+1.2*bounce(part-1))
	}
	a.paper = rect{px - wide/2, py - high/2, wide, high}
}

// bounce returns the height, from 0 to 1, of a bounce at part t of its time.
func bounce(t float64) float64 {
	if t >= 1 {
		return 0
	}
	return 4 * t * (1 - t)
}

// bend returns the path of a write from its client around the client's words.
func bend(p *spot) cubic {
	ring, x := ringOf(p.r), p.x+max(p.room/2, ringOf(p.r)+6)
	side := ring * 0.8
	return cubic{p.x + side, p.y + side, p.x + side, p.y + ring, x, p.y + side, x, p.y + ring + p.r*0.36}
}
