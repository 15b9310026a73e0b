package scene

// layoutNumbered lays out an observed queue: its znodes side by side, in order, in as many rows as needed.
func (l *Layout) layoutNumbered() {
	m, in := &l.m, l.inner()
	l.routes.free = true
	l.lineUp(true)
	l.box = rect{in.x, in.y, in.w, in.h - m.stripH - m.margin*0.6}
	l.placeHub(bands{})
	l.planBox()
	l.planHub()
	head := m.rootH + max(14, 30*m.k)
	area := rect{l.box.x + m.pad, l.box.y + head, l.box.w - 2*m.pad, l.box.h - head - m.pad}
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
	page, n := span{0, len(l.slots)}, len(l.slots)
	if n > rows*cols {
		page = pageOf(n, rows*cols-1, rows*cols-2, l.chosenSlot(l.slots))
	}
	path := func(i int) string { return l.s.Nodes[l.slots[i].node].Path }
	if page.from > 0 {
		more := m.note.fit(w, l.phrase("scene.more-before", l.grouped(page.from)), l.plus(page.from))
		l.more(&l.p.cards, more, path(page.from-1), true, place())
	}
	for _, s := range l.slots[page.from:page.to] {
		l.node(&l.p.cards, &l.s.Nodes[s.node], place())
	}
	if page.to < n {
		more := m.note.fit(w, l.phrase("scene.more", l.grouped(n-page.to)), l.plus(n-page.to))
		l.more(&l.p.cards, more, path(page.to), false, place())
	}
}
