package scene

import (
	"strconv"

	"github.com/zkviz/zkviz/engine/analysis/view"
)

// server is the name of the box in every language.
const server = "ZooKeeper"

// planBox plans ZooKeeper's box with its name and the zxid of its last transaction.
func (l *Layout) planBox() {
	m, b := &l.m, l.box
	p := boxPlan{rect: b, lost: l.s.Lost}
	y := b.y + max(4, 8*m.k) + m.rootH/2
	name, ink, room := server, inkPlain, b.w/3
	if l.s.Header.Flawed() {
		if len(l.marks) > 0 {
			room = min(room, l.marks[0].x-b.x-m.pad-4)
		}
		name, ink = m.bold.fit(room, l.phrase("scene.flawed"), l.phrase("scene.flawed.short"), server), inkSignal
	}
	p.name = text(name, b.x+m.pad, y+m.bold.size*0.36, m.bold, Start, ink, b.w/3)
	free := b.right() - m.pad - l.hubEnd(y+m.small.size*0.4)
	if p.lost {
		room := min(b.w/2-m.pad-40, free)
		word := m.note.fit(room, l.phrase("scene.out-of-reach"))
		p.note = text(word, b.right()-m.pad, y+m.small.size*0.36, m.note, End, inkSignal, room)
		l.labelled(UnreachableMark, "", "", &p.note)
	} else {
		l.planWhose(&p, y, free)
	}
	l.p.box = p
}

// planWhose plans the words right of the name: whose znodes these are if the servers differ, and the zxid of the last
// transaction.
func (l *Layout) planWhose(p *boxPlan, y, free float64) {
	whose, zxid := "", ""
	if n := l.s.Whose(); n > 0 {
		whose = l.phrase("scene.whose", l.say("S").num(int64(n)).label())
	}
	both := whose
	if l.o.Without&Zxid == 0 && (l.s.Zxid > 0 || l.knowsNone()) {
		l.buf = strconv.AppendInt(append(l.buf, "0x"...), max(l.s.Zxid, 0), 16)
		zxid = l.phrase("scene.zxid", l.label())
		if both = zxid; whose != "" {
			both = l.say(whose, " · ", zxid).label()
		}
	}
	a := l.m.small
	shown := a.fit(free, both, whose)
	p.note = text(shown, p.rect.right()-l.m.pad, y+a.size*0.36, a, End, inkSoft, a.width(shown))
	if from := len(l.p.marks); zxid != "" && shown == both {
		l.labelled(ZxidMark, l.num(max(l.s.Zxid, 0)).label(), "", &p.note)
		l.saying(from, zxid)
	}
	if from := len(l.p.marks); whose != "" {
		l.labelled(WhoseMark, "", "", &p.note)
		l.saying(from, whose)
	}
}

// knowsNone reports whether a log without a transaction proves that there was none: an observed log may lack some.
func (l *Layout) knowsNone() bool {
	t := l.s.Header.Host.Traits()
	return t.Computed || t.Machines
}

// hubEnd returns the right edge, plus a small gap, of the standalone znodes that lie above y.
func (l *Layout) hubEnd(y float64) float64 {
	end := l.box.x
	for i := range l.marks {
		if l.marks[i].y < y {
			end = max(end, l.marks[i].right()+4)
		}
	}
	return end
}

// planHub plans the root and the standalone znodes.
func (l *Layout) planHub() {
	for i := range l.marks {
		m := &l.marks[i]
		switch {
		case i == 0:
			l.planRoot(m)
		case m.node < 0:
			l.missing(&l.p.rows, m.path, m.rect)
		default:
			if !l.s.Nodes[m.node].Gone {
				l.wireToRoot(m.rect)
			}
			n := &l.s.Nodes[m.node]
			p := l.node(&l.p.rows, n, m.rect)
			l.tab(p, n, m.rect, m.w)
			l.hubWords(m, n, p)
		}
	}
}

