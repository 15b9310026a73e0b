package scene

// items plans a queue of items that some clients put in and others take out.
type items struct {
	*queue
	itemSizes
}

// itemSizes says where the items are.
type itemSizes struct {
	pitch, top, w, h float64
	left, right      float64
	lane             float64
	more             int // number of items without a place
	moreX            float64
}

func (q *items) sizeItems() {
	m, in := &q.m, q.inner()
	q.itemSizes = itemSizes{pitch: min(max(in.w/6.2, 62*max(m.k, 0.8)), 116*m.k+14), left: in.x + m.pad,
		right: in.right() - m.pad}
	q.w = q.pitch - max(5, 10*m.k)
	q.h = m.name.size + m.small.size + max(7, 11*m.k)
	free := in.h - m.stripH - m.margin*0.6
	head, tab, foot := m.rootH+max(4, 10*m.k), max(14, 30*m.k), max(9, 14*m.k)
	if need := head + tab + q.h + foot; need > free*0.5 {
		tab, q.h = max(8, tab*0.5), m.name.size+max(5, 8*m.k)
	}
	q.lane = max(26, 40*m.k)
	people := q.peopleHeight()
	if left := free - head - tab - q.h - foot - q.lane - people; left > 0 {
		grow := min(left*0.3, 26*m.k)
		tab, q.h = tab+grow, q.h+min(left*0.08, 8*m.k)
		q.lane += min(left*0.45, 70*m.k)
	}
	q.top = in.y + head + tab
	q.box = rect{in.x, in.y, in.w, head + tab + q.h + foot}
	q.routes = routing{rows: 1, left: q.left, pitch: q.pitch, cols: int((q.right - q.left) / q.pitch),
		cardTop: q.top, free: true}
	q.placeHub(bands{})
}

// peopleHeight returns the height of a row of clients with their words, in px.
func (q *items) peopleHeight() float64 {
	m := &q.m
	return 2.1*ringOf(max(9, 28*m.k)) + m.bold.size*1.3 + m.small.size*4.4
}

// placeItems places the items from the head on. When one is taken, those behind it move up.
func (q *items) placeItems() {
	x := q.left
	full := q.right - q.w*0.45 // leaves room for the count of the others
	for i, s := range q.slots {
		if s.node < 0 {
			continue
		}
		n := &q.s.Nodes[s.node]
		if x+q.w > full || q.more > 0 {
			if !n.Gone {
				q.more++
			}
			continue
		}
		q.places[s.node] = place{rect: rect{x, q.top, q.w, q.h}, shown: true, slot: int32(i)}
		x += q.pitch * q.weight(n)
	}
	q.moreX = x
}

// placeGroups gives the left half to the consumers and the right half to the producers.
func (q *items) placeGroups() {
	in, m := q.inner(), &q.m
	bottom := in.bottom() - m.stripH - m.margin*0.6
	label := m.small.size * 1.5
	area := rect{in.x, q.box.bottom() + q.lane, in.w/2 - m.pad, bottom - q.box.bottom() - q.lane - label}
	q.placeGroup(area, true, q.phrase("scene.consumers"))
	area.x = in.midX() + m.pad
	q.placeGroup(area, false, q.phrase("scene.producers"))
	x := in.midX()
	q.wire(x, area.y, x, area.bottom()+label*0.8, divider)
}

func (q *items) placeGroup(area rect, consumers bool, name string) {
	n := 0
	for i := range q.s.Clients {
		if q.takes(i) == consumers {
			n++
		}
	}
	g := q.groupGrid(n, area)
	k := 0
	for i := range q.s.Clients {
		if q.takes(i) != consumers {
			continue
		}
		q.spots[i] = g.spot(k, area, q.spots[i].slot)
		k++
	}
	y := area.bottom()
	if g.words { // close to the clients that it names
		y = min(y, area.y+2.1*ringOf(g.r)+q.m.bold.size*1.3+q.m.small.size*2.6)
	}
	a := q.m.small
	q.texts = append(q.texts, text(a.fit(area.w, name), area.midX(), y+a.size*1.2, a, Middle, inkSoft, area.w))
}

// pitchGrid is the arrangement of a group of clients.
type pitchGrid struct {
	cols           int
	pitch, cell, r float64
	gap            float64 // from a client to the gutter beside it; 0 if its own link is free
	words          bool    // the words fit under the clients
}

// spot returns the place of the k-th client of a group in its area.
func (g *pitchGrid) spot(k int, area rect, slot int32) spot {
	p := spot{
		x: area.x + (float64(k%g.cols)+0.5)*g.pitch, y: area.y + float64(k/g.cols)*g.cell + ringOf(g.r)*1.1,
		r: g.r, slot: slot, col: int32(k % g.cols), dot: g.small(), gap: g.gap,
	}
	if g.words {
		p.room = g.pitch - 4
	}
	return p
}

// small reports whether the clients are dots.
func (g *pitchGrid) small() bool { return g.r < 5 }

// groupGrid makes the clients of a group as large as they fit. It prefers one row with words if that leaves them a good
// size.
func (f *floor) groupGrid(n int, area rect) (best pitchGrid) {
	m := &f.m
	n = max(n, 1)
	best = pitchGrid{cols: n, pitch: area.w / float64(n), r: 0.1}
	for rows := 1; rows <= n; rows++ {
		g := pitchGrid{cols: (n + rows - 1) / rows}
		g.pitch = area.w / float64(g.cols)
		g.cell = area.h / float64(rows)
		if rows == 1 && g.pitch >= 40 {
			under := m.bold.size*1.3 + m.small.size*2.5
			if f.routes.tree { // for their notes
				under += f.notesH()
			}
			if r := min(g.pitch*0.31, (area.h-under)/3, 30*m.k); r >= 8 {
				g.r, g.words = r, true
				return g
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
	return best
}

// takes reports whether client i takes items out. Before it starts, that is unknown: the second half counts as such.
func (t *cast) takes(i int) bool {
	if role := t.s.Clients[i].Role; role != "" {
		return role == t.s.Header.Drawing.Taker
	}
	return i >= len(t.s.Clients)/2
}

// planItemBus plans the rail from the root to the items.
func (q *items) planItemBus() {
	r := newRail(q.hubs[0].rect, q.top, 0.4)
	for _, s := range q.slots {
		if s.node < 0 || !q.places[s.node].shown || q.s.Nodes[s.node].Gone {
			continue
		}
		q.drop(&r, q.places[s.node].midX(), q.places[s.node].y)
	}
	if r.hi > r.lo {
		q.planRail(r)
	}
}

func (q *items) planItems() {
	for _, s := range q.slots {
		if s.node >= 0 && q.places[s.node].shown {
			q.znodes.node(&q.znodes.cards, &q.s.Nodes[s.node], q.places[s.node].rect)
		}
	}
	if q.more > 0 {
		s, a, right := q.say("+").num(int64(q.more)).label(), q.m.note, q.box.right()
		more := middle(s, (q.moreX+right-q.m.pad*0.5)/2, q.top+q.h/2, a, inkSoft, right-q.moreX)
		q.texts = append(q.texts, more)
	}
}
