package scene

import "github.com/zkviz/zkviz/engine/view"

// rowPlan is how a tree's rows are laid out.
type rowPlan struct {
	rowH, pitch float64
	cols, rows  int
	colW        float64
	lanes       float64 // on the right, for watches
}

func (f *Frame) planRows(area rect) rowPlan {
	m := &f.m
	p := rowPlan{rowH: m.name.size + max(6, 10*m.k)}
	p.pitch = p.rowH + max(2, 5*m.k)
	if n := float64(len(f.twigs)); n*p.pitch > area.h && n*(p.rowH+1) <= area.h+1 {
		p.pitch = area.h / n
	}
	if len(f.s.Clients) > 0 {
		p.lanes = min(max(area.w*0.3, 60), 12*m.k*float64(len(f.s.Clients))+40*m.k)
	}
	p.rows = max(int(area.h/p.pitch+0.01), 1)
	most := max(int((area.w-p.lanes)/(200*max(m.k, 0.7))), 1)
	if len(f.s.Clients) > 0 {
		most = 1
	}
	p.cols = min(max((len(f.twigs)+p.rows-1)/p.rows, 1), most)
	p.colW = (area.w - p.lanes) / float64(p.cols)
	if n := len(f.twigs); n > 0 && n < p.rows { // room to breathe
		p.pitch = min(area.h/float64(n), p.rowH*1.7)
	}
	return p
}

// drawTwigs draws the rows.
func (f *Frame) drawTwigs() {
	m := &f.m
	head := m.rootH + max(8, 14*m.k)
	area := rect{f.box.x + m.pad, f.box.y + head, f.box.w - 2*m.pad, f.box.h - head - max(4, 8*m.k)}
	p := f.planRows(area)
	f.routes.treeX = area.right() - p.lanes
	f.routes.treeStep = p.lanes / float64(len(f.s.Clients)+1)
	f.routes.cardTop, f.routes.cardBottom = area.y, area.bottom()
	shown := min(len(f.twigs), p.rows*p.cols)
	if shown < len(f.twigs) {
		shown--
	}
	var trunk [32]float64 // the y of the last row at each depth, for the elbows
	for i := range max(shown, 0) {
		t := &f.twigs[i]
		x, y := area.x+float64(i/p.rows)*p.colW, area.y+float64(i%p.rows)*p.pitch
		if i%p.rows == 0 {
			for d := range trunk {
				trunk[d] = y
			}
		}
		f.drawTwig(t, rect{x, y, p.colW - 8*m.k, p.rowH}, trunk[:])
	}
	f.nearLanes(area)
	if rest := len(f.twigs) - shown; rest > 0 {
		s := f.say("+").num(int64(rest)).say(" ", f.words.More).label()
		k := max(shown, 0)
		x, y := area.x+float64(k/p.rows)*p.colW, area.y+float64(k%p.rows)*p.pitch
		f.text(s, x+4, y+p.rowH*0.7, m.note, Start, f.t.Soft, p.colW)
	}
}

// nearLanes brings the lanes for watches close to the widest row.
func (f *Frame) nearLanes(area rect) {
	x := area.x + area.w*0.3
	for i := range f.cards {
		if c := &f.cards[i]; c.shown {
			x = max(x, c.right())
		}
	}
	for i := range f.marks {
		x = max(x, f.marks[i].right())
	}
	step := min(f.routes.treeStep*1.5, 26*f.m.k)
	f.routes.treeStep = min(step, (area.right()-x)/float64(len(f.s.Clients)+2))
	f.routes.treeX = x + f.routes.treeStep
}

func (f *Frame) drawTwig(t *twig, r rect, trunk []float64) {
	m := &f.m
	depth := min(t.depth, len(trunk)-1)
	step := min(22*m.k, r.w*0.5/float64(depth+1))
	x := r.x + float64(depth)*step
	if depth > 0 {
		how := pen{colour: f.t.Edge, width: max(1, 1.3*m.k)}
		bx := x - step*0.55
		f.line(bx, trunk[depth-1], bx, r.midY(), how)
		f.line(bx, r.midY(), x, r.midY(), how)
	}
	for d := depth; d < len(trunk); d++ {
		trunk[d] = r.bottom()
	}
	if depth > 0 {
		trunk[depth-1] = r.midY()
	}
	r.w -= x - r.x
	r.x = x
	switch {
	case t.queue > 0:
		f.drawQueueRow(t, r)
	case t.node < 0:
		r.w = min(r.w, m.name.width(base(t.path))+20*m.k)
		f.mark(t.path, r)
		f.drawMissing(t.path, r)
	default:
		f.drawLeaf(t, r)
	}
}

