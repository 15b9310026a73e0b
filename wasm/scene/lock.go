package scene

// drawLock draws the recipes in which each client has one znode, or all want the same one.
func (f *Frame) drawLock() {
	f.queueOf = f.s.Root
	if dir := f.queueDir(); dir != "" {
		f.queueOf = dir
	}
	if f.isBarrier() {
		f.queueOf = f.say(f.s.Root, "/members").label()
	}
	f.lineUp(!f.isBarrier())
	pl, ok := f.plan(len(f.slots))
	if !ok {
		f.drawCrowd()
		return
	}
	f.place(pl)
	f.drawBox()
	f.drawHub()
	f.drawTreeBus(pl)
	f.drawWatchLines()
	f.drawCards()
	f.drawLinks()
	for i := range f.spots {
		f.drawClient(i)
	}
	f.drawWatchEnds()
	f.drawFlights()
}

// plan is how much of the picture's height goes to what, and the grid that the queue stands in.
type plan struct {
	rows, cols int
	pitch      float64 // from one slot to the next, px
	head       float64 // ZooKeeper's name and the root
	tab        float64 // between the root and the cards, where the tree and the tab are
	cardH, gap float64 // one card, and from one row of cards to the next
	foot       float64 // under the cards, for eyes
	lane       float64 // between the box and the clients, where lines and messages are
	r          float64 // of a client's disc
	cell       float64 // height of one row of clients
	words      float64 // under the clients
	solo       bool    // no queue: one card in the middle
}

func (p *plan) height() float64 {
	return p.head + p.tab + float64(p.rows)*p.cardH + float64(p.rows-1)*p.gap + p.foot + p.lane + float64(p.rows)*p.cell + p.words
}

// maxGrid is the most clients that are all drawn with their letters.
const maxGrid = 64

// plan finds the fewest rows in which n slots fit; ok is false if they do not.
func (f *Frame) plan(n int) (plan, bool) {
	r := f.inner()
	width, height := r.w-2*f.m.pad, r.h-f.m.stripH-f.m.margin*0.6
	if n > maxGrid {
		return plan{}, false
	}
	for rows := 1; rows <= 6 && rows <= max(n, 1); rows++ {
		p := plan{rows: rows, cols: max((n+rows-1)/rows, 1)}
		p.pitch = min(width/float64(p.cols), max(150*f.m.k, 112))
		if p.pitch < 23 || rows == 1 && n > 12 && p.pitch < 40 {
			continue
		}
		f.size(&p)
		if p.height() <= height {
			f.spread(&p, height-p.height())
			return p, true
		}
	}
	return plan{}, false
}

// size gives everything its smallest good height.
func (f *Frame) size(p *plan) {
	m := &f.m
	p.solo = f.isName()
	p.head = m.rootH + max(4, 10*m.k)
	if f.isBarrier() {
		p.head += m.rootH * 0.3
	}
	p.r = min(22*m.k, p.pitch*0.31)
	p.r = max(p.r, min(p.pitch*0.33, 9))
	p.cell = 2*ringOf(p.r) + max(4, p.r*0.4)
	p.cardH = m.name.size + max(5, 8*m.k)
	p.gap, p.foot, p.lane = max(5, 8*m.k), max(9, 13*m.k), max(28, 44*m.k)
	p.tab = m.note.size + max(10, 18*m.k)
	if p.rows == 1 && p.pitch >= 40 {
		p.words = m.bold.size*1.3 + m.small.size*2.5
		if f.cardWidth(p) >= m.small.width(f.words.Eph)+m.small.size*1.6 {
			p.cardH = m.name.size + m.small.size + max(7, 11*m.k)
		}
	}
}

// spread gives the height that is left over, first to the lane.
func (f *Frame) spread(p *plan, left float64) {
	take := func(v *float64, most float64) {
		d := min(left, most)
		*v += d
		left -= d
	}
	k := f.m.k
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
}

func (f *Frame) cardWidth(p *plan) float64 {
	return min(p.pitch-max(5, 12*f.m.k), 124*f.m.k)
}

