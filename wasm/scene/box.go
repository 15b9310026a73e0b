package scene

import "strconv"

// drawBox draws ZooKeeper's box with its name and the number of its last transaction.
func (f *Frame) drawBox() {
	m := &f.m
	b := f.box
	lost := f.s.Lost
	edge := pen{colour: f.t.Edge, width: max(1, 1.2*m.k)}
	if lost {
		edge = pen{colour: f.t.Signal, width: max(1.5, 2*m.k), dash: 6, gap: 5}
	}
	f.panel(b, m.corner, f.t.Panel, edge)
	y := b.y + max(4, 8*m.k) + m.rootH/2
	x := b.x + m.pad
	f.text(f.words.ZooKeeper, x, y+m.bold.size*0.36, m.bold, Start, f.t.Ink, b.w/3)
	free := b.right() - m.pad - f.hubEnd(y+m.small.size*0.4)
	if lost {
		room := min(b.w/2-m.pad-40, free)
		word := m.note.fit(room, f.words.OutOfReach)
		f.text(word, b.right()-m.pad, y+m.small.size*0.36, m.note, End, f.t.Signal, room)
		return
	}
	f.buf = append(append(f.buf, f.words.Zxid...), " 0x"...)
	f.buf = strconv.AppendInt(f.buf, max(f.s.Zxid, 0), 16)
	s := f.label()
	f.text(m.small.fit(free, s), b.right()-m.pad, y+m.small.size*0.36, m.small, End, f.t.Soft, m.small.width(s))
}

// hubEnd is where the znodes that stand on their own above y end, with a little room.
func (f *Frame) hubEnd(y float64) float64 {
	end := f.box.x
	for i := range f.marks {
		if f.marks[i].y < y {
			end = max(end, f.marks[i].right()+4)
		}
	}
	return end
}

// drawHub draws the root and the znodes that stand on their own.
func (f *Frame) drawHub() {
	for i := range f.marks {
		m := &f.marks[i]
		if i == 0 {
			f.drawHubLines(m.rect)
			f.drawRoot(m)
			continue
		}
		if m.node < 0 {
			f.drawMissing(m.path, m.rect)
			continue
		}
		n := &f.s.Nodes[m.node]
		f.drawNode(n, m.rect)
		if owner := f.owner(n); f.holds(n, owner) {
			f.drawTab(m.rect, owner, m.w)
		}
	}
}

// drawHubLines joins the root with the znodes beside it.
func (f *Frame) drawHubLines(root rect) {
	how := pen{colour: f.t.Edge, width: max(1, 1.4*f.m.k)}
	for _, m := range f.marks[1:] {
		switch {
		case m.midX() < root.x:
			f.curve(cubic{root.x, root.midY(), root.x - 30*f.m.k, root.midY(), m.right() + 30*f.m.k, m.midY(), m.right(), m.midY()}, how, 0)
		case m.midX() > root.right():
			f.curve(cubic{root.right(), root.midY(), root.right() + 30*f.m.k, root.midY(), m.x - 30*f.m.k, m.midY(), m.x, m.midY()}, how, 0)
		default:
			f.line(root.midX(), root.bottom(), root.midX(), m.y, how)
		}
	}
}

// drawRoot draws the znode that the recipe works under.
func (f *Frame) drawRoot(m *mark) {
	f.halo(m.path, m.rect)
	f.panel(m.rect, 7*f.m.k, f.t.Card, pen{colour: f.t.Soft, width: max(1, 1.3*f.m.k)})
	if f.o.Selected == m.path {
		f.panel(m.rect.grown(3*f.m.k), 9*f.m.k, 0, pen{colour: f.t.Ink, width: max(1.5, 2*f.m.k)})
	}
	room := m.w - 10*max(f.m.k, 0.6)
	f.middle(f.cutMiddle(m.path, f.m.name, room), m.midX(), m.midY(), f.m.name, f.t.Ink, room)
	f.hit(m.path, m.rect)
}

// drawTreeBus draws the lines from the parent to the cards, as a rail with a drop to each.
func (f *Frame) drawTreeBus(p plan) {
	var from rect
	for i := range f.marks {
		if f.marks[i].path == f.queueOf {
			from = f.marks[i].rect
		}
	}
	if p.solo || from.w == 0 {
		return
	}
	how := pen{colour: f.t.Edge, width: max(1, 1.4*f.m.k)}
	y := from.bottom() + max(3, (f.routes.cardTop-from.bottom())*0.25)
	lo, hi := from.midX(), from.midX()
	for i, s := range f.slots {
		if s.node < 0 || i >= p.cols {
			continue
		}
		c := &f.cards[s.node]
		x := c.midX()
		lo, hi = min(lo, x), max(hi, x)
		f.line(x, y, x, c.y, how)
	}
	if hi > lo || f.anyCard() {
		f.line(from.midX(), from.bottom(), from.midX(), y, how)
		f.line(lo, y, hi, y, how)
	}
}

func (f *Frame) anyCard() bool {
	for _, s := range f.slots {
		if s.node >= 0 {
			return true
		}
	}
	return false
}
