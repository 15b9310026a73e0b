package scene

// layoutLock lays out the recipes in which each client has one znode, or all clients want the same one.
func (l *Layout) layoutLock() {
	l.lineUp(l.kind != barrierKind)
	b, ok := l.bands(len(l.slots))
	if !ok {
		l.layoutCrowd()
		return
	}
	l.place(b)
	l.planBox()
	l.planHub()
	l.planBus(b)
	l.planCards()
	l.planLinks()
	l.planWatches()
	l.planClients()
	l.planMessages()
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
func (l *Layout) bands(n int) (bands, bool) {
	r := l.inner()
	width, height := r.w-2*l.m.pad, r.h-l.m.stripH-l.m.margin*0.6
	if n > maxGrid {
		return bands{}, false
	}
	for rows := 1; rows <= 6 && rows <= max(n, 1); rows++ {
		p := bands{rows: rows, cols: max((n+rows-1)/rows, 1)}
		p.pitch = min(width/float64(p.cols), max(150*l.m.k, 112))
		if p.pitch < 23 || rows == 1 && n > 12 && p.pitch < 40 {
			continue
		}
		l.size(&p)
		if p.height() > height {
			p.words = 0 // no words are better than dots
		}
		if p.height() <= height {
			l.spread(&p, height-p.height())
			return p, true
		}
	}
	return bands{}, false
}

// size gives every part its smallest good height.
func (l *Layout) size(p *bands) {
	m := &l.m
	p.solo = l.kind == nameKind
	p.head = m.rootH + max(4, 10*m.k)
	if l.kind == barrierKind {
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
		if !m.tight && l.cardWidth(p) >= m.small.width(l.phrase("scene.eph"))+m.small.size*1.6 {
			p.cardH = m.name.size + m.small.size + max(7, 11*m.k)
		}
	}
}

// spread distributes the height that is left over, first to the lane.
func (l *Layout) spread(p *bands, left float64) {
	take := func(v *float64, most float64) {
		d := min(left, most)
		*v += d
		left -= d
	}
	k := l.m.k
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

func (l *Layout) cardWidth(p *bands) float64 {
	return min(p.pitch-max(5, 12*l.m.k), 124*l.m.k)
}

// place places every card and every client.
func (l *Layout) place(p bands) {
	in := l.inner()
	m := &l.m
	boxH := p.head + p.tab + float64(p.rows)*p.cardH + float64(p.rows-1)*p.gap + p.foot
	l.box = rect{in.x, in.y, in.w, boxH}
	width := p.pitch * float64(p.cols)
	left := in.midX() - width/2
	cw := l.cardWidth(&p)
	top := l.box.y + p.head + p.tab
	clientsTop := l.box.bottom() + p.lane
	l.routes = routing{rows: p.rows, left: left, pitch: p.pitch, cols: p.cols, cardTop: top,
		clientTop: clientsTop, solo: p.solo}
	for i, s := range l.slots {
		row, col := i/p.cols, i%p.cols
		x := left + (float64(col)+0.5)*p.pitch
		if s.node >= 0 {
			r := rect{x - cw/2, top + float64(row)*(p.cardH+p.gap), cw, p.cardH}
			l.places[s.node] = place{rect: r, shown: true, slot: int32(i)}
		}
		if s.client >= 0 {
			y := clientsTop + float64(row)*p.cell + ringOf(p.r)
			l.spots[s.client] = spot{x: x, y: y, r: p.r, slot: int32(i), col: int32(col)}
			if p.rows > 1 {
				l.spots[s.client].gap = p.pitch / 2
			}
			if p.words > 0 {
				l.spots[s.client].room = p.pitch - 4
			}
		}
	}
	if p.rows > 1 || p.pitch < 40 {
		l.m.line = max(1.1, 1.3*m.k)
		l.routes.fine = true
	}
	l.placeHub(p)
}

// placeHub places the root and the standalone znodes.
func (l *Layout) placeHub(p bands) {
	m, mid := &l.m, l.box.midX()
	w := m.name.width(l.s.Root) + 18*max(m.k, 0.7)
	if l.counts() {
		w += m.small.width(l.phrase("scene.next", "000")) + 10*m.k
	}
	w = min(w, l.box.w-2*(m.bold.width(server)+2*m.pad), l.box.w*0.6)
	root := rect{mid - w/2, l.box.y + max(4, 8*m.k), w, m.rootH}
	l.mark(l.s.Root, root)
	switch {
	case l.kind == barrierKind:
		l.placeBarrier(root)
	case p.solo:
		w := max(min(150*m.k, l.box.w*0.4), m.small.width(l.phrase("scene.ephemeral"))+m.small.size*4)
		h := max(p.cardH, m.name.size+m.small.size+max(7, 11*m.k))
		r := rect{mid - w/2, l.routes.cardTop, w, min(h, l.box.bottom()-p.foot-l.routes.cardTop)}
		l.mark(l.child(l.s.Root, l.s.Header.Drawing.Gate), r)
	case l.queueOf != l.s.Root:
		w := m.name.width(l.s.Header.Drawing.Queue) + 20*max(m.k, 0.6) + m.small.width(l.phrase("scene.next", "000"))
		w = min(max(96*m.k, w), l.box.w*0.2)
		l.mark(l.queueOf, rect{min(root.right()+28*m.k, l.box.right()-m.pad-w), root.y, w, m.rootH})
	}
}

// counts reports whether the queue's znodes are numbered children of the root.
func (l *Layout) counts() bool {
	return !l.observed && l.queueOf == l.s.Root && (l.kind == queueKind || l.kind == itemsKind)
}

// placeBarrier places the members' parent left of the root and the start node right of it.
func (l *Layout) placeBarrier(root rect) {
	m, d := &l.m, &l.s.Header.Drawing
	count, stays := m.small.width(l.of(len(l.s.Clients))), m.small.width(l.phrase("scene.persistent"))
	w := min(max(96*m.k, max(m.name.width(d.Queue)+count, m.name.width(d.Gate)+stays)+20*max(m.k, 0.6)), l.box.w*0.36)
	y := root.y + m.rootH*0.3
	if l.box.w < 420 || l.box.w*0.22-w/2 < m.pad+m.bold.width(server)+6 { // clear of the box's name
		y = root.bottom() + 3
	}
	l.mark(l.queueOf, rect{l.box.x + l.box.w*0.22 - w/2, y, w, m.rootH})
	l.mark(l.child(l.s.Root, d.Gate), rect{l.box.x + l.box.w*0.78 - w/2, y, w, m.rootH})
}

func (l *Layout) mark(path string, r rect) {
	l.marks = append(l.marks, mark{rect: r, path: path, node: int32(l.nodeAt(path))})
}

// planCards plans the queue's znodes and the tab of the one whose owner is inside. Only the first row has room for a
// tab's words.
func (l *Layout) planCards() {
	for _, s := range l.slots {
		if s.node < 0 {
			continue
		}
		n, c := &l.s.Nodes[s.node], &l.places[s.node]
		room := l.routes.pitch - 2
		if int(c.slot) >= l.routes.cols {
			room = 0
		}
		l.tab(l.node(&l.p.cards, n, c.rect), n, c.rect, room)
	}
}
