package queue

import (
	"github.com/zkviz/zkviz/engine/stage/scene/floor"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
	"github.com/zkviz/zkviz/engine/stage/scene/znode"
)

// PlanBus plans the lines from the parent to the cards: a rail with a drop to each card.
func (q *Queue) PlanBus(b bands) {
	f := q.f
	from := f.HubAt(f.QueueOf)
	if b.solo || from == nil || from.W == 0 {
		return
	}
	r, any := floor.NewRail(from.Rect, f.Routes.CardTop, 0.25), false
	for i, s := range f.Slots {
		if s.Node < 0 {
			continue
		}
		if any = true; i >= b.cols {
			continue
		}
		c := &f.Places[s.Node]
		if f.State.Tree.Nodes[s.Node].Gone { // nothing connects it any more
			continue
		}
		f.Drop(&r, c.MidX(), c.Y)
	}
	if any {
		f.PlanRail(r)
	}
}

// Queue plans znodes side by side: the recipes in which each client has one, or all clients want the same one.
type Queue struct {
	f      *floor.Floor
	znodes *znode.Znodes
}

// Connect lets it find what it refers to.
func (q *Queue) Connect(f *floor.Floor, z *znode.Znodes) { q.f, q.znodes = f, z }

// bands divides the picture's height, and holds the grid of the queue.
type bands struct {
	rows, cols int
	pitch      float64 // from one slot to the next, px
	head       float64 // ZooKeeper's name and the root
	tab        float64 // between the root and the cards, for the lines and the tab
	cardH, gap float64 // a card, and the gap between rows of cards
	foot       float64 // below the cards, for eyes
	lane       float64 // between the box and the clients, for lines and messages
	r          float64 // radius of a client's disc
	cell       float64 // height of a row of clients
	words      float64 // height of the words below the clients
	solo       bool    // no queue: one card in the middle
}

func (b *bands) height() float64 {
	rows := float64(b.rows)
	return b.head + b.tab + rows*b.cardH + (rows-1)*b.gap + b.foot + b.lane + rows*b.cell + b.words
}

// Bands finds the fewest rows in which n slots fit; ok is false if they don't.
func (q *Queue) Bands(n int) (bands, bool) {
	f := q.f
	r := f.Inner()
	width, height := r.W-2*f.Sizes.Pad, r.H-f.Sizes.StripH-f.Sizes.Margin*0.6
	if n > floor.MaxGrid {
		return bands{}, false
	}
	for rows := 1; rows <= 6 && rows <= max(n, 1); rows++ {
		p := bands{rows: rows, cols: max((n+rows-1)/rows, 1)}
		p.pitch = min(width/float64(p.cols), max(150*f.Sizes.K, 112))
		if p.pitch < 23 || rows == 1 && n > 12 && p.pitch < 40 {
			continue
		}
		q.size(&p)
		if f.Sizes.Tight && p.height() > height {
			p.cardH = q.lowCard()
		}
		p.lane -= max(0, min(p.height()-height, 6)) // rather a shorter lane than no words
		if p.height() > height {
			p.words = 0 // no words are better than dots
		}
		if p.height() <= height {
			q.spread(&p, height-p.height())
			return p, true
		}
	}
	return bands{}, false
}

// size gives every part its smallest good height.
func (q *Queue) size(p *bands) {
	f := q.f
	m := &f.Sizes
	p.solo = f.Kind == floor.NameKind
	p.head = m.RootH + max(4, 10*m.K)
	if f.Kind == floor.BarrierKind {
		p.head += m.RootH * 0.3
	}
	p.r = min(22*m.K, p.pitch*0.31)
	p.r = max(p.r, min(p.pitch*0.33, 9))
	p.cardH = q.lowCard()
	p.gap, p.foot, p.lane = max(5, 8*m.K), max(9, 13*m.K), max(28, 44*m.K)
	if m.Tight {
		p.r, p.lane, p.foot = min(p.r, max(9, 15*m.K)), max(24, 20*m.K), 5
	}
	p.cell = 2*floor.RingOf(p.r) + max(4, p.r*0.4)
	p.tab = m.Note.Size + max(10, 18*m.K)
	if p.rows == 1 && p.pitch >= 40 {
		p.words = m.Bold.Size*1.3 + m.Small.Size*2.5
		if q.cardWidth(p) >= m.Small.Width(f.Phrase("scene.eph"))+m.Small.Size*1.6 {
			p.cardH = m.Name.Size + m.Small.Size + max(7, 11*m.K)
		}
	}
}

