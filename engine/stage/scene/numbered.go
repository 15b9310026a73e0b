package scene

// planNumbered plans an observed queue: its znodes side by side, in order, in as many rows as needed.
func (q *queue) planNumbered() {
	m, in := &q.m, q.inner()
	q.routes.free = true
	q.lineUp(true)
	q.box = rect{in.x, in.y, in.w, in.h - m.stripH - m.margin*0.6}
	q.placeHub(bands{})
	q.znodes.planBox()
	q.znodes.planHub()
	head := m.rootH + max(14, 30*m.k)
	area := rect{q.box.x + m.pad, q.box.y + head, q.box.w - 2*m.pad, q.box.h - head - m.pad}
	h := m.name.size + m.small.size + max(7, 14*m.k)
	gap := max(5, 10*m.k)
	cols := max(int((area.w+gap)/(118*max(m.k, 0.6)+gap)), 1)
	rows := max(int((area.h+gap)/(h+gap)), 1)
	w := (area.w+gap)/float64(cols) - gap
	at := 0
	place := func() rect {
		x, y := area.x+float64(at%cols)*(w+gap), area.y+float64(at/cols)*(h+gap)
		at++
		return rect{x, y, w, h}
	}
	page, n := span{0, len(q.slots)}, len(q.slots)
	if n > rows*cols {
		page = pageOf(n, rows*cols-1, rows*cols-2, q.chosenSlot(q.slots))
	}
	path := func(i int) string { return q.s.Nodes[q.slots[i].node].Path }
	if page.from > 0 {
		more := m.note.fit(w, q.phrase("scene.more-before", q.grouped(page.from)), q.plus(page.from))
		q.znodes.more(&q.znodes.cards, more, path(page.from-1), true, place())
	}
	for _, s := range q.slots[page.from:page.to] {
		q.znodes.node(&q.znodes.cards, &q.s.Nodes[s.node], place())
	}
	if page.to < n {
		more := m.note.fit(w, q.phrase("scene.more", q.grouped(n-page.to)), q.plus(n-page.to))
		q.znodes.more(&q.znodes.cards, more, path(page.to), false, place())
	}
}
