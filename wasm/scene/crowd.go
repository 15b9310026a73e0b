package scene

// maxWindow is how many of a crowd's clients are readable: those at the head of the queue.
const maxWindow = 12

// crowd is the layout for more clients than can be read: the head of the queue as ever, all the others as
// ticks and dots, their lines as one bundle.
type crowd struct {
	window       int // slots that are readable
	pitch        float64
	r            float64
	left         float64
	cardTop      float64
	cardW, cardH float64
	clientY      float64
	words        bool
	ticks, dots  grid
	gutterX      float64 // between the head and the rest
	rest         int     // znodes that are ticks
}

func (f *Frame) drawCrowd() {
	f.crowded = true
	var c crowd
	f.sizeCrowd(&c)
	f.placeCrowd(&c)
	f.drawBox()
	f.drawHub()
	f.drawCrowdBus(&c)
	f.drawWatchLines()
	f.drawBundles(&c)
	f.drawTicks(&c)
	f.drawHead()
	f.drawLinks()
	f.drawCrowdFlights(&c)
	for i := range f.spots {
		if f.spots[i].dot {
			f.drawDot(i)
		} else {
			f.drawClient(i)
		}
	}
	f.drawWatchEnds()
	f.drawSwarm(&c)
	f.drawFlights()
}

func (f *Frame) sizeCrowd(c *crowd) {
	m, in := &f.m, f.inner()
	part := 0.6
	if in.w < 500 {
		part = 0.52
	}
	width := in.w*part - m.pad
	c.window = min(max(int(width/(33*max(m.k, 0.8))), 4), maxWindow)
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
	solo := f.isName()
	free := in.h - m.stripH - m.margin*0.6 - head - tab - c.cardH - foot
	lane := max(28, free*0.42)
	c.cardTop = in.y + head + tab
	boxH := head + tab + c.cardH + foot
	if !solo {
		grow := max(0, min(free*0.2, 60*m.k))
		boxH, c.cardTop = boxH+grow, c.cardTop+grow*0.6
	}
	f.box = rect{in.x, in.y, in.w, boxH}
	c.clientY = f.box.bottom() + lane + ringOf(c.r)
	c.gutterX = c.left + width + max(4, 8*m.k)
	right := in.right() - m.pad - c.gutterX - max(4, 8*m.k)
	x := c.gutterX + max(4, 8*m.k)
	ticksTop := in.y + head + m.small.size
	if f.isBarrier() { // the start node is in the way
		ticksTop += m.rootH*1.2 + m.small.size*0.8
	}
	c.ticks.rect = rect{x, ticksTop, right, f.box.bottom() - foot*0.6 - ticksTop}
	top := f.box.bottom() + max(12, lane*0.45)
	c.dots.rect = rect{x, top, right, in.bottom() - m.stripH - m.margin*0.6 - top}
	f.m.line = max(1.2, 1.6*m.k)
	f.routes = routing{rows: 1, fine: c.pitch < 40, cols: c.window, left: c.left, pitch: c.pitch, cardTop: c.cardTop, cardBottom: c.cardTop + c.cardH, solo: solo}
}

// placeCrowd gives the head of the queue its places, and every client its dot, which never moves.
func (f *Frame) placeCrowd(c *crowd) {
	c.dots = pack(f.here(), c.dots.rect, 16*f.m.k)
	k := -1
	for i := range f.spots {
		if f.hasLeft(&f.s.Clients[i]) {
			continue
		}
		k++
		x, y := c.dots.at(k)
		f.spots[i] = spot{x: x, y: y, r: c.dots.cell * 0.34, slot: -1, dot: true}
	}
	p := plan{rows: 1, cardH: c.cardH, foot: 13 * f.m.k, solo: f.routes.solo}
	f.placeHub(p, &f.m)
	if f.routes.solo {
		mid := c.left + float64(c.window)*c.pitch/2
		f.marks[1].rect.x = mid - f.marks[1].w/2
		f.marks[0].rect.x = max(mid-f.marks[0].w/2, f.box.x+2*f.m.pad+f.m.bold.width(f.words.ZooKeeper))
		f.windowOfClients(c)
		return
	}
	f.windowOfNodes(c)
}