// place gives every card and every client its place.
func (f *Frame) place(p plan) {
	in := f.inner()
	m := &f.m
	boxH := p.head + p.tab + float64(p.rows)*p.cardH + float64(p.rows-1)*p.gap + p.foot
	f.box = rect{in.x, in.y, in.w, boxH}
	width := p.pitch * float64(p.cols)
	left := in.midX() - width/2
	cw := f.cardWidth(&p)
	top := f.box.y + p.head + p.tab
	clientsTop := f.box.bottom() + p.lane
	f.routes = routing{rows: p.rows, left: left, pitch: p.pitch, cols: p.cols, cardTop: top,
		cardBottom: top + float64(p.rows)*(p.cardH+p.gap) - p.gap, clientTop: clientsTop, solo: p.solo}
	for i, s := range f.slots {
		row, col := i/p.cols, i%p.cols
		x := left + (float64(col)+0.5)*p.pitch
		if s.node >= 0 {
			f.cards[s.node] = card{rect: rect{x - cw/2, top + float64(row)*(p.cardH+p.gap), cw, p.cardH}, shown: true, slot: int32(i)}
		}
		if s.client >= 0 {
			y := clientsTop + float64(row)*p.cell + ringOf(p.r)
			f.spots[s.client] = spot{x: x, y: y, r: p.r, slot: int32(i), col: int32(col)}
			if p.rows > 1 {
				f.spots[s.client].gap = p.pitch / 2
			}
			if p.words > 0 {
				f.spots[s.client].room = p.pitch - 4
			}
		}
	}
	if p.rows > 1 || p.pitch < 40 {
		f.m.line = max(1.1, 1.3*m.k)
		f.routes.fine = true
	}
	if p.rows == 1 && !f.isBarrier() && !p.solo {
		f.slide(p.pitch)
	}
	f.placeHub(p, m)
}

// placeHub gives the root, and the znodes that stand on their own, their places.
func (f *Frame) placeHub(p plan, m *metrics) {
	mid := f.box.midX()
	w := min(m.name.width(f.s.Root)+18*max(m.k, 0.7), f.box.w-2*(m.bold.width(f.words.ZooKeeper)+2*m.pad), f.box.w*0.6)
	root := rect{mid - w/2, f.box.y + max(4, 8*m.k), w, m.rootH}
	f.mark(f.s.Root, root)
	switch {
	case f.isBarrier():
		f.placeBarrier(root, m)
	case p.solo:
		w := max(min(150*m.k, f.box.w*0.4), m.small.width(f.words.Ephemeral)+m.small.size*4)
		h := max(p.cardH, m.name.size+m.small.size+max(7, 11*m.k))
		r := rect{mid - w/2, f.routes.cardTop, w, min(h, f.box.bottom()-p.foot-f.routes.cardTop)}
		f.mark(f.say(f.s.Root, "/lock").label(), r)
	case f.queueOf != f.s.Root:
		w := min(max(96*m.k, m.name.width("queue")+12), f.box.w*0.2)
		f.mark(f.queueOf, rect{min(root.right()+28*m.k, f.box.right()-m.pad-w), root.y, w, m.rootH})
	}
}

// placeBarrier puts the members' parent on the left of the root and the start node on its right.
func (f *Frame) placeBarrier(root rect, m *metrics) {
	w := min(max(96*m.k, m.name.width("members")+12), f.box.w*0.27)
	y := root.y + m.rootH*0.3
	if f.box.w < 420 { // the box's name is in the way
		y = root.bottom() + 3
	}
	f.mark(f.queueOf, rect{f.box.x + f.box.w*0.22 - w/2, y, w, m.rootH})
	f.mark(f.say(f.s.Root, "/start").label(), rect{f.box.x + f.box.w*0.78 - w/2, y, w, m.rootH})
}

func (f *Frame) mark(path string, r rect) {
	f.marks = append(f.marks, mark{rect: r, path: path, node: int32(f.nodeAt(path))})
}

// drawCards draws the queue's znodes and the tab of the one whose owner is inside. Below another row there is no room
// for its words.
func (f *Frame) drawCards() {
	for _, s := range f.slots {
		if s.node < 0 {
			continue
		}
		n, c := &f.s.Nodes[s.node], &f.cards[s.node]
		f.drawNode(n, c.rect)
		if owner := f.owner(n); f.holds(n, owner) {
			room := f.routes.pitch - 2
			if int(c.slot) >= f.routes.cols {
				room = 0
			}
			f.drawTab(c.rect, owner, room)
		}
	}
}
