package scene

import (
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
)

// bracketPlan is the client that has something locked, at the head of the queue, in brackets for a transaction.
type bracketPlan struct {
	rect
	tx   bool // a transaction holds it; else the connection does
	disc visitPlan
	text label
}

// lineUpPlan is the line under the waiting requests, with an arrow at its head.
type lineUpPlan struct{ x, right, y float64 }

// leasePlan is a lease and the time it has left.
type leasePlan struct {
	_ view.Incomparable
	rect
	client int
	badge  rect
	letter label
	bar    rect
	left   float64
	low    bool
	over   bool
	alpha  float64
	text   label
}

// planQueue plans the client that has an item of a node locked, and behind it the clients whose requests wait for it,
// in order.
func (ks *keys) planQueue(x *view.Entry, at int, head int32, card, cell rect) {
	z, m, size := &ks.sizes, &ks.m, ks.sizes.stand
	left := card.x
	y := card.bottom() + max(3, 5*m.k)
	if z.foot < size {
		return
	}
	room := rect{left, y, cell.right() - left, size}
	q := &ks.queues[at]
	tip, step := size*0.55, size*1.2
	behind := 0.0
	if q.all > 0 {
		behind = tip + min(float64(q.all), 6)*step
	}
	if w := ks.planLocked(x, head, room, behind); w > 0 {
		room.x, room.w = room.x+w, room.w-w
	}
	if q.all == 0 {
		return
	}
	fits := int((room.w - tip + step - size) / step)
	if fits < int(q.all) {
		fits = max(int((room.w-tip-m.note.width("+999")+step-size)/step), 0)
	}
	q.planned = int32(min(fits, int(q.all)))
	line := lineUpPlan{x: room.x + 1, right: room.x + tip + float64(q.planned)*step - step/2, y: room.midY()}
	if q.planned > 0 {
		ks.lineUps = append(ks.lineUps, line)
		ks.placeKept(at, int(q.planned), room.x+tip+size/2, step, line.y)
	}
	if rest := int(q.all - q.planned); rest > 0 {
		s, x := ks.say("+").num(int64(rest)).label(), room.x+tip+float64(q.planned)*step
		ks.texts = append(ks.texts, text(m.note.fit(room.right()-x, s), x, line.y+m.note.size*0.36, m.note, Start, inkSoft,
			room.right()-x))
	}
}

// placeKept places the first n clients that wait for an item.
func (ks *keys) placeKept(at, n int, x, step, y float64) {
	size, node := ks.sizes.stand, event.Node(at/len(ks.items)+1)
	path := ks.items[at%len(ks.items)].path
	for i := range ks.s.Kept {
		k := &ks.s.Kept[i]
		c := ks.client(k.Client)
		if k.Over || k.Node != node || k.Path != path || c < 0 {
			continue
		}
		if n--; n < 0 {
			return
		}
		ks.kept = append(ks.kept, ks.disc(c, x, y, size/2))
		ks.holders[c].x, ks.holders[c].y, ks.holders[c].stands = x, y+size/2, true
		mark := len(ks.marks)
		ks.shows(KeptMark, letter(c), path, around(x, y, size/2))
		ks.saying(mark, ks.phrase("scene.stands", ks.fullName(path)))
		x += step
	}
}

// disc returns a client's letter in a small disc.
func (ks *keys) disc(c int, x, y, r float64) visitPlan {
	a := face{size: max(minText, r*1.4), bold: true}
	return visitPlan{x: x, y: y, r: r, index: c, letter: middle(letter(c), x, y, a, inkPlain, 2*r)}
}

// planLocked plans the client that has an item locked or is writing it, and returns the width it takes. It leaves room
// for the clients behind it.
func (ks *keys) planLocked(x *view.Entry, head int32, room rect, behind float64) float64 {
	m, size := &ks.m, room.h
	c, session, since, node := -1, int64(0), ks.at, event.Actor(0)
	switch {
	case head > 0:
		lock := &ks.s.Locks[head-1]
		c, session, since, node = ks.client(lock.Client), lock.Session, lock.Since, lock.Node
	case x != nil && !x.Gone && x.Session != 0:
		if !ks.inDoubt(x) {
			return 0
		}
		c, session, node = ks.client(x.Owner), x.Session, x.Node
	}
	if c < 0 {
		return 0
	}
	path := ""
	if head > 0 {
		path = ks.s.Locks[head-1].Path
	} else {
		path = x.Path
	}
	pad := max(2, 3*m.k)
	p := added(&ks.brackets)
	p.rect = rect{room.x, room.y - pad/2, size + 4*pad, size + pad}
	p.disc = ks.disc(c, room.x+2*pad+size/2, room.midY(), size/2)
	if i, is := ks.txOf(node, session); is {
		p.tx = true
		since = ks.s.Txs[i].Since
		says := ks.phrase("scene.tx", ks.since(since))
		short := ks.since(since)
		a := m.small
		says = a.fit(room.w-p.w-behind-2*pad, says, short)
		w := a.width(says)
		p.text = text(says, room.x+pad*3+size, room.midY()+a.size*0.36, a, Start, inkPlain, w)
		if w > 0 {
			p.w += w + pad
		}
	}
	mark := len(ks.marks)
	ks.shows(HeadMark, letter(c), path, around(p.disc.x, p.disc.y, size/2))
	ks.saying(mark, ks.phrase("scene.has-locked", ks.fullName(path)))
	if p.tx {
		ks.shows(TxMark, letter(c), "", p.rect)
		ks.saying(mark+1, ks.phrase("scene.tx", ks.since(since)))
	}
	return p.w + max(2, 3*m.k)
}