// drawLeaf draws one znode's row: the card with the name, then what kind it is, its version and its data.
func (f *Frame) drawLeaf(t *twig, r rect) {
	m, n := &f.m, &f.s.Nodes[t.node]
	pad := max(5, 8*m.k)
	name := f.leafName(t, r.w-2*pad)
	w := m.name.width(name) + 2*pad
	c := rect{r.x, r.y, w, r.h}
	f.cards[t.node] = card{rect: c, shown: true, slot: -1}
	alpha := f.leafCard(n, c)
	f.middle(name, c.midX(), c.midY(), m.name, f.t.Ink.Fade(alpha), c.w)
	if n.Gone {
		f.line(c.x+3, c.midY(), c.right()-3, c.midY(), pen{colour: f.t.Soft.Fade(alpha), width: max(1, 1.3*m.k)})
	}
	x, room := c.right()+8*m.k, r.right()-c.right()-10*m.k
	y := c.midY() + m.small.size*0.36
	if s := f.valueOf(n, min(room, max(room*0.6, 30))); s != "" {
		a := m.small
		a.bold = true
		f.text(s, x, y, a, Start, f.t.Ink.Fade(alpha), room)
		w := a.width(s) + 10*m.k
		x, room = x+w, room-w
	}
	if s := f.traits(n, f.owner(n), room); s != "" {
		f.text(s, x, y, m.small, Start, f.t.Soft.Fade(alpha), room)
		x += m.small.width(s) + 6*m.k
	}
	f.cards[t.node].w = max(x-r.x, w) // lines stop before the words
	f.hit(n.Path, rect{r.x, r.y, f.cards[t.node].w, r.h})
}

func (f *Frame) leafName(t *twig, room float64) string {
	if t.depth == 0 {
		return f.cutMiddle(t.path, f.m.name, room)
	}
	n := &f.s.Nodes[t.node]
	return f.name(n, f.m.name, room)
}

// leafCard draws the card's outline and says how much of it is to be seen.
func (f *Frame) leafCard(n *view.Node, c rect) float64 {
	alpha := 1.0
	if n.Gone {
		alpha = f.fading(n)
	} else {
		alpha = ease(f.grown(n.Created))
	}
	f.outline(n, c, f.owner(n), alpha)
	return alpha
}

// valueOf is a znode's data, as far as there is room.
func (f *Frame) valueOf(n *view.Node, room float64) string {
	if n.Gone || n.Data == "" {
		return ""
	}
	return f.cut(n.Data, face{size: f.m.small.size, bold: true}, room)
}

// traits says what kind of znode it is, whose, and how often its data has changed.
func (f *Frame) traits(n *view.Node, owner int, room float64) string {
	kind := f.kindOf(n, owner, room)
	if n.Version == 0 || n.Gone || f.observed() { // an observer may have missed changes
		return kind
	}
	s := f.say(kind, " · v").num(int64(n.Version)).label()
	return f.m.small.fit(room, s, kind)
}

// drawQueueRow draws sequential siblings side by side, in order.
func (f *Frame) drawQueueRow(t *twig, r rect) {
	m := &f.m
	w := m.name.width("lock-007") + 8*m.k
	if r.w < 3*w {
		w = m.name.width("007") + 8*m.k
	}
	gap := 5 * m.k
	fits := int((r.w + gap) / (w + gap))
	if fits < t.queue {
		fits = max(int((r.w-m.note.width("+9999")+gap)/(w+gap)), 1)
	}
	for k := range min(fits, t.queue) {
		s := f.slots[t.first+k]
		n := &f.s.Nodes[s.node]
		c := rect{r.x + float64(k)*(w+gap), r.y, w, r.h}
		f.cards[s.node] = card{rect: c, shown: true, slot: int32(t.first + k)}
		f.drawNode(n, c)
	}
	if rest := t.queue - fits; rest > 0 {
		s := f.say("+").num(int64(rest)).label()
		x := r.x + float64(fits)*(w+gap)
		f.text(s, x+2, r.midY()+m.note.size*0.36, m.note, Start, f.t.Soft, r.right()-x)
	}
}

// routeTree leads a line up a lane of its own at the right of the box, and to the right edge of the row. To a znode
// that stands in a row with others it goes below the row, off their names.
func (f *Frame) routeTree(i int, p *spot, target rect, slot int32, out *path) {
	g := &f.routes
	lane := g.treeX + float64(i+1)*g.treeStep
	r := f.eyeR()
	x, y := target.right()+r+2, target.midY()
	if slot >= 0 {
		x = target.midX() + float64(i%3-1)*min(r*1.6, target.w*0.3)
		y = target.bottom() + (1.5+float64(i%3))*f.m.k
	} else {
		n := float64(len(f.s.Clients))
		y += (float64(i) - (n-1)/2) * min(r*1.6, target.h*0.8/max(n, 1)) // not on each other
	}
	sx, sy := f.takeOff(p, lane)
	low := f.box.bottom()
	out.add(upright(sx, sy, lane, low))
	bend := min(10*f.m.k, (low-y)*0.5)
	out.add(straight(lane, low, lane, y+bend))
	out.add(cubic{lane, y + bend, lane, y, lane, y, lane - bend, y})
	out.add(straight(lane-bend, y, x, y))
}
