package scene

// maxWindow is the maximum number of readable clients in a crowd: those at the head of the queue.
const maxWindow = 12

// crowd plans more clients than can be read. The head of the queue looks as usual. All others are ticks and dots, and
// their lines form one bundle.
type crowd struct {
	*queue
	watches     *watches
	messages    *messages
	ticksBefore []tickPlan // znodes before the cards
	ticksAfter  []tickPlan
	paged       bool    // the selection decides which znodes are cards and which are ticks
	tickCell    float64 // side of the square around a tick that responds to the pointer
	bundles     []bundlePlan
	events      []particle // watch events on their way to the dots
	crowdSizes
}

func (c *crowd) begin() {
	c.ticksBefore, c.ticksAfter, c.bundles, c.events = c.ticksBefore[:0], c.ticksAfter[:0], c.bundles[:0], c.events[:0]
	c.paged, c.tickCell, c.crowdSizes = false, 0, crowdSizes{}
}

// crowdSizes says where the parts of a crowd are.
type crowdSizes struct {
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

func (c *crowd) sizeCrowd() {
	m, in := &c.m, c.inner()
	part := 0.6
	if in.w < 500 {
		part = 0.52
	}
	width := in.w*part - m.pad
	least := 33 * max(m.k, 0.8)
	if c.visitors || c.observed { // visitors' numbers and letters keep growing
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
	solo := c.kind == nameKind
	free := in.h - m.stripH - m.margin*0.6 - head - tab - c.cardH - foot
	lane := max(28, free*0.42)
	c.cardTop = in.y + head + tab
	boxH := head + tab + c.cardH + foot
	if !solo {
		grow := max(0, min(free*0.2, 60*m.k))
		boxH, c.cardTop = boxH+grow, c.cardTop+grow*0.6
	}
	c.box = rect{in.x, in.y, in.w, boxH}
	c.clientY = c.box.bottom() + lane + ringOf(c.r)
	c.gutterX = c.left + width + max(4, 8*m.k)
	right := in.right() - m.pad - c.gutterX - max(4, 8*m.k)
	x := c.gutterX + max(4, 8*m.k)
	ticksTop := in.y + head + m.small.size
	if c.kind == barrierKind { // keep clear of the start node
		ticksTop += m.rootH*1.2 + m.small.size*0.8
	}
	c.ticks.rect = rect{x, ticksTop, right, c.box.bottom() - foot*0.6 - ticksTop}
	top := c.box.bottom() + max(12, lane*0.45)
	c.dots.rect = rect{x, top, right, in.bottom() - m.stripH - m.margin*0.6 - top}
	c.m.line = max(1.2, 1.6*m.k)
	c.routes = routing{rows: 1, fine: c.pitch < 40, cols: c.window, left: c.left, pitch: c.pitch,
		cardTop: c.cardTop, solo: solo}
}

// placeCrowd places the head of the queue, and gives every client a dot that never moves.
func (c *crowd) placeCrowd() {
	c.dots = pack(c.here(), c.dots.rect, 16*c.m.k)
	k := -1
	for i := range c.spots {
		if c.hasLeft(&c.s.Clients[i]) {
			continue
		}
		k++
		x, y := c.dots.at(k)
		c.spots[i] = spot{x: x, y: y, r: c.dots.cell * 0.34, slot: -1, dot: true}
	}
	c.placeHub(bands{rows: 1, cardH: c.cardH, foot: 13 * c.m.k, solo: c.routes.solo})
	if c.routes.solo {
		mid := c.left + float64(c.window)*c.pitch/2
		c.hubs[1].rect.x = mid - c.hubs[1].w/2
		c.hubs[0].rect.x = max(mid-c.hubs[0].w/2, c.box.x+2*c.m.pad+c.m.bold.width(server))
		c.windowOfClients()
		return
	}
	c.windowOfNodes()
}

// windowOfNodes makes the first znodes of the queue readable. When one goes, those behind it move up.
func (c *crowd) windowOfNodes() {
	offset, seen := 0.0, 0
	heads, page := c.crowdPage()
	c.from = page.from
	for i, s := range c.slots {
		if s.node < 0 {
			continue
		}
		n := &c.s.Nodes[s.node]
		if offset > float64(c.window)-0.999 || i >= heads && i < page.from {
			if !n.Gone {
				c.rest++
			}
			continue
		}
		x := c.left + (offset+0.5)*c.pitch
		c.places[s.node] = place{rect: rect{x - c.cardW/2, c.cardTop, c.cardW, c.cardH}, shown: true, slot: int32(i)}
		weight := c.weight(n)
		if s.client >= 0 && weight > 0.55 { // or the next client's letter would cover its own
			c.readable(int(s.client), x, int32(i), seen)
			c.spots[s.client].room = max(0, min(c.spots[s.client].room, c.pitch*(2*weight-1)-4))
		}
		offset += weight
		seen++
	}
	if seen == 0 {
		c.windowOfClients()
	}
	c.placeTicks()
}

// crowdPage returns what is readable: how many slots at the head, and the page that contains the selected slot.
func (c *crowd) crowdPage() (heads int, page span) {
	c.paged = c.visitors || c.observed
	chosen := c.chosenSlot(c.slots)
	if !c.paged || chosen < c.window {
		return 0, span{0, len(c.slots)}
	}
	heads = c.turns(c.slots, c.window/2)
	return heads, pageOf(len(c.slots), c.window, c.window-heads, chosen)
}

// placeTicks places the rest of the queue.
func (c *crowd) placeTicks() {
	c.ticks = pack(c.rest, c.ticks.rect, 14*c.m.k)
	w, h, k := c.ticks.cell*tickWidth, c.ticks.cell*tickHeight, 0
	c.tickCell = c.ticks.cell
	for i, s := range c.slots {
		if s.node < 0 || c.places[s.node].shown || c.s.Nodes[s.node].Gone {
			continue
		}
		x, y := c.ticks.at(k)
		r := rect{x - w/2, y - h/2, w, h}
		c.places[s.node] = place{rect: r, shown: true, slot: int32(i), tick: true}
		path, to := c.s.Nodes[s.node].Path, &c.ticksAfter
		if i < c.from {
			to = &c.ticksBefore
		}
		*to = append(*to, tickPlan{path, float32(r.x), float32(r.y), path == c.o.Selected})
		k++
	}
}

// windowOfClients makes the first clients readable, and the one that is inside.
func (c *crowd) windowOfClients() {
	place := func(i, k int) { c.readable(i, c.left+(float64(k)+0.5)*c.pitch, int32(k), k) }
	n, k, last := min(c.window, c.here()), 0, -1
	for i := range c.s.Clients {
		who := &c.s.Clients[i]
		if c.hasLeft(who) || k >= n && !who.Inside {
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

func (c *crowd) readable(i int, x float64, slot int32, col int) {
	c.spots[i] = spot{x: x, y: c.clientY, r: c.r, slot: slot, col: int32(col)}
	if c.words {
		c.spots[i].room = c.pitch - 4
	}
}

func (c *crowd) planCrowdBus() {
	if c.routes.solo {
		return
	}
	from := c.hubAt(c.queueOf)
	if from == nil {
		from = &c.hubs[0]
	}
	r := newRail(from.rect, c.cardTop, 0.2)
	for _, s := range c.slots {
		if s.node >= 0 && c.places[s.node].shown && !c.places[s.node].tick && !c.s.Nodes[s.node].Gone {
			c.drop(&r, c.places[s.node].midX(), c.places[s.node].y)
		}
	}
	if c.rest > 0 {
		c.drop(&r, c.ticks.x, c.ticks.y+2)
	}
	c.planRail(r)
}

// planHead plans the readable cards.
func (c *crowd) planHead() {
	for _, s := range c.slots {
		if s.node < 0 || !c.places[s.node].shown || c.places[s.node].tick {
			continue
		}
		n, r := &c.s.Nodes[s.node], c.places[s.node].rect
		c.znodes.tab(c.znodes.node(&c.znodes.cards, n, r), n, r, r.w+6)
	}
}

// planRest says how many more znodes the queue has.
func (c *crowd) planRest() {
	if c.rest == 0 {
		return
	}
	x, anchor, room := c.ticks.right(), End, c.ticks.w
	if c.kind == barrierKind {
		x, anchor = c.ticks.x+5, Start
	}
	y, a := c.ticks.y-3, c.m.small
	for i := range c.bundles { // keep clear of the bundles' counts
		if n := &c.bundles[i].count; anchor == End && n.right() < x && n.y < y && n.bottom() > y-a.size {
			room = min(room, x-n.right()-4)
		}
	}
	s := a.fit(room, c.phrase("scene.more", c.grouped(c.rest)), c.say("+", c.grouped(c.rest)).label())
	c.texts = append(c.texts, text(s, x, y, a, anchor, inkSoft, room))
}
