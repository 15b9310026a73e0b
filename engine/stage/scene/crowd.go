package scene

// maxWindow is the maximum number of readable clients in a crowd: those at the head of the queue.
const maxWindow = 12

// crowd is the layout for more clients than can be read. The head of the queue looks as usual. All others are ticks and
// dots, and their lines form one bundle.
type crowd struct {
	window       int // number of readable slots
	pitch        float64
	r            float64
	left         float64
	cardTop      float64
	cardW, cardH float64
	clientY      float64
	words        bool
	ticks, dots  grid
	gutterX      float64 // x of the gap between the head and the rest
	rest         int     // number of znodes drawn as ticks
	from         int     // first readable slot after those at the head
}

func (l *Layout) layoutCrowd() {
	l.crowded = true
	var c crowd
	l.sizeCrowd(&c)
	l.placeCrowd(&c)
	l.planBox()
	l.planHub()
	l.planCrowdBus(&c)
	l.planWatches()
	l.planBundles(&c)
	l.planRest(&c)
	l.planHead()
	l.planLinks()
	l.planRequests(&c)
	l.planClients()
	l.planEvents(&c)
	l.planMessages()
}

func (l *Layout) sizeCrowd(c *crowd) {
	m, in := &l.m, l.inner()
	part := 0.6
	if in.w < 500 {
		part = 0.52
	}
	width := in.w*part - m.pad
	least := 33 * max(m.k, 0.8)
	if l.visitors || l.observed { // visitors' numbers and letters keep growing
		least = max(least, 48)
	}
	c.window = min(max(int(width/least), 4), maxWindow)
	c.pitch = width / float64(c.window)
	c.left = in.x + m.pad
	c.r = min(c.pitch*0.31, 24*m.k)
	c.words = c.pitch >= 46
	c.cardW, c.cardH = c.pitch-max(4, 8*m.k), m.name.size+max(5, 8*m.k)
	if c.words {
		c.cardH = m.name.size + m.small.size + max(7, 11*m.k)
	}
	head := m.rootH + max(4, 10*m.k)
	tab := m.note.size + max(10, 18*m.k)
	foot := max(9, 13*m.k)
	solo := l.kind == nameKind
	free := in.h - m.stripH - m.margin*0.6 - head - tab - c.cardH - foot
	lane := max(28, free*0.42)
	c.cardTop = in.y + head + tab
	boxH := head + tab + c.cardH + foot
	if !solo {
		grow := max(0, min(free*0.2, 60*m.k))
		boxH, c.cardTop = boxH+grow, c.cardTop+grow*0.6
	}
	l.box = rect{in.x, in.y, in.w, boxH}
	c.clientY = l.box.bottom() + lane + ringOf(c.r)
	c.gutterX = c.left + width + max(4, 8*m.k)
	right := in.right() - m.pad - c.gutterX - max(4, 8*m.k)
	x := c.gutterX + max(4, 8*m.k)
	ticksTop := in.y + head + m.small.size
	if l.kind == barrierKind { // keep clear of the start node
		ticksTop += m.rootH*1.2 + m.small.size*0.8
	}
	c.ticks.rect = rect{x, ticksTop, right, l.box.bottom() - foot*0.6 - ticksTop}
	top := l.box.bottom() + max(12, lane*0.45)
	c.dots.rect = rect{x, top, right, in.bottom() - m.stripH - m.margin*0.6 - top}
	l.m.line = max(1.2, 1.6*m.k)
	l.routes = routing{rows: 1, fine: c.pitch < 40, cols: c.window, left: c.left, pitch: c.pitch,
		cardTop: c.cardTop, solo: solo}
}

// placeCrowd places the head of the queue, and gives every client a dot that never moves.
func (l *Layout) placeCrowd(c *crowd) {
	c.dots = pack(l.here(), c.dots.rect, 16*l.m.k)
	k := -1
	for i := range l.spots {
		if l.hasLeft(&l.s.Clients[i]) {
			continue
		}
		k++
		x, y := c.dots.at(k)
		l.spots[i] = spot{x: x, y: y, r: c.dots.cell * 0.34, slot: -1, dot: true}
	}
	l.placeHub(bands{rows: 1, cardH: c.cardH, foot: 13 * l.m.k, solo: l.routes.solo})
	if l.routes.solo {
		mid := c.left + float64(c.window)*c.pitch/2
		l.marks[1].rect.x = mid - l.marks[1].w/2
		l.marks[0].rect.x = max(mid-l.marks[0].w/2, l.box.x+2*l.m.pad+l.m.bold.width(server))
		l.windowOfClients(c)
		return
	}
	l.windowOfNodes(c)
}

