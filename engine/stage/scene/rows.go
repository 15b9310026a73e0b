package scene

import (
	"slices"

	"github.com/zkviz/zkviz/engine/analysis/view"
)

// rowPlan is the layout of a tree's rows.
type rowPlan struct {
	rowH, pitch float64
	cols, rows  int
	colW        float64
	lanes       float64 // on the right, for watches
}

func (tr *tree) rowPlan(area rect) rowPlan {
	m := &tr.m
	p := rowPlan{rowH: m.name.size + max(6, 10*m.k)}
	p.pitch = p.rowH + max(2, 5*m.k)
	if n := float64(len(tr.rows)); n*p.pitch > area.h && n*(p.rowH+1) <= area.h+1 {
		p.pitch = area.h / n
	}
	watching := len(tr.s.Clients) > 0 && !tr.observed
	if watching {
		p.lanes = min(max(area.w*0.3, 60), 12*m.k*float64(len(tr.s.Clients))+40*m.k)
	}
	p.rows = max(int(area.h/p.pitch+0.01), 1)
	most := max(int((area.w-p.lanes)/(200*max(m.k, 0.7))), 1)
	if watching {
		most = 1
	}
	p.cols = min(max((len(tr.rows)+p.rows-1)/p.rows, 1), most)
	p.colW = (area.w - p.lanes) / float64(p.cols)
	if n := len(tr.rows); n > 0 && n < p.rows { // room to breathe
		p.pitch = min(area.h/float64(n), p.rowH*1.7)
	}
	return p
}

// planRows plans the rows.
func (tr *tree) planRows() {
	m := &tr.m
	head := m.rootH + max(8, 14*m.k)
	area := rect{tr.box.x + m.pad, tr.box.y + head, tr.box.w - 2*m.pad, tr.box.h - head - max(4, 8*m.k)}
	p := tr.rowPlan(area)
	if len(tr.rows) > p.rows*p.cols { // existing znodes take precedence over deleted ones
		all := tr.rows
		tr.rows = all[:0]
		for i := range all {
			if t := &all[i]; t.queue > 0 || t.node < 0 || !tr.s.Nodes[t.node].Gone {
				tr.rows = append(tr.rows, *t)
			}
		}
		p = tr.rowPlan(area)
	}
	tr.routes.treeX = area.right() - p.lanes
	tr.routes.treeStep = p.lanes / float64(len(tr.s.Clients)+1)
	tr.routes.cardTop = area.y
	page, places := span{0, len(tr.rows)}, p.rows*p.cols
	if len(tr.rows) > places {
		page = pageOf(len(tr.rows), places-1, places-2, tr.chosenRow())
	}
	at := 0 // next place
	place := func() rect {
		x, y := area.x+float64(at/p.rows)*p.colW, area.y+float64(at%p.rows)*p.pitch
		at++
		return rect{x, y, p.colW - 8*m.k, p.rowH}
	}
	if page.from > 0 {
		says := tr.phrase("scene.more-before", tr.grouped(page.from))
		tr.znodes.more(&tr.znodes.rows, says, tr.pathOf(page.from-1), true, place())
	}
	var trunk [32]float64 // y of the last row at each depth, for the elbows
	for i := page.from; i < page.to; i++ {
		top := at%p.rows == 0 || i == page.from
		r := place()
		if top {
			for d := range trunk {
				trunk[d] = r.y
			}
		}
		tr.planRow(&tr.rows[i], r, trunk[:])
	}
	if rest := len(tr.rows) - page.to; rest > 0 {
		tr.znodes.more(&tr.znodes.rows, tr.phrase("scene.more", tr.grouped(rest)), tr.pathOf(page.to), false, place())
	}
	tr.nearLanes(area)
}

// pathOf returns the path that selects row i.
func (tr *tree) pathOf(i int) string {
	t := &tr.rows[i]
	if t.queue > 0 {
		return tr.s.Nodes[tr.slots[t.first].node].Path
	}
	return t.path
}

// chosenRow returns the row that is, or contains, the selected znode, or -1.
func (tr *tree) chosenRow() int {
	path := tr.chosen()
	return slices.IndexFunc(tr.rows, func(t row) bool {
		if t.queue > 0 {
			return tr.chosenSlot(tr.slots[t.first:][:t.queue]) >= 0
		}
		return path != "" && t.path == path
	})
}

// nearLanes moves the lanes for watches close to the widest row.
func (tr *tree) nearLanes(area rect) {
	x := area.x + area.w*0.3
	for i := range tr.places {
		if c := &tr.places[i]; c.shown {
			x = max(x, c.right())
		}
	}
	for i := range tr.hubs {
		x = max(x, tr.hubs[i].right())
	}
	step := min(tr.routes.treeStep*1.5, 26*tr.m.k)
	tr.routes.treeStep = min(step, (area.right()-x)/float64(len(tr.s.Clients)+2))
	tr.routes.treeX = x + tr.routes.treeStep
}