// windowOfNodes makes the first znodes of the queue readable. As one goes, those behind it move up.
func (f *Frame) windowOfNodes(c *crowd) {
	offset, seen := 0.0, 0
	for i, s := range f.slots {
		if s.node < 0 {
			continue
		}
		n := &f.s.Nodes[s.node]
		if offset > float64(c.window)-0.999 {
			if !n.Gone {
				c.rest++
			}
			continue
		}
		x := c.left + (offset+0.5)*c.pitch
		f.cards[s.node] = card{rect: rect{x - c.cardW/2, c.cardTop, c.cardW, c.cardH}, shown: true, slot: int32(i)}
		weight := 1.0
		if n.Gone && !f.o.Still {
			weight = 1 - ease(f.passed(n.GoneAt+slideAfter, slideFor))
		}
		if s.client >= 0 && weight > 0.3 {
			f.readable(c, int(s.client), x, int32(i), seen)
		}
		offset += weight
		seen++
	}
	if seen == 0 {
		f.windowOfClients(c)
	}
	f.placeTicks(c)
}

func (f *Frame) placeTicks(c *crowd) {
	c.ticks = pack(c.rest, c.ticks.rect, 14*f.m.k)
	k := 0
	for i, s := range f.slots {
		if s.node < 0 || f.cards[s.node].shown || f.s.Nodes[s.node].Gone {
			continue
		}
		x, y := c.ticks.at(k)
		w, h := c.ticks.cell*0.62, c.ticks.cell*0.72
		f.cards[s.node] = card{rect: rect{x - w/2, y - h/2, w, h}, shown: true, slot: int32(i), tick: true}
		k++
	}
}

// windowOfClients makes the first clients readable, and the one that is inside.
func (f *Frame) windowOfClients(c *crowd) {
	n := min(c.window, len(f.s.Clients))
	last := n - 1
	for i := n; i < len(f.s.Clients); i++ {
		if f.s.Clients[i].Inside {
			last = i
			break
		}
	}
	for k := range n {
		i := k
		if k == n-1 {
			i = last
		}
		f.readable(c, i, c.left+(float64(k)+0.5)*c.pitch, int32(k), k)
	}
}

func (f *Frame) readable(c *crowd, i int, x float64, slot int32, col int) {
	f.spots[i] = spot{x: x, y: c.clientY, r: c.r, slot: slot, col: int32(col)}
	if c.words {
		f.spots[i].room = c.pitch - 4
	}
}

func (f *Frame) drawCrowdBus(c *crowd) {
	if f.routes.solo {
		return
	}
	how := pen{colour: f.t.Edge, width: max(1, 1.4*f.m.k)}
	from := f.marks[0].rect
	for i := range f.marks {
		if f.marks[i].path == f.queueOf {
			from = f.marks[i].rect
		}
	}
	y := from.bottom() + max(3, (c.cardTop-from.bottom())*0.2)
	lo, hi := from.midX(), from.midX()
	for _, s := range f.slots {
		if s.node >= 0 && f.cards[s.node].shown && !f.cards[s.node].tick {
			r := &f.cards[s.node]
			f.line(r.midX(), y, r.midX(), r.y, how)
			lo, hi = min(lo, r.midX()), max(hi, r.midX())
		}
	}
	if c.rest > 0 {
		hi = max(hi, c.ticks.x)
		f.line(c.ticks.x, y, c.ticks.x, c.ticks.y+2, how)
	}
	f.line(from.midX(), from.bottom(), from.midX(), y, how)
	f.line(lo, y, hi, y, how)
}

// drawHead draws the readable cards.
func (f *Frame) drawHead() {
	for _, s := range f.slots {
		if s.node < 0 || !f.cards[s.node].shown || f.cards[s.node].tick {
			continue
		}
		n, r := &f.s.Nodes[s.node], f.cards[s.node].rect
		f.drawNode(n, r)
		if owner := f.owner(n); f.holds(n, owner) {
			f.drawTab(r, owner, r.w+6)
		}
	}
}

// drawTicks draws the rest of the queue.
func (f *Frame) drawTicks(c *crowd) {
	if c.rest == 0 {
		return
	}
	s := f.say("+").num(int64(c.rest)).say(" ", f.words.More).label()
	room := c.ticks.w
	if f.isBarrier() {
		f.text(f.m.small.fit(room, s), c.ticks.x+5, c.ticks.y-3, f.m.small, Start, f.t.Soft, room)
	} else {
		f.text(f.m.small.fit(room, s), c.ticks.right(), c.ticks.y-3, f.m.small, End, f.t.Soft, room)
	}
	for _, s := range f.slots {
		if s.node < 0 || !f.cards[s.node].tick {
			continue
		}
		r := f.cards[s.node].rect
		fill := f.t.Soft
		if n := &f.s.Nodes[s.node]; n.Path == f.o.Selected {
			fill = f.t.Signal
		}
		f.panel(r, 0, fill, pen{})
		f.hit(f.s.Nodes[s.node].Path, rect{r.midX() - c.ticks.cell/2, r.midY() - c.ticks.cell/2, c.ticks.cell, c.ticks.cell})
	}
}
