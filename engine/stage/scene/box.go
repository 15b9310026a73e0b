package scene

import (
	"github.com/zkviz/zkviz/engine/analysis/view"
)

// server is the name of the box in every language.
const server = "ZooKeeper"

// znodes plans ZooKeeper's box, and in it the root, the standalone znodes and the cards of all others.
type znodes struct {
	*floor
	frame boxPlan
	rows  []nodePlan // znodes at which watches' lines end
	cards []nodePlan // znodes under which they pass
}

func (z *znodes) begin() { z.frame, z.rows, z.cards = boxPlan{}, z.rows[:0], z.cards[:0] }

// planBox plans ZooKeeper's box with its name and the zxid of its last transaction.
func (z *znodes) planBox() {
	m, b := &z.m, z.box
	p := boxPlan{rect: b, lost: z.s.Lost}
	y := b.y + max(4, 8*m.k) + m.rootH/2
	name, ink, room := server, inkPlain, b.w/3
	if z.s.Header.Flawed() {
		if len(z.hubs) > 0 {
			room = min(room, z.hubs[0].x-b.x-m.pad-4)
		}
		name, ink = m.bold.fit(room, z.phrase("scene.flawed"), z.phrase("scene.flawed.short"), server), inkSignal
	}
	p.name = text(name, b.x+m.pad, y+m.bold.size*0.36, m.bold, Start, ink, b.w/3)
	free := b.right() - m.pad - z.hubEnd(y+m.small.size*0.4)
	if p.lost {
		room := min(b.w/2-m.pad-40, free)
		word := m.note.fit(room, z.phrase("scene.out-of-reach"))
		p.note = text(word, b.right()-m.pad, y+m.small.size*0.36, m.note, End, inkSignal, room)
		z.labelled(UnreachableMark, "", "", &p.note)
	} else {
		z.planWhose(&p, y, free)
	}
	z.frame = p
}

// planWhose plans the words right of the name: whose znodes these are if the servers differ, and the zxid of the last
// transaction.
func (z *znodes) planWhose(p *boxPlan, y, free float64) {
	whose, zxid := "", ""
	if n := z.s.Whose(); n > 0 {
		whose = z.phrase("scene.whose", z.say("S").num(int64(n)).label())
	}
	both := whose
	if z.o.Without&Zxid == 0 && (z.s.Zxid > 0 || z.knowsNone()) {
		zxid = z.phrase("scene.zxid", z.hex(max(z.s.Zxid, 0)))
		if both = zxid; whose != "" {
			both = z.say(whose, " · ", zxid).label()
		}
	}
	a := z.m.small
	shown := a.fit(free, both, whose)
	p.note = text(shown, p.rect.right()-z.m.pad, y+a.size*0.36, a, End, inkSoft, a.width(shown))
	if from := len(z.marks); zxid != "" && shown == both {
		z.labelled(ZxidMark, z.num(max(z.s.Zxid, 0)).label(), "", &p.note)
		z.saying(from, zxid)
	}
	if from := len(z.marks); whose != "" {
		z.labelled(WhoseMark, "", "", &p.note)
		z.saying(from, whose)
	}
}

// knowsNone reports whether a log without a transaction proves that there was none: an observed log may lack some.
func (g *setting) knowsNone() bool {
	t := g.s.Header.Host.Traits()
	return t.Computed || t.Machines
}

// hubEnd returns the right edge, plus a small gap, of the standalone znodes that lie above y.
func (z *znodes) hubEnd(y float64) float64 {
	end := z.box.x
	for i := range z.hubs {
		if z.hubs[i].y < y {
			end = max(end, z.hubs[i].right()+4)
		}
	}
	return end
}

// planHub plans the root and the standalone znodes.
func (z *znodes) planHub() {
	for i := range z.hubs {
		m := &z.hubs[i]
		switch {
		case i == 0:
			z.planRoot(m)
		case m.node < 0:
			z.missing(&z.rows, m.path, m.rect)
		default:
			if !z.s.Nodes[m.node].Gone {
				z.wireToRoot(m.rect)
			}
			n := &z.s.Nodes[m.node]
			p := z.node(&z.rows, n, m.rect)
			z.tab(p, n, m.rect, m.w)
			z.hubWords(m, n, p)
		}
	}
}

