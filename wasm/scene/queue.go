package scene

// drawQueue draws a queue of items: those who take from it on the left, under its head, those who put in on
// the right, under its end.
func (f *Frame) drawQueue() {
	f.queueOf = f.s.Root
	f.lineUp(true)
	q := f.sizeItems()
	f.placeItems(&q)
	f.placeGroups(&q)
	f.drawBox()
	f.drawHub()
	f.drawItemBus(&q)
	f.drawWatchLines()
	f.drawItems(&q)
	f.drawLinks()
	for i := range f.spots {
		f.drawMember(i)
	}
	f.drawWatchEnds()
	f.drawFlights()
}

// items is the layout of a queue.
type items struct {
	pitch, top, w, h float64
	left, right      float64
	lane             float64
	more             int // items that there was no room for
	moreX            float64
}

func (f *Frame) sizeItems() items {
	m, in := &f.m, f.inner()
	q := items{pitch: min(max(in.w/6.2, 62*max(m.k, 0.8)), 116*m.k+14), left: in.x + m.pad, right: in.right() - m.pad}
	q.w = q.pitch - max(5, 10*m.k)
	q.h = m.name.size + m.small.size + max(7, 11*m.k)
	free := in.h - m.stripH - m.margin*0.6
	head, tab, foot := m.rootH+max(4, 10*m.k), max(14, 30*m.k), max(9, 14*m.k)
	if need := head + tab + q.h + foot; need > free*0.5 {
		tab, q.h = max(8, tab*0.5), m.name.size+max(5, 8*m.k)
	}
	q.lane = max(26, 40*m.k)
	people := f.peopleHeight()
	if left := free - head - tab - q.h - foot - q.lane - people; left > 0 {
		grow := min(left*0.3, 26*m.k)
		tab, q.h = tab+grow, q.h+min(left*0.08, 8*m.k)
		q.lane += min(left*0.45, 70*m.k)
	}
	q.top = in.y + head + tab
	f.box = rect{in.x, in.y, in.w, head + tab + q.h + foot}
	f.routes = routing{rows: 1, left: q.left, pitch: q.pitch, cols: int((q.right - q.left) / q.pitch), cardTop: q.top, cardBottom: q.top + q.h, free: true}
	f.placeHub(plan{}, m)
	return q
}

// peopleHeight is what a row of clients with their words takes, px.
func (f *Frame) peopleHeight() float64 {
	m := &f.m
	return 2.1*ringOf(max(9, 28*m.k)) + m.bold.size*1.3 + m.small.size*4.4
}

// placeItems gives the items their places from the head on. As one is taken, those behind it move up.
func (f *Frame) placeItems(q *items) {
	x := q.left
	full := q.right - q.w*0.45 // room for the count of the others
	for i, s := range f.slots {
		if s.node < 0 {
			continue
		}
		n := &f.s.Nodes[s.node]
		if x+q.w > full || q.more > 0 {
			if !n.Gone {
				q.more++
			}
			continue
		}
		f.cards[s.node] = card{rect: rect{x, q.top, q.w, q.h}, shown: true, slot: int32(i)}
		weight := 1.0
		if n.Gone && !f.o.Still {
			weight = 1 - ease(f.passed(n.GoneAt+slideAfter, slideFor))
		}
		x += q.pitch * weight
	}
	q.moreX = x
}

// placeGroups gives the consumers the left half and the producers the right.
func (f *Frame) placeGroups(q *items) {
	in, m := f.inner(), &f.m
	bottom := in.bottom() - m.stripH - m.margin*0.6
	label := m.small.size * 1.5
	area := rect{in.x, f.box.bottom() + q.lane, in.w/2 - m.pad, bottom - f.box.bottom() - q.lane - label}
	f.placeGroup(area, true, f.words.Consumers)
	area.x = in.midX() + m.pad
	f.placeGroup(area, false, f.words.Producers)
	x := in.midX()
	f.line(x, area.y, x, area.bottom()+label*0.8, pen{colour: f.t.Faint, width: max(1, 1.2*m.k), dash: 2, gap: 5})
}

