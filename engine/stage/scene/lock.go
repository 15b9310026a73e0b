package scene

// queue plans znodes side by side: the recipes in which each client has one, or all clients want the same one.
type queue struct {
	*floor
	znodes *znodes
}

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

// maxGrid is the maximum number of clients that are all drawn with their letters.
const maxGrid = 64

// bands finds the fewest rows in which n slots fit; ok is false if they don't.
func (q *queue) bands(n int) (bands, bool) {
	r := q.inner()
	width, height := r.w-2*q.m.pad, r.h-q.m.stripH-q.m.margin*0.6
	if n > maxGrid {
		return bands{}, false
	}
	for rows := 1; rows <= 6 && rows <= max(n, 1); rows++ {
		p := bands{rows: rows, cols: max((n+rows-1)/rows, 1)}
		p.pitch = min(width/float64(p.cols), max(150*q.m.k, 112))
		if p.pitch < 23 || rows == 1 && n > 12 && p.pitch < 40 {
			continue
		}
		q.size(&p)
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
func (q *queue) size(p *bands) {
	m := &q.m
	p.solo = q.kind == nameKind
	p.head = m.rootH + max(4, 10*m.k)
	if q.kind == barrierKind {
		p.head += m.rootH * 0.3
	}
	p.r = min(22*m.k, p.pitch*0.31)
	p.r = max(p.r, min(p.pitch*0.33, 9))
	p.cardH = m.name.size + max(5, 8*m.k)
	p.gap, p.foot, p.lane = max(5, 8*m.k), max(9, 13*m.k), max(28, 44*m.k)
	if m.tight {
		p.r, p.lane, p.foot = min(p.r, 9), 24, 5
	}
	p.cell = 2*ringOf(p.r) + max(4, p.r*0.4)
	p.tab = m.note.size + max(10, 18*m.k)
	if p.rows == 1 && p.pitch >= 40 {
		p.words = m.bold.size*1.3 + m.small.size*2.5
		if !m.tight && q.cardWidth(p) >= m.small.width(q.phrase("scene.eph"))+m.small.size*1.6 {
			p.cardH = m.name.size + m.small.size + max(7, 11*m.k)
		}
	}
}

// spread distributes the height that is left over, first to the lane.
func (q *queue) spread(p *bands, left float64) {
	take := func(v *float64, most float64) {
		d := min(left, most)
		*v += d
		left -= d
	}
	k := q.m.k
	take(&p.lane, 34*k)
	take(&p.tab, 8*k)
	take(&p.cardH, 6*k)
	if p.rows == 1 {
		grow := min(left/2.8, p.pitch*0.325-p.r, 30*k-p.r)
		if grow > 0 {
			p.r += grow
			p.cell = 2*ringOf(p.r) + max(4, p.r*0.4)
			left -= grow * 2.9
		}
	}
	take(&p.lane, 50*k)
	take(&p.head, 12*k)
	take(&p.lane, 40*k)
	take(&p.lane, left*0.4)
}

func (q *queue) cardWidth(p *bands) float64 {
	return min(p.pitch-max(5, 12*q.m.k), 124*q.m.k)
}

// place places every card and every client.
func (q *queue) place(p bands) {
	in := q.inner()
	m := &q.m
	boxH := p.head + p.tab + float64(p.rows)*p.cardH + float64(p.rows-1)*p.gap + p.foot
	q.box = rect{in.x, in.y, in.w, boxH}
	width := p.pitch * float64(p.cols)
	left := in.midX() - width/2
	cw := q.cardWidth(&p)
	top := q.box.y + p.head + p.tab
	clientsTop := q.box.bottom() + p.lane
	q.routes = routing{rows: p.rows, left: left, pitch: p.pitch, cols: p.cols, cardTop: top,
		clientTop: clientsTop, solo: p.solo}
	for i, s := range q.slots {
		row, col := i/p.cols, i%p.cols
		x := left + (float64(col)+0.5)*p.pitch
		if s.node >= 0 {
			r := rect{x - cw/2, top + float64(row)*(p.cardH+p.gap), cw, p.cardH}
			q.places[s.node] = place{rect: r, shown: true, slot: int32(i)}
		}
		if s.client >= 0 {
			y := clientsTop + float64(row)*p.cell + ringOf(p.r)
			q.spots[s.client] = spot{x: x, y: y, r: p.r, slot: int32(i), col: int32(col)}
			if p.rows > 1 {
				q.spots[s.client].gap = p.pitch / 2
			}
			if p.words > 0 {
				q.spots[s.client].room = p.pitch - 4
			}
		}
	}
	if p.rows > 1 || p.pitch < 40 {
		q.m.line = max(1.1, 1.3*m.k)
		q.routes.fine = true
	}
	q.placeHub(p)
}

// placeHub places the root and the standalone znodes.
func (q *queue) placeHub(p bands) {
	m, mid := &q.m, q.box.midX()
	w := m.name.width(q.s.Root) + 18*max(m.k, 0.7)
	if q.counts() {
		w += m.small.width(q.phrase("scene.next", "000")) + 10*m.k
	}
	w = min(w, q.box.w-2*(m.bold.width(server)+2*m.pad), q.box.w*0.6)
	root := rect{mid - w/2, q.box.y + max(4, 8*m.k), w, m.rootH}
	q.stand(q.s.Root, root)
	switch {
	case q.kind == barrierKind:
		q.placeBarrier(root)
	case p.solo:
		w := max(min(150*m.k, q.box.w*0.4), m.small.width(q.phrase("scene.ephemeral"))+m.small.size*4)
		h := max(p.cardH, m.name.size+m.small.size+max(7, 11*m.k))
		r := rect{mid - w/2, q.routes.cardTop, w, min(h, q.box.bottom()-p.foot-q.routes.cardTop)}
		q.stand(q.child(q.s.Root, q.s.Header.Drawing.Gate), r)
	case q.queueOf != q.s.Root:
		w := m.name.width(q.s.Header.Drawing.Queue) + 20*max(m.k, 0.6) + m.small.width(q.phrase("scene.next", "000"))
		w = min(max(96*m.k, w), q.box.w*0.2)
		q.stand(q.queueOf, rect{min(root.right()+28*m.k, q.box.right()-m.pad-w), root.y, w, m.rootH})
	}
}

// counts reports whether the queue's znodes are numbered children of the root.
func (q *queue) counts() bool {
	return !q.observed && q.queueOf == q.s.Root && (q.kind == queueKind || q.kind == itemsKind)
}

// placeBarrier places the members' parent left of the root and the start node right of it.
func (q *queue) placeBarrier(root rect) {
	m, d := &q.m, &q.s.Header.Drawing
	count, stays := m.small.width(q.of(len(q.s.Clients))), m.small.width(q.phrase("scene.persistent"))
	w := min(max(96*m.k, max(m.name.width(d.Queue)+count, m.name.width(d.Gate)+stays)+20*max(m.k, 0.6)), q.box.w*0.36)
	y := root.y + m.rootH*0.3
	if q.box.w < 420 || q.box.w*0.22-w/2 < m.pad+m.bold.width(server)+6 { // clear of the box's name
		y = root.bottom() + 3
	}
	q.stand(q.queueOf, rect{q.box.x + q.box.w*0.22 - w/2, y, w, m.rootH})
	q.stand(q.child(q.s.Root, d.Gate), rect{q.box.x + q.box.w*0.78 - w/2, y, w, m.rootH})
}

func (f *floor) stand(path string, r rect) {
	f.hubs = append(f.hubs, hub{rect: r, path: path, node: int32(f.nodeAt(path))})
}

// planCards plans the queue's znodes and the tab of the one whose owner is inside. Only the first row has room for a
// tab's words.
func (q *queue) planCards() {
	for _, s := range q.slots {
		if s.node < 0 {
			continue
		}
		n, c := &q.s.Nodes[s.node], &q.places[s.node]
		room := q.routes.pitch - 2
		if int(c.slot) >= q.routes.cols {
			room = 0
		}
		q.znodes.tab(q.znodes.node(&q.znodes.cards, n, c.rect), n, c.rect, room)
	}
}