// hubWords writes on a standalone znode how many clients wait at it, which number its next child gets, or whether it is
// persistent.
func (z *znodes) hubWords(m *hub, n *view.Node, p *nodePlan) {
	if n.Gone || p.second.text != "" {
		return
	}
	words, kind, value := z.nextOf(m.node), CounterMark, z.num(n.Next).label()
	switch {
	case z.kind != barrierKind:
	case m.path == z.queueOf:
		words = z.of(int(n.Children))
		kind, value = CountMark, words
	case !n.Untold && !n.Mode.IsEphemeral():
		words, kind, value = z.phrase("scene.persistent"), ModeMark, "persistent"
	}
	name, pad, w := z.cut(base(m.path), z.m.name, m.w), 5*max(z.m.k, 0.6), z.m.small.width(words)
	if words == "" || z.m.name.width(name)+w+3*pad > m.w {
		return
	}
	p.name = text(name, m.x+pad, m.midY()+z.m.name.size*0.36, z.m.name, Start, inkPlain, m.w-w-2*pad)
	p.second = text(words, m.right()-pad, m.midY()+z.m.small.size*0.36, z.m.small, End, inkSoft, w)
	z.moved(NodeMark, m.path, p.name.bounds())
	z.labelled(kind, m.path, value, &p.second)
}

// wireToRoot joins the root to a standalone znode.
func (z *znodes) wireToRoot(to rect) {
	root, k := z.hubs[0].rect, 30*z.m.k
	y, ty := root.midY(), to.midY()
	var c cubic
	switch {
	case to.midX() < root.x:
		c = cubic{root.x, y, root.x - k, y, to.right() + k, ty, to.right(), ty}
	case to.midX() > root.right():
		c = cubic{root.right(), y, root.right() + k, y, to.x - k, ty, to.x, ty}
	default:
		z.wire(root.midX(), root.bottom(), root.midX(), to.y, straightWire)
		return
	}
	z.wires = append(z.wires, wire{c, bentWire})
}

// planRoot plans the znode that the recipe works under.
func (z *znodes) planRoot(m *hub) {
	room := m.w - 10*max(z.m.k, 0.6)
	p := added(&z.rows)
	*p = nodePlan{
		rect: m.rect, hit: m.rect, path: m.path, look: asRoot, owner: -1, alpha: 1,
		stressed: z.stressed(m.path), selected: z.o.Selected == m.path,
	}
	next := z.nextOf(m.node)
	if w := z.m.small.width(next) + 8*z.m.k; next != "" && room-w >= z.m.name.width(base(m.path)) {
		p.second = text(next, m.right()-5*max(z.m.k, 0.6), m.midY()+z.m.small.size*0.36, z.m.small, End, inkSoft, w)
		z.tells(&z.s.Nodes[m.node], -1, saidNext, &p.second)
		room -= w
		p.name = text(z.cutMiddle(m.path, z.m.name, room), m.x+5*max(z.m.k, 0.6), m.midY()+z.m.name.size*0.36, z.m.name,
			Start, inkPlain, room)
	} else {
		p.name = middle(z.cutMiddle(m.path, z.m.name, room), m.midX(), m.midY(), z.m.name, inkPlain, room)
	}
	z.labelled(NodeMark, m.path, "", &p.name)
}

// nextOf returns the number of a znode's next sequential child in words, or "".
func (z *znodes) nextOf(node int32) string {
	if node < 0 || !z.s.Nodes[node].Numbers || z.observed {
		return ""
	}
	return z.phrase("scene.next", z.num(z.s.Nodes[node].Next).label())
}

// planBus plans the lines from the parent to the cards: a rail with a drop to each card.
func (q *queue) planBus(b bands) {
	from := q.hubAt(q.queueOf)
	if b.solo || from == nil || from.w == 0 {
		return
	}
	r, any := newRail(from.rect, q.routes.cardTop, 0.25), false
	for i, s := range q.slots {
		if s.node < 0 {
			continue
		}
		if any = true; i >= b.cols {
			continue
		}
		c := &q.places[s.node]
		if q.s.Nodes[s.node].Gone { // nothing connects it any more
			continue
		}
		q.drop(&r, c.midX(), c.y)
	}
	if any {
		q.planRail(r)
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

func (f *floor) drop(r *rail, x, to float64) {
	f.wire(x, r.y, x, to, straightWire)
	r.lo, r.hi = min(r.lo, x), max(r.hi, x)
}

// planRail plans the part that all drops share.
func (f *floor) planRail(r rail) {
	f.wire(r.from.midX(), r.from.bottom(), r.from.midX(), r.y, straightWire)
	f.wire(r.lo, r.y, r.hi, r.y, straightWire)
}
