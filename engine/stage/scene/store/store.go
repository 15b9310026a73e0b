package store

import (
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene/floor"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// Store plans the store that the lock protects, below the clients.
type Store struct {
	f     *floor.Floor
	plan  storePlan
	brief int // how much its chips leave out, up to briefText
}

// Connect lets it find what it refers to.
func (st *Store) Connect(f *floor.Floor) { st.f = f }

// Begin forgets the last plan and keeps its memory.
func (st *Store) Begin() { st.plan = st.plan.emptied() }

// Title returns the name under which the store is drawn.
func (st *Store) Title() string { return st.plan.name.Text }

// HasStore reports whether clients write to a store outside of ZooKeeper. If the header announces one, it has its place
// from the start, so that nothing moves at the first write.
func (st *Store) HasStore() bool {
	f := st.f
	return len(f.State.Header.Drawing.Stores) > 0 || len(f.State.Stores) > 0
}

// Height returns the height of the band below the clients. It depends only on the size of the picture.
func (st *Store) Height() float64 {
	f := st.f
	part := 0.095
	if f.Options.Height < 400 {
		part = 0.075
	}
	return min(max(f.Options.Height*part, f.Sizes.StripH), f.Sizes.StripH*2.2)
}

// Plan plans the store that the lock protects, below the clients.
func (st *Store) Plan() {
	f := st.f
	m, in, p := &f.Sizes, f.Inner(), &st.plan
	if !st.HasStore() {
		return
	}
	h := st.Height()
	p.Rect = geom.R(in.X, f.Foot()-m.StripH-m.Margin*0.25-h, in.W, h)
	if len(f.State.Stores) == 0 {
		st.nameStore("", f.Phrase("scene.no-writes"))
		return
	}
	s := &f.State.Stores[0] // the first of several: there is room for one
	p.stressed = s.Name != "" && f.Stressed(s.Name)
	room := st.nameStore(s.Name, st.aboutStore(s))
	switch s.Form {
	case event.StoreSheet:
		st.planSheets(s, room)
	case event.StoreDocument:
		st.planDocument(s, room)
	default:
		st.planChips(s, room)
	}
	if p.about.Text == "" && (s.Greatest > 0 && s.Form != event.StoreSheet || s.Form == event.StoreTasks) {
		st.aboutAtEnd(st.aboutStore(s), room)
	}
}

// aboutAtEnd describes the store behind its contents, where there's no room below its name, if they leave enough.
func (st *Store) aboutAtEnd(about string, in geom.Rect) {
	p, a := &st.plan, st.f.Sizes.Small
	left := in.X
	if n := len(p.chips); n > 0 {
		left = p.chips[n-1].Right()
	}
	if n := len(p.pages); n > 0 {
		left = max(p.pages[n-1].Right(), p.papers[len(p.papers)-1].Right())
	}
	if n := len(p.halves); n > 0 {
		left = p.halves[n-1].Right()
	}
	room := in.Right() - max(left, p.verdict.Right()) - 2*a.Size
	if about = a.Fit(room, about); about != "" && p.verdict.W == 0 {
		p.about = text.At(about, in.Right(), in.MidY()+a.Size*0.36, a, text.End, text.InkSoft, room)
	}
}

// nameStore plans the store's name and description, and returns the rectangle for its contents, which doesn't depend on
// the description.
func (st *Store) nameStore(name, about string) geom.Rect {
	f := st.f
	m, p := &f.Sizes, &st.plan
	r := p.Rect
	if name == "" {
		name = f.Phrase("scene.store")
	}
	x, room := r.X+m.Pad*0.8, r.W*0.3
	name = f.Cut(name, m.Bold, room)
	wide, below := m.Bold.Width(name), r.H >= m.Bold.Size+m.Small.Size+6
	if below {
		wide = min(room, max(wide, 108*m.K))
	}
	wide += max(6, 8*m.K)
	left := x + wide
	in := geom.R(left, r.Y, r.Right()-m.Pad*0.8-left, r.H)
	y := r.MidY() + m.Bold.Size*0.36
	if below {
		y -= m.Small.Size * 0.58
		if st.written() == 0 { // nothing is beside it
			wide = r.Right() - m.Pad*0.8 - x
		}
		about = f.Cut(about, m.Small, wide-4)
		p.about = text.At(about, x, y+m.Small.Size*1.26, m.Small, text.Start, text.InkSoft, wide)
	} else if st.written() == 0 {
		a := m.Small
		p.about = text.At(f.Cut(about, a, in.W), left, r.MidY()+a.Size*0.36, a, text.Start, text.InkSoft, in.W)
	}
	p.name = text.At(name, x, y, m.Bold, text.Start, text.InkPlain, room)
	return in
}

// written counts the writes that reached the store.
func (st *Store) written() int {
	f := st.f
	if len(f.State.Stores) == 0 {
		return 0
	}
	return f.State.Stores[0].Taken + f.State.Stores[0].Refused
}

// aboutStore returns the most important fact about the whole store.
func (st *Store) aboutStore(s *view.Store) string {
	f := st.f
	switch {
	case s.Taken+s.Refused == 0:
		return f.Phrase("scene.no-writes")
	case s.Torn > 0:
		return f.Filled("scene.torn.count", f.Grouped(s.Torn))
	case s.Twice > 0 && s.Form == event.StoreTasks:
		return f.Filled("scene.again.count", f.Grouped(s.Twice))
	case s.Twice > 0:
		return f.Filled("scene.twice.count", f.Grouped(s.Twice))
	case s.Form == event.StoreTasks:
		return f.Filled("scene.done-of", f.Grouped(s.Done), f.Grouped(s.Done+s.Open))
	case s.Draft.Client != 0:
		return f.Filled("scene.writing", s.Draft.Client.Letter())
	case s.Form == event.StoreDocument:
		return f.Filled("scene.versions", f.Grouped(s.Versions))
	case s.Greatest > 0:
		return f.Filled("scene.greatest", f.Num(s.Greatest).Label())
	case s.Form == event.StoreSheet && s.Taken > 0:
		return f.Count("scene.pages", pages(s))
	}
	return f.Filled("scene.written", f.Grouped(s.Taken))
}

// pages counts the pages in the printer. Older pages have been taken away.
func pages(s *view.Store) (n int) {
	for tray := range s.HasTrays() {
		n += s.Pages[tray]
	}
	return n
}

// planVerdict says what is wrong with the store, from left on, if it fits; it returns the x at which it ends.
func (st *Store) planVerdict(left, right float64, texts ...string) float64 {
	m, r := &st.f.Sizes, st.plan.Rect
	wide := 12 * max(m.K, 0.7)
	s := m.Note.Fit(right-left-wide, texts...)
	if s == "" {
		return left
	}
	wide += m.Note.Width(s)
	h := m.Note.Size + max(4, 7*m.K)
	b := geom.R(left, r.MidY()-h/2, wide, h)
	st.plan.verdict = text.Tag{Rect: b, Radius: h / 2,
		Text: text.Centred(s, b.MidX(), b.MidY(), m.Note, text.InkOnSignal, wide)}
	return b.Right()
}

// arriveFor is how long the path of a write to the store is shown, and landIn is how long the write travels.
const (
	arriveFor = 1500 * time.Millisecond
	landIn    = 400 * time.Millisecond
)

// planArrival plans the path of a write that has just reached the store, to x there. It plans none for a client that
// has crashed.
func (st *Store) planArrival(w *view.Write, client int, x float64) {
	f := st.f
	at := &f.Spots[client]
	if f.At-w.At >= arriveFor || at.R == 0 || at.Dot || f.State.Clients[client].Crashed {
		return
	}
	f.Moving = f.Moving || !f.Options.Still
	m, r := &f.Sizes, st.plan.Rect
	st.plan.arrivals = append(st.plan.arrivals, arrivalPlan{})
	a := &st.plan.arrivals[len(st.plan.arrivals)-1]
	a.client, a.refused, a.x, a.y = client, w.Refused, x, r.Y
	b, level := bend(at), r.Y-max(3, 4*m.K)
	a.way.Add(b)
	a.way.Add(geom.Straight(b.X3, b.Y3, b.X3, level))
	a.way.Add(geom.Straight(b.X3, level, x, level))
	a.way.Add(geom.Straight(x, level, x, r.Y))
	wide, high := 12*max(m.K, 0.7), 15*max(m.K, 0.7)
	part := float64(f.At-w.At) / float64(landIn)
	if f.Options.Still {
		part = 2
	}
	px, py := a.way.At(min(part, 1))
	switch {
	case part >= 1 && !w.Refused:
		return
	case part >= 1: // it bounces off and comes to rest
		py = r.Y - high*(0.6+1.2*bounce(part-1))
	}
	a.paper = geom.R(px-wide/2, py-high/2, wide, high)
}

// bounce returns the height, from 0 to 1, of a bounce at part t of its time.
func bounce(t float64) float64 {
	if t >= 1 {
		return 0
	}
	return 4 * t * (1 - t)
}

// bend returns the path of a write from its client around the client's words.
func bend(p *floor.Spot) geom.Cubic {
	ring, x := floor.RingOf(p.R), p.X+max(p.Room/2, floor.RingOf(p.R)+6)
	side := ring * 0.8
	return geom.Curve(p.X+side, p.Y+side, p.X+side, p.Y+ring, x, p.Y+side, x, p.Y+ring+p.R*0.36)
}