// windowOfNodes makes the first znodes of the queue readable. When one goes, those behind it move up.
func (l *Layout) windowOfNodes(c *crowd) {
	offset, seen := 0.0, 0
	heads, page := l.crowdPage(c)
	c.from = page.from
	for i, s := range l.slots {
		if s.node < 0 {
			continue
		}
		n := &l.s.Nodes[s.node]
		if offset > float64(c.window)-0.999 || i >= heads && i < page.from {
			if !n.Gone {
				c.rest++
			}
			continue
		}
		x := c.left + (offset+0.5)*c.pitch
		l.places[s.node] = place{rect: rect{x - c.cardW/2, c.cardTop, c.cardW, c.cardH}, shown: true, slot: int32(i)}
		weight := l.weight(n)
		if s.client >= 0 && weight > 0.55 { // or the next client's letter would cover its own
			l.readable(c, int(s.client), x, int32(i), seen)
			l.spots[s.client].room = max(0, min(l.spots[s.client].room, c.pitch*(2*weight-1)-4))
		}
		offset += weight
		seen++
	}
	if seen == 0 {
		l.windowOfClients(c)
	}
	l.placeTicks(c)
}

// crowdPage returns what is readable: how many slots at the head, and the page that contains the selected slot.
func (l *Layout) crowdPage(c *crowd) (heads int, page span) {
	l.p.paged = l.visitors || l.observed
	chosen := l.chosenSlot(l.slots)
	if !l.p.paged || chosen < c.window {
		return 0, span{0, len(l.slots)}
	}
	heads = l.turns(l.slots, c.window/2)
	return heads, pageOf(len(l.slots), c.window, c.window-heads, chosen)
}

// placeTicks places the rest of the queue.
func (l *Layout) placeTicks(c *crowd) {
	c.ticks = pack(c.rest, c.ticks.rect, 14*l.m.k)
	w, h, k := c.ticks.cell*tickWidth, c.ticks.cell*tickHeight, 0
	l.p.tickCell = c.ticks.cell
	for i, s := range l.slots {
		if s.node < 0 || l.places[s.node].shown || l.s.Nodes[s.node].Gone {
			continue
		}
		x, y := c.ticks.at(k)
		r := rect{x - w/2, y - h/2, w, h}
		l.places[s.node] = place{rect: r, shown: true, slot: int32(i), tick: true}
		path, to := l.s.Nodes[s.node].Path, &l.p.ticks
		if i < c.from {
			to = &l.p.before
		}
		*to = append(*to, tickPlan{path, float32(r.x), float32(r.y), path == l.o.Selected})
		k++
	}
}

// windowOfClients makes the first clients readable, and the one that is inside.
func (l *Layout) windowOfClients(c *crowd) {
	place := func(i, k int) { l.readable(c, i, c.left+(float64(k)+0.5)*c.pitch, int32(k), k) }
	n, k, last := min(c.window, l.here()), 0, -1
	for i := range l.s.Clients {
		who := &l.s.Clients[i]
		if l.hasLeft(who) || k >= n && !who.Inside {
			continue
		}
		if k++; k < n {
			place(i, k-1)
			continue
		}
		if last = i; k > n {
			break
		}
	}
	if last >= 0 {
		place(last, n-1)
	}
}

func (l *Layout) readable(c *crowd, i int, x float64, slot int32, col int) {
	l.spots[i] = spot{x: x, y: c.clientY, r: c.r, slot: slot, col: int32(col)}
	if c.words {
		l.spots[i].room = c.pitch - 4
	}
}

func (l *Layout) planCrowdBus(c *crowd) {
	if l.routes.solo {
		return
	}
	from := l.marked(l.queueOf)
	if from == nil {
		from = &l.marks[0]
	}
	r := newRail(from.rect, c.cardTop, 0.2)
	for _, s := range l.slots {
		if s.node >= 0 && l.places[s.node].shown && !l.places[s.node].tick && !l.s.Nodes[s.node].Gone {
			l.drop(&r, l.places[s.node].midX(), l.places[s.node].y)
		}
	}
	if c.rest > 0 {
		l.drop(&r, c.ticks.x, c.ticks.y+2)
	}
	l.planRail(r)
}

// planHead plans the readable cards.
func (l *Layout) planHead() {
	for _, s := range l.slots {
		if s.node < 0 || !l.places[s.node].shown || l.places[s.node].tick {
			continue
		}
		n, r := &l.s.Nodes[s.node], l.places[s.node].rect
		l.tab(l.node(&l.p.cards, n, r), n, r, r.w+6)
	}
}

// planRest says how many more znodes the queue has.
func (l *Layout) planRest(c *crowd) {
	if c.rest == 0 {
		return
	}
	x, anchor, room := c.ticks.right(), End, c.ticks.w
	if l.kind == barrierKind {
		x, anchor = c.ticks.x+5, Start
	}
	y, a := c.ticks.y-3, l.m.small
	for i := range l.p.bundles { // keep clear of the bundles' counts
		if n := &l.p.bundles[i].count; anchor == End && n.right() < x && n.y < y && n.bottom() > y-a.size {
			room = min(room, x-n.right()-4)
		}
	}
	s := a.fit(room, l.phrase("scene.more", l.grouped(c.rest)), l.say("+", l.grouped(c.rest)).label())
	l.p.texts = append(l.p.texts, text(s, x, y, a, anchor, inkSoft, room))
}