func (tr *tree) planRow(t *row, r rect, trunk []float64) {
	m := &tr.m
	depth := min(t.depth, len(trunk)-1)
	step := min(22*m.k, r.w*0.5/float64(depth+1))
	x := r.x + float64(depth)*step
	hangs := tr.hangs(t)
	if depth > 0 && hangs {
		bx := x - step*0.55
		tr.wire(bx, trunk[depth-1], bx, r.midY(), rowWire)
		tr.wire(bx, r.midY(), x, r.midY(), rowWire)
	}
	for d := depth; d < len(trunk); d++ {
		trunk[d] = r.bottom()
	}
	if depth > 0 && hangs {
		trunk[depth-1] = r.midY()
	}
	r.w -= x - r.x
	r.x = x
	switch {
	case t.queue > 0:
		tr.planQueueRow(t, r)
	case t.node < 0:
		r.w = min(r.w, m.name.width(base(t.path))+20*m.k)
		tr.stand(t.path, r)
		tr.znodes.missing(&tr.znodes.rows, t.path, r)
	default:
		tr.planLeaf(t, r)
	}
}

// hangs reports whether a row has an existing znode.
func (tr *tree) hangs(t *row) bool {
	if t.queue == 0 {
		return t.node >= 0 && !tr.s.Nodes[t.node].Gone
	}
	return slices.ContainsFunc(tr.slots[t.first:][:t.queue], func(s slot) bool { return !tr.s.Nodes[s.node].Gone })
}

// planLeaf plans the row of one znode: the card with the name, then its data, its kind and its version.
func (tr *tree) planLeaf(t *row, r rect) {
	m, n := &tr.m, &tr.s.Nodes[t.node]
	pad := max(5, 8*m.k)
	name := tr.leafName(t, r.w-2*pad)
	w := m.name.width(name) + 2*pad
	c := rect{r.x, r.y, w, r.h}
	var alpha float64
	if n.Gone {
		alpha = tr.znodes.fading(n)
	} else {
		alpha = ease(tr.grown(n.Created))
	}
	p := tr.znodes.outline(&tr.znodes.rows, n, c, tr.owner(n), alpha)
	p.name = middle(name, c.midX(), c.midY(), m.name, inkPlain, c.w).faded(alpha)
	if n.Gone {
		p.struck = alpha
	}
	x, room := c.right()+8*m.k, r.right()-c.right()-10*m.k
	y := c.midY() + m.small.size*0.36
	if s := tr.valueOf(n, min(room, max(room*0.6, 30))); s != "" {
		a := m.note
		p.second = text(s, x, y, a, Start, inkPlain, room).faded(alpha)
		tr.labelled(DataMark, n.Path, n.Data, &p.second)
		w := a.width(s) + 10*m.k
		x, room = x+w, room-w
	}
	tr.labelled(NodeMark, n.Path, "", &p.name)
	if s, what := tr.traits(n, tr.owner(n), room); s != "" {
		p.third = text(s, x, y, m.small, Start, inkSoft, room).faded(alpha)
		tr.znodes.tells(n, tr.owner(n), what, &p.third)
		x += m.small.width(s) + 6*m.k
	}
	c.w = max(x-r.x, w) // lines stop before the words
	tr.places[t.node] = place{rect: c, shown: true, slot: -1}
	p.hit = c
}

func (tr *tree) leafName(t *row, room float64) string {
	if t.depth == 0 {
		return tr.cutMiddle(t.path, tr.m.name, room)
	}
	return tr.znodes.name(&tr.s.Nodes[t.node], tr.m.name, room)
}

// valueOf returns as much of a znode's data as fits.
func (tr *tree) valueOf(n *view.Node, room float64) string {
	if n.Gone || n.Data == "" {
		return ""
	}
	return tr.cut(n.Data, tr.m.note, room)
}

// traits returns a znode's kind, owner, version, and the number of its next child.
func (tr *tree) traits(n *view.Node, owner int, room float64) (string, said) {
	s, what := tr.znodes.kindOf(n, owner, room)
	if n.Gone || tr.observed { // an observer may have missed changes
		return s, what
	}
	if n.Version > 0 || n.Numbers || tr.conditional(n.Path) {
		long := tr.phrase("scene.version", s, tr.num(int64(n.Version)).label())
		if !n.Numbers && tr.m.small.width(long) <= room {
			s, what = long, what|saidVersion
		}
	}
	if n.Numbers {
		next := tr.phrase("scene.next", tr.num(n.Next).label())
		if long := tr.say(s, " · ", next).label(); tr.m.small.width(long) <= room {
			return long, what | saidNext
		}
		return tr.m.small.fit(room, next, s), saidNext
	}
	return s, what
}