// lowCard returns the height of a card with one line.
func (q *Queue) lowCard() float64 { return q.f.Sizes.Name.Size + max(5, 8*q.f.Sizes.K) }

// spread distributes the height that is left over, first to the lane.
func (q *Queue) spread(p *bands, left float64) {
	take := func(v *float64, most float64) {
		d := min(left, most)
		*v += d
		left -= d
	}
	k := q.f.Sizes.K
	take(&p.lane, 34*k)
	take(&p.tab, 8*k)
	take(&p.cardH, 6*k)
	if p.rows == 1 {
		grow := min(left/2.8, p.pitch*0.325-p.r, 30*k-p.r)
		if grow > 0 {
			p.r += grow
			p.cell = 2*floor.RingOf(p.r) + max(4, p.r*0.4)
			left -= grow * 2.9
		}
	}
	take(&p.lane, 50*k)
	take(&p.head, 12*k)
	take(&p.lane, 40*k)
	take(&p.lane, left*0.4)
}

func (q *Queue) cardWidth(p *bands) float64 {
	f := q.f
	return min(p.pitch-max(5, 12*f.Sizes.K), max(124*f.Sizes.K, 104))
}

// Place places every card and every client.
func (q *Queue) Place(p bands) {
	f := q.f
	in := f.Inner()
	m := &f.Sizes
	boxH := p.head + p.tab + float64(p.rows)*p.cardH + float64(p.rows-1)*p.gap + p.foot
	f.Box = geom.R(in.X, in.Y, in.W, boxH)
	width := p.pitch * float64(p.cols)
	left := in.MidX() - width/2
	cw := q.cardWidth(&p)
	top := f.Box.Y + p.head + p.tab
	clientsTop := f.Box.Bottom() + p.lane
	f.Routes = floor.Routing{Rows: p.rows, Left: left, Pitch: p.pitch, Cols: p.cols, CardTop: top,
		ClientTop: clientsTop, Solo: p.solo}
	q.placeHub(p)
	for i, s := range f.Slots {
		row, col := i/p.cols, i%p.cols
		x := left + (float64(col)+0.5)*p.pitch
		r := geom.R(x-cw/2, top+float64(row)*(p.cardH+p.gap), cw, p.cardH)
		if s.Node >= 0 {
			f.Places[s.Node] = floor.Place{Rect: r, Shown: true, Slot: int32(i)}
		} else if path := f.State.Clients[s.Client].Belief.Path; q.awaited(path) {
			f.Stand(path, r).Slot = int32(i)
		}
		if s.Client >= 0 {
			y := clientsTop + float64(row)*p.cell + floor.RingOf(p.r)
			f.Spots[s.Client] = floor.Spot{X: x, Y: y, R: p.r, Slot: int32(i), Col: int32(col)}
			if p.rows > 1 {
				f.Spots[s.Client].Gap = p.pitch / 2
			}
			if p.words > 0 {
				f.Spots[s.Client].Room = p.pitch - 4
			}
		}
	}
	if p.rows > 1 || p.pitch < 40 {
		f.Sizes.Line = max(1.1, 1.3*m.K)
		f.Routes.Fine = true
	}
}

// awaited reports whether a znode of the queue is gone and somebody still watches it.
func (q *Queue) awaited(path string) bool {
	f := q.f
	all := f.State.Watches.List
	if f.Kind != floor.QueueKind || len(all) > 2*floor.MaxGrid || f.NodeAt(path) >= 0 {
		return false
	}
	for k := range all {
		if w := &all[k]; !w.Over && w.Path == path && text.Parent(path) == f.QueueOf {
			return true
		}
	}
	return false
}

