package scene

import "strconv"

// server is what the box is called, in every language.
const server = "ZooKeeper"

// planBox plans ZooKeeper's box with its name and the number of its last transaction.
func (l *Layout) planBox() {
	m, b := &l.m, l.box
	p := boxPlan{rect: b, lost: l.s.Lost}
	y := b.y + max(4, 8*m.k) + m.rootH/2
	p.name = text(server, b.x+m.pad, y+m.bold.size*0.36, m.bold, Start, inkPlain, b.w/3)
	free := b.right() - m.pad - l.hubEnd(y+m.small.size*0.4)
	if p.lost {
		room := min(b.w/2-m.pad-40, free)
		word := m.note.fit(room, l.phrase("scene.out-of-reach"))
		p.note = text(word, b.right()-m.pad, y+m.small.size*0.36, m.note, End, inkSignal, room)
	} else {
		l.buf = strconv.AppendInt(append(l.buf, "0x"...), max(l.s.Zxid, 0), 16)
		a, s := m.small, l.phrase("scene.zxid", l.label())
		p.note = text(a.fit(free, s), b.right()-m.pad, y+a.size*0.36, a, End, inkSoft, a.width(s))
	}
	l.p.box = p
}

// hubEnd is where the znodes that stand on their own above y end, with a little room.
func (l *Layout) hubEnd(y float64) float64 {
	end := l.box.x
	for i := range l.marks {
		if l.marks[i].y < y {
			end = max(end, l.marks[i].right()+4)
		}
	}
	return end
}

// planHub plans the root and the znodes that stand on their own.
func (l *Layout) planHub() {
	for i := range l.marks {
		m := &l.marks[i]
		switch {
		case i == 0:
			l.planRoot(m)
		case m.node < 0:
			l.wireToRoot(m.rect)
			l.missing(&l.p.rows, m.path, m.rect)
		default:
			l.wireToRoot(m.rect)
			n := &l.s.Nodes[m.node]
			l.tab(l.node(&l.p.rows, n, m.rect), n, m.rect, m.w)
		}
	}
}

// wireToRoot joins the root with a znode beside it.
func (l *Layout) wireToRoot(to rect) {
	root, k := l.marks[0].rect, 30*l.m.k
	y, ty := root.midY(), to.midY()
	var c cubic
	switch {
	case to.midX() < root.x:
		c = cubic{root.x, y, root.x - k, y, to.right() + k, ty, to.right(), ty}
	case to.midX() > root.right():
		c = cubic{root.right(), y, root.right() + k, y, to.x - k, ty, to.x, ty}
	default:
		l.wire(root.midX(), root.bottom(), root.midX(), to.y, straightWire)
		return
	}
	l.p.wires = append(l.p.wires, wire{c, bentWire})
}

// planRoot plans the znode that the recipe works under.
func (l *Layout) planRoot(m *mark) {
	room := m.w - 10*max(l.m.k, 0.6)
	l.p.rows = append(l.p.rows, nodePlan{
		rect: m.rect, hit: m.rect, path: m.path, look: asRoot, owner: -1, alpha: 1,
		stressed: l.stressed(m.path), selected: l.o.Selected == m.path,
		name: middle(l.cutMiddle(m.path, l.m.name, room), m.midX(), m.midY(), l.m.name, inkPlain, room),
	})
}

// planBus plans the lines from the parent to the cards, as a rail with a drop to each.
func (l *Layout) planBus(b bands) {
	from := l.marked(l.queueOf)
	if b.solo || from == nil || from.w == 0 {
		return
	}
	r, any := newRail(from.rect, l.routes.cardTop, 0.25), false
	for i, s := range l.slots {
		if s.node < 0 {
			continue
		}
		if any = true; i >= b.cols {
			continue
		}
		c := &l.places[s.node]
		l.drop(&r, c.midX(), c.y)
	}
	if any {
		l.planRail(r)
	}
}

// rail is a line from a znode to those below it: down to y, from there to both sides, and a drop to each.
type rail struct {
	from      rect
	y, lo, hi float64
}

// newRail is a rail so far below a znode, as a part of the way down to what hangs on it.
func newRail(from rect, to, part float64) rail {
	x := from.midX()
	return rail{from, from.bottom() + max(3, (to-from.bottom())*part), x, x}
}

func (l *Layout) drop(r *rail, x, to float64) {
	l.wire(x, r.y, x, to, straightWire)
	r.lo, r.hi = min(r.lo, x), max(r.hi, x)
}

// planRail plans what all drops share.
func (l *Layout) planRail(r rail) {
	l.wire(r.from.midX(), r.from.bottom(), r.from.midX(), r.y, straightWire)
	l.wire(r.lo, r.y, r.hi, r.y, straightWire)
}