func (f *Frame) placeGroup(area rect, consumers bool, name string) {
	n := 0
	for i := range f.s.Clients {
		if f.takes(i) == consumers {
			n++
		}
	}
	g, words := f.groupGrid(n, area)
	k := 0
	for i := range f.s.Clients {
		if f.takes(i) != consumers {
			continue
		}
		x, y := area.x+(float64(k%g.cols)+0.5)*g.pitch, area.y+float64(k/g.cols)*g.cell+ringOf(g.r)*1.1
		f.spots[i] = spot{x: x, y: y, r: g.r, slot: f.spots[i].slot, col: int32(k % g.cols), dot: g.r < 5, gap: g.gap}
		if words {
			f.spots[i].room = g.pitch - 4
		}
		k++
	}
	y := area.bottom()
	if words { // close to those whom it names
		y = min(y, area.y+2.1*ringOf(g.r)+f.m.bold.size*1.3+f.m.small.size*2.6)
	}
	f.text(f.m.small.fit(area.w, name), area.midX(), y+f.m.small.size*1.2, f.m.small, Middle, f.t.Soft, area.w)
}

// pitchGrid is how a group of clients stands.
type pitchGrid struct {
	cols           int
	pitch, cell, r float64
	gap            float64 // from a client to the gutter beside it; 0 if its own link is free
}

// groupGrid makes the clients of a group as large as they go, in one row with their words if that leaves them
// a good size.
func (f *Frame) groupGrid(n int, area rect) (best pitchGrid, words bool) {
	m := &f.m
	n = max(n, 1)
	best = pitchGrid{cols: n, pitch: area.w / float64(n), r: 0.1}
	for rows := 1; rows <= n; rows++ {
		g := pitchGrid{cols: (n + rows - 1) / rows}
		g.pitch = area.w / float64(g.cols)
		g.cell = area.h / float64(rows)
		if rows == 1 && g.pitch >= 40 {
			under := m.bold.size*1.3 + m.small.size*2.5
			if f.routes.tree { // what a client says
				under += m.small.size * 1.6
			}
			if r := min(g.pitch*0.31, (area.h-under)/3, 30*m.k); r >= 8 {
				g.r = r
				return g, true
			}
		}
		g.r = min(g.pitch*0.31, g.cell/3, 26*m.k)
		if rows > 1 {
			g.gap = g.pitch / 2
			g.cell = min(g.cell, g.r*3.4)
		}
		if g.r > best.r*1.05 {
			best = g
		}
	}
	return best, false
}

// takes reports whether client i is a consumer. Before it starts nobody knows: the second half is.
func (f *Frame) takes(i int) bool {
	if role := f.s.Clients[i].Role; role != "" {
		return role == consumer
	}
	return i >= len(f.s.Clients)/2
}

func (f *Frame) drawMember(i int) {
	if f.spots[i].dot {
		f.drawDot(i)
		return
	}
	f.drawClient(i)
}

// drawItemBus draws the rail from the root to the items, with an arrow at the head: there they are taken.
func (f *Frame) drawItemBus(q *items) {
	root := f.marks[0].rect
	how := pen{colour: f.t.Edge, width: max(1, 1.4*f.m.k)}
	y := root.bottom() + max(3, (q.top-root.bottom())*0.4)
	lo, hi := root.midX(), root.midX()
	for _, s := range f.slots {
		if s.node < 0 || !f.cards[s.node].shown {
			continue
		}
		r := &f.cards[s.node]
		f.line(r.midX(), y, r.midX(), r.y, how)
		lo, hi = min(lo, r.midX()), max(hi, r.midX())
	}
	if hi > lo {
		f.line(root.midX(), root.bottom(), root.midX(), y, how)
		f.line(lo, y, hi, y, how)
	}
}

func (f *Frame) drawItems(q *items) {
	for _, s := range f.slots {
		if s.node < 0 || !f.cards[s.node].shown {
			continue
		}
		f.drawNode(&f.s.Nodes[s.node], f.cards[s.node].rect)
	}
	if q.more > 0 {
		s := f.say("+").num(int64(q.more)).label()
		f.middle(s, (q.moreX+f.box.right()-f.m.pad*0.5)/2, q.top+q.h/2, f.m.note, f.t.Soft, f.box.right()-q.moreX)
	}
}