// conditional reports whether a write of the znode under way is conditional on its version.
func (tr *tree) conditional(path string) bool {
	for i := range tr.s.Flights {
		if m := &tr.s.Flights[i]; m.If && m.Path == path && !m.Reply {
			return true
		}
	}
	return false
}

// widestName returns the width of the longest name in a queue, with its owner's letter.
func (tr *tree) widestName(t *row) float64 {
	a, most := tr.m.name, 0.0
	for _, s := range tr.slots[t.first:][:min(t.queue, maxGrid)] {
		n := &tr.s.Nodes[s.node]
		w := a.width(tr.znodes.name(n, a, 30*a.size))
		if n.Owner != 0 {
			w += a.width("·W")
		}
		most = max(most, w)
	}
	return most
}

// planQueueRow plans sequential siblings side by side, in order.
func (tr *tree) planQueueRow(t *row, r rect) {
	m := &tr.m
	gap := 5 * m.k
	pad := max(6, 8*m.k)
	w := tr.widestName(t) + pad
	fit := func() bool { return float64(t.queue)*(w+gap) <= r.w+gap }
	if !fit() && tr.s.Nodes[tr.slots[t.first].node].Number < 0 {
		w = max((r.w+gap)/float64(t.queue)-gap, m.name.width("lock-007")+pad)
	} else if !fit() {
		if w = m.name.width("lock-007·W") + pad; r.w < 3*w && !fit() {
			w = m.name.width("007·W") + pad
		}
	}
	slots, words := tr.slots[t.first:][:t.queue], m.note.width("+9999")
	fits := func(words float64) int { return max(int((r.w-words+gap)/(w+gap)), 1) }
	page, heads := span{0, t.queue}, 0
	if fits(0) < t.queue {
		if fits(2*words) < 4 && (tr.visitors || tr.observed) { // the row above says what they're for
			w = m.name.width("007·W") + pad
		}
		heads = tr.turns(slots, fits(2*words)/2)
		page = pageOf(t.queue, fits(words), fits(2*words)-heads, tr.chosenSlot(slots))
	}
	x, hangs := r.x, false
	card := func(k int) {
		n := &tr.s.Nodes[slots[k].node]
		if k > 0 && !hangs && !n.Gone { // nothing connects those before it any more
			tr.wire(r.x, r.midY(), x, r.midY(), rowWire)
		}
		hangs = hangs || !n.Gone
		c := rect{x, r.y, w, r.h}
		tr.places[slots[k].node] = place{rect: c, shown: true, slot: int32(t.first + k)}
		tr.znodes.node(&tr.znodes.rows, n, c)
		x += w + gap
	}
	rest := func(n, k int, back bool) {
		if n > 0 {
			more := rect{x, r.y, min(words, r.right()-x), r.h}
			tr.znodes.more(&tr.znodes.rows, tr.plus(n), tr.s.Nodes[slots[k].node].Path, back, more)
			x += words
		}
	}
	for k := range min(heads, page.from) {
		card(k)
	}
	rest(page.from-heads, page.from-1, true)
	for k := page.from; k < page.to; k++ {
		card(k)
	}
	rest(t.queue-page.to, min(page.to, t.queue-1), false)
}

// routeTree leads a line up a lane of its own at the right of the box, and to the right edge of the row. For a znode in
// a row of several it runs below the row, clear of their names.
func (ws *watches) routeTree(i int, p *spot, target goal, out *path) {
	g := &ws.routes
	lane := g.treeX + float64(i+1)*g.treeStep
	r := ws.eyeR()
	third, middle := float64(target.nth%3), float64(target.all-1)/2 // no eye covers another, no line crosses one
	if target.told {
		third = 0
	}
	x, y := target.right()+r+2+third*r*2.4, target.midY()
	if target.slot >= 0 {
		x = target.midX() + (third-1)*min(r*1.6, target.w*0.3)
		y = target.bottom() + (1.5+third)*ws.m.k
	} else {
		x = min(x, lane-min(10*ws.m.k, 8))
		y += (middle - float64(target.nth)) * min(r*1.6, target.h*0.9/max(float64(target.all-1), 1))
	}
	sx, sy := takeOff(p, lane)
	low := ws.box.bottom()
	out.add(upright(sx, sy, lane, low))
	bend := min(10*ws.m.k, (low-y)*0.5)
	out.add(straight(lane, low, lane, y+bend))
	out.add(cubic{lane, y + bend, lane, y, lane, y, lane - bend, y})
	out.add(straight(lane-bend, y, x, y))
}