// txOf returns a node's open transaction with that number. The node's head then doesn't name it.
func (ks *keys) txOf(node event.Actor, session int64) (i int32, is bool) {
	if session == 0 {
		return 0, false
	}
	key := sessionKey{node, session}
	if i, is = ks.txs[key]; is && i >= 0 {
		ks.txs[key] = -1 - i
		return i, true
	}
	return -1 - i, is
}

// hang plans the lease that an entry is attached to: below its first entry, with lines from the others.
func (ks *keys) hang(x *view.Entry, k int, card rect) {
	lease := ks.leaseOf(x)
	if lease == nil {
		return
	}
	first := int(ks.firsts[sessionKey{x.Node, x.Session}]) - 1
	low := card.bottom() + max(3, 5*ks.m.k)
	if first == k {
		ks.planLease(lease, card)
		ks.wire(card.midX(), card.bottom(), card.midX(), low, straightWire)
		return
	}
	_, sys := ks.drawn(x.Node)
	y := &ks.systems[sys]
	cell, ok := ks.cellRect(x.Node.Number()-1, y, first)
	if !ok || (first-y.from)/y.cols != (k-y.from)/y.cols { // another row
		return
	}
	own := ks.cardRect(cell)
	level := low + ks.sizes.stand/2
	ks.wire(card.midX(), card.bottom(), card.midX(), level, straightWire)
	ks.wire(card.midX(), level, own.right(), level, straightWire)
}

// leaseOf returns the lease that an entry is attached to, or nil.
func (ks *keys) leaseOf(x *view.Entry) *view.Lease {
	if i := ks.granted[sessionKey{x.Node, x.Session}]; i > 0 {
		return &ks.s.Leases[i-1]
	}
	return nil
}

// leaseLeft returns the remaining time of a lease by its node's clock, as a part and as a duration.
func (h *holdings) leaseLeft(e *view.Lease) (part float64, rest time.Duration) {
	rest = e.Until - h.clockNow()
	if r := h.s.Remote(e.Node); r != nil {
		rest -= r.Ahead
	}
	return h.partLeft(rest, e.Until-e.Renewed)
}

// planLease plans a lease below a card.
func (ks *keys) planLease(e *view.Lease, card rect) {
	m, p, size := &ks.m, added(&ks.leases), ks.sizes.stand
	p.rect = rect{card.x, card.bottom() + max(3, 5*m.k), card.w, size}
	p.client, p.alpha, p.over = ks.client(e.Client), 1, e.Over
	inset := max(2, 4*m.k)
	in := rect{p.x + inset, p.y, p.w - 2*inset, p.h}
	if p.client >= 0 {
		w := max(size, m.note.width(letter(p.client))+4)
		p.badge = rect{p.x, p.y, w, size}
		bold := face{size: max(minText, size*0.6), bold: true}
		p.letter = middle(letter(p.client), p.badge.midX(), p.midY(), bold, inkPlain, w)
		in.x, in.w = in.x+w, in.w-w
	}
	a, b := face{size: min(m.small.size, size*0.8)}, ks.barH()
	a.size = max(minText, a.size)
	mark := len(ks.marks)
	if e.Over {
		p.alpha = ks.fadingFor(e.OverAt, fadeFor)
		says := a.fit(in.w, ks.phrase("scene.lease-over"))
		p.text = text(says, in.x, p.midY()+a.size*0.36, a, Start, inkPlain, in.w).faded(p.alpha)
		return
	}
	part, rest := ks.leaseLeft(e)
	p.left, p.low = part, part < 0.25
	short := ks.seconds(rest.Seconds())
	long := ks.phrase("scene.lease", short)
	says := a.fit(max(in.w*0.55, in.w-6*b), long, short)
	w := a.width(says)
	p.text = text(says, in.right(), p.midY()+a.size*0.36, a, End, inkPlain, w)
	p.bar = rect{in.x, p.midY() - b/2, max(0, in.w-w-inset), b}
	if p.client >= 0 {
		ks.shows(LeaseMark, letter(p.client), ks.tenthsOf(part), p.rect)
		ks.saying(mark, long)
	}
}