// placeHub places the root and the standalone znodes.
func (q *Queue) placeHub(p bands) {
	f := q.f
	m, mid := &f.Sizes, f.Box.MidX()
	w := m.Name.Width(f.State.Root) + 18*max(m.K, 0.7)
	if q.counts() {
		w += m.Small.Width(f.Phrase("scene.next", "000")) + 10*m.K
	}
	w = min(w, f.Box.W-2*(m.Bold.Width(znode.ZooKeeper)+2*m.Pad), f.Box.W*0.6)
	root := geom.R(mid-w/2, f.Box.Y+max(4, 8*m.K), w, m.RootH)
	f.Stand(f.State.Root, root)
	switch {
	case f.Kind == floor.BarrierKind:
		q.placeBarrier(root)
	case p.solo:
		w := max(min(150*m.K, f.Box.W*0.4), m.Small.Width(f.Phrase("scene.ephemeral"))+m.Small.Size*4)
		h := max(p.cardH, m.Name.Size+m.Small.Size+max(7, 11*m.K))
		r := geom.R(mid-w/2, f.Routes.CardTop, w, min(h, f.Box.Bottom()-p.foot-f.Routes.CardTop))
		f.Stand(f.Child(f.State.Root, f.State.Header.Drawing.Gate), r)
	case f.QueueOf != f.State.Root:
		w := m.Name.Width(f.State.Header.Drawing.Queue) + 20*max(m.K, 0.6) + m.Small.Width(f.Phrase("scene.next", "000"))
		w = min(max(96*m.K, w), max(f.Box.W*0.2, f.Box.Right()-m.Pad-root.Right()-28*m.K))
		f.Stand(f.QueueOf, geom.R(min(root.Right()+28*m.K, f.Box.Right()-m.Pad-w), root.Y, w, m.RootH))
	}
}

// counts reports whether the queue's znodes are numbered children of the root.
func (q *Queue) counts() bool {
	f := q.f
	return !f.Observed && f.QueueOf == f.State.Root && (f.Kind == floor.QueueKind || f.Kind == floor.ItemsKind)
}

// placeBarrier places the members' parent left of the root and the start node right of it.
func (q *Queue) placeBarrier(root geom.Rect) {
	f := q.f
	m, d := &f.Sizes, &f.State.Header.Drawing
	count, stays := m.Small.Width(f.Of(len(f.State.Clients))), m.Small.Width(f.Phrase("scene.persistent"))
	w := min(max(96*m.K, max(m.Name.Width(d.Queue)+count, m.Name.Width(d.Gate)+stays)+20*max(m.K, 0.6)), f.Box.W*0.36)
	y := root.Y + m.RootH*0.3
	if f.Box.W < 420 || f.Box.W*0.22-w/2 < m.Pad+m.Bold.Width(znode.ZooKeeper)+6 { // clear of the box's name
		y = root.Bottom() + 3
	}
	f.Stand(f.QueueOf, geom.R(f.Box.X+f.Box.W*0.22-w/2, y, w, m.RootH))
	f.Stand(f.Child(f.State.Root, d.Gate), geom.R(f.Box.X+f.Box.W*0.78-w/2, y, w, m.RootH))
}

// PlanCards plans the queue's znodes and the tab of the one whose owner is inside. Only the first row has room for a
// tab's words.
func (q *Queue) PlanCards() {
	f := q.f
	for _, s := range f.Slots {
		if s.Node < 0 {
			continue
		}
		n, c := &f.State.Tree.Nodes[s.Node], &f.Places[s.Node]
		room := f.Routes.Pitch - 2
		if int(c.Slot) >= f.Routes.Cols {
			room = 0
		}
		q.znodes.Tab(q.znodes.Node(&q.znodes.Cards, n, c.Rect), n, c.Rect, room)
	}
}

// RowHeight returns the height of a queue in one row, its clients and the strip, without words. It doesn't depend on
// the number of clients, so nothing moves as they come and go.
func (q *Queue) RowHeight() float64 {
	f := q.f
	p := bands{rows: 1, cols: 1, pitch: max(150*f.Sizes.K, 112)}
	q.size(&p)
	if f.Sizes.Tight {
		p.cardH = q.lowCard()
	}
	return p.height() - p.words + f.Sizes.StripH + f.Sizes.Margin*0.6
}
