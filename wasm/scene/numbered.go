package scene

// layoutNumbered lays out an observed queue: its znodes side by side, in order, in as many rows as it takes.
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
	for i, s := range l.slots {
		x, y := area.x+float64(i%cols)*(w+gap), area.y+float64(i/cols)*(h+gap)
		if i == rows*cols-1 && i < len(l.slots)-1 {
			more := l.phrase("scene.more", l.grouped(len(l.slots)-i))
			l.p.texts = append(l.p.texts, middle(m.note.fit(w, more), x+w/2, y+h/2, m.note, inkSoft, w))
			return
		}
		l.node(&l.p.cards, &l.s.Nodes[s.node], rect{x, y, w, h})
	}
}
