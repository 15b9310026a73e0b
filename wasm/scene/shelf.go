package scene

// isShelf reports whether an observed znode is a queue and nothing else: its children all have numbers, and
// none has children of its own.
func (f *Frame) isShelf() bool {
	if len(f.s.Clients) > 0 || !f.observed() || f.s.Root == "" || f.s.Root == "/" {
		return false
	}
	children := 0
	for i := range f.s.Nodes {
		n := &f.s.Nodes[i]
		switch {
		case n.Path == f.s.Root || f.over(n):
		case n.Number < 0 || !under(n.Path, f.s.Root):
			return false
		default:
			children++
		}
	}
	return children > 0
}

// drawShelf draws an observed queue: its znodes side by side, in order, in as many rows as it takes.
func (f *Frame) drawShelf() {
	m, in := &f.m, f.inner()
	f.queueOf = f.s.Root
	f.routes.free = true
	f.lineUp(true)
	f.box = rect{in.x, in.y, in.w, in.h - m.stripH - m.margin*0.6}
	f.placeHub(plan{}, m)
	f.drawBox()
	f.drawHub()
	head := m.rootH + max(14, 30*m.k)
	area := rect{f.box.x + m.pad, f.box.y + head, f.box.w - 2*m.pad, f.box.h - head - m.pad}
	h := m.name.size + m.small.size + max(7, 14*m.k)
	gap := max(5, 10*m.k)
	cols := max(int((area.w+gap)/(118*max(m.k, 0.6)+gap)), 1)
	rows := max(int((area.h+gap)/(h+gap)), 1)
	w := (area.w+gap)/float64(cols) - gap
	for i, s := range f.slots {
		x, y := area.x+float64(i%cols)*(w+gap), area.y+float64(i/cols)*(h+gap)
		if i == rows*cols-1 && i < len(f.slots)-1 {
			more := f.say("+").num(int64(len(f.slots)-i)).say(" ", f.words.More).label()
			f.middle(m.note.fit(w, more), x+w/2, y+h/2, m.note, f.t.Soft, w)
			return
		}
		f.drawNode(&f.s.Nodes[s.node], rect{x, y, w, h})
	}
}