// hubWords writes on a standalone znode how many clients wait at it, which number its next child gets, or whether it is
// persistent.
func (l *Layout) hubWords(m *mark, n *view.Node, p *nodePlan) {
	if n.Gone || p.second.text != "" {
		return
	}
	words, kind, value := l.nextOf(m.node), CounterMark, l.num(n.Next).label()
	switch {
	case l.kind != barrierKind:
	case m.path == l.queueOf:
		words = l.of(int(n.Children))
		kind, value = CountMark, words
	case !n.Untold && !n.Mode.IsEphemeral():
		words, kind, value = l.phrase("scene.persistent"), ModeMark, "persistent"
	}
	name, pad, w := l.cut(base(m.path), l.m.name, m.w), 5*max(l.m.k, 0.6), l.m.small.width(words)
	if words == "" || l.m.name.width(name)+w+3*pad > m.w {
		return
	}
	p.name = text(name, m.x+pad, m.midY()+l.m.name.size*0.36, l.m.name, Start, inkPlain, m.w-w-2*pad)
	p.second = text(words, m.right()-pad, m.midY()+l.m.small.size*0.36, l.m.small, End, inkSoft, w)
	l.moved(NodeMark, m.path, p.name.bounds())
	l.labelled(kind, m.path, value, &p.second)
}

// wireToRoot joins the root to a standalone znode.
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
	p := added(&l.p.rows)
	*p = nodePlan{
		rect: m.rect, hit: m.rect, path: m.path, look: asRoot, owner: -1, alpha: 1,
		stressed: l.stressed(m.path), selected: l.o.Selected == m.path,
	}
	next := l.nextOf(m.node)
	if w := l.m.small.width(next) + 8*l.m.k; next != "" && room-w >= l.m.name.width(base(m.path)) {
		p.second = text(next, m.right()-5*max(l.m.k, 0.6), m.midY()+l.m.small.size*0.36, l.m.small, End, inkSoft, w)
		l.tells(&l.s.Nodes[m.node], -1, saidNext, &p.second)
		room -= w
		p.name = text(l.cutMiddle(m.path, l.m.name, room), m.x+5*max(l.m.k, 0.6), m.midY()+l.m.name.size*0.36, l.m.name,
			Start, inkPlain, room)
	} else {
		p.name = middle(l.cutMiddle(m.path, l.m.name, room), m.midX(), m.midY(), l.m.name, inkPlain, room)
	}
	l.labelled(NodeMark, m.path, "", &p.name)
}

// nextOf returns the number of a znode's next sequential child in words, or "".
func (l *Layout) nextOf(node int32) string {
	if node < 0 || !l.s.Nodes[node].Numbers || l.observed {
		return ""
	}
	return l.phrase("scene.next", l.num(l.s.Nodes[node].Next).label())
}

// planBus plans the lines from the parent to the cards: a rail with a drop to each card.
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
		if l.s.Nodes[s.node].Gone { // nothing connects it any more
			continue
		}
		l.drop(&r, c.midX(), c.y)
	}
	if any {
		l.planRail(r)
	}
}

// rail is a line from a znode to those below it: down to y, then to both sides, with a drop to each znode.
type rail struct {
	from      rect
	y, lo, hi float64
}

// newRail returns a rail below a znode. part says how far down it lies on the way to the znodes below.
func newRail(from rect, to, part float64) rail {
	x := from.midX()
	return rail{from, from.bottom() + max(3, (to-from.bottom())*part), x, x}
}

func (l *Layout) drop(r *rail, x, to float64) {
	l.wire(x, r.y, x, to, straightWire)
	r.lo, r.hi = min(r.lo, x), max(r.hi, x)
}

// planRail plans the part that all drops share.
func (l *Layout) planRail(r rail) {
	l.wire(r.from.midX(), r.from.bottom(), r.from.midX(), r.y, straightWire)
	l.wire(r.lo, r.y, r.hi, r.y, straightWire)
}
