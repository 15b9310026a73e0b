package remote

import (
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene/floor"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
	"github.com/zkviz/zkviz/engine/stage/scene/paint"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// bracketPlan is the client that has something locked, at the head of the queue, in brackets for a transaction.
type bracketPlan struct {
	geom.Rect
	tx   bool // a transaction holds it; else the connection does
	disc paint.Visit
	text text.Label
}

// lineUpPlan is the line under the waiting requests, with an arrow at its head.
type lineUpPlan struct{ x, right, y float64 }

// leasePlan is a lease and the time it has left.
type leasePlan struct {
	_ view.Incomparable
	geom.Rect
	client int
	badge  geom.Rect
	letter text.Label
	bar    geom.Rect
	left   float64
	low    bool
	over   bool
	alpha  float64
	text   text.Label
}

// planQueue plans the client that has an item of a node locked, and behind it the clients whose requests wait for it,
// in order.
func (ks *keys) planQueue(x *view.Entry, at int, head int32, card, cell geom.Rect) {
	f := ks.f
	z, m, size := &ks.sizes, &f.Sizes, ks.sizes.stand
	left := card.X
	y := card.Bottom() + max(3, 5*m.K)
	if z.foot < size {
		return
	}
	room := geom.R(left, y, cell.Right()-left, size)
	q := &ks.queues[at]
	tip, step := size*0.55, size*1.2
	behind := 0.0
	if q.all > 0 {
		behind = tip + min(float64(q.all), 6)*step
	}
	if w := ks.planHolders(x, q, head, room, behind); w > 0 {
		room.X, room.W = room.X+w, room.W-w
	}
	if q.all == 0 {
		return
	}
	fits := int((room.W - tip + step - size) / step)
	if fits < int(q.all) {
		fits = max(int((room.W-tip-m.Note.Width("+999")+step-size)/step), 0)
	}
	q.planned = int32(min(fits, int(q.all)))
	line := lineUpPlan{x: room.X + 1, right: room.X + tip + float64(q.planned)*step - step/2, y: room.MidY()}
	if q.planned > 0 {
		ks.lineUps = append(ks.lineUps, line)
		ks.placeKept(at, int(q.planned), room.X+tip+size/2, step, line.y)
	}
	if rest := int(q.all - q.planned); rest > 0 {
		s, x := f.Say("+").Num(int64(rest)).Label(), room.X+tip+float64(q.planned)*step
		a, free := m.Note, room.Right()-x
		f.Texts = append(f.Texts, text.At(a.Fit(free, s), x, line.y+a.Size*0.36, a, text.Start, text.InkSoft, free))
	}
}

// placeKept places the first n clients that wait for an item.
func (ks *keys) placeKept(at, n int, x, step, y float64) {
	f := ks.f
	size, node := ks.sizes.stand, event.Node(at/len(ks.items)+1)
	path := ks.items[at%len(ks.items)].path
	for i := range f.State.Remotes.Kept {
		k := &f.State.Remotes.Kept[i]
		c := f.Client(k.Client)
		if k.Over || k.Node != node || k.Path != path || c < 0 {
			continue
		}
		if n--; n < 0 {
			return
		}
		ks.kept = append(ks.kept, ks.disc(c, x, y, size/2))
		ks.Holders[c].x, ks.Holders[c].y, ks.Holders[c].stands = x, y+size/2, true
		noted := len(f.Marks)
		f.Shows(mark.Kept, text.Letter(c), path, geom.Around(x, y, size/2))
		f.Saying(noted, f.Phrase("scene.stands", ks.fullName(path)))
		x += step
	}
}

// disc returns a client's letter in a small disc.
func (ks *keys) disc(c int, x, y, r float64) paint.Visit {
	a := text.Face{Size: max(text.MinSize, r*1.4), Bold: true}
	return paint.Visit{X: x, Y: y, R: r, Index: c, Letter: text.Centred(text.Letter(c), x, y, a, text.InkPlain, 2*r)}
}

// planHolders plans the client that has an item locked, or all that have: gap locks don't exclude each other. It
// returns the width that they take.
func (ks *keys) planHolders(x *view.Entry, q *waiting, head int32, room geom.Rect, behind float64) (w float64) {
	if q.locks < 2 {
		return ks.planLocked(x, head, room, behind)
	}
	locks := ks.f.State.Remotes.Locks[:head]
	last, gap := &locks[head-1], max(2, 4*ks.f.Sizes.K)
	each := (room.W - behind) / float64(q.locks)
	for i := range locks {
		lock := &locks[i]
		if !lock.Over && lock.Node == last.Node && lock.Path == last.Path && w+room.H <= room.W {
			w += gap + ks.planLocked(nil, int32(i+1), geom.R(room.X+w, room.Y, each-gap, room.H), 0)
		}
	}
	return w - gap
}

// lockedBy returns the client that alone has an item of a node locked, or -1.
func (ks *keys) lockedBy(at int) int {
	if ks.queues[at].locks != 1 {
		return -1
	}
	return ks.f.Client(ks.f.State.Remotes.Locks[ks.heads[at]-1].Client)
}

// planLocked plans the client that has an item locked or is writing it, and returns the width it takes. It leaves room
// for the clients behind it.
func (ks *keys) planLocked(x *view.Entry, head int32, room geom.Rect, behind float64) float64 {
	f := ks.f
	m, size := &f.Sizes, room.H
	c, session, since, node := -1, int64(0), f.At, event.Actor(0)
	switch {
	case head > 0:
		lock := &f.State.Remotes.Locks[head-1]
		c, session, since, node = f.Client(lock.Client), lock.Session, lock.Since, lock.Node
	case x != nil && !x.Gone && x.Session != 0:
		if !ks.inDoubt(x) {
			return 0
		}
		c, session, node = f.Client(x.Owner), x.Session, x.Node
	}
	if c < 0 {
		return 0
	}
	path := ""
	if head > 0 {
		path = f.State.Remotes.Locks[head-1].Path
	} else {
		path = x.Path
	}
	pad := max(2, 3*m.K)
	ks.brackets = append(ks.brackets, bracketPlan{})
	p := &ks.brackets[len(ks.brackets)-1]
	p.Rect = geom.R(room.X, room.Y-pad/2, size+4*pad, size+pad)
	p.disc = ks.disc(c, room.X+2*pad+size/2, room.MidY(), size/2)
	if i, is := ks.txOf(node, session); is {
		p.tx = true
		since = f.State.Remotes.Txs[i].Since
		says := f.Phrase("scene.tx", f.Since(since))
		short := f.Since(since)
		a := m.Small
		says = a.Fit(room.W-p.W-behind-2*pad, says, short)
		w := a.Width(says)
		p.text = text.At(says, room.X+pad*3+size, room.MidY()+a.Size*0.36, a, text.Start, text.InkPlain, w)
		if w > 0 {
			p.W += w + pad
		}
	}
	noted := len(f.Marks)
	f.Shows(mark.Head, text.Letter(c), path, geom.Around(p.disc.X, p.disc.Y, size/2))
	f.Saying(noted, f.Phrase("scene.has-locked", ks.fullName(path)))
	if p.tx {
		f.Shows(mark.Tx, text.Letter(c), "", p.Rect)
		f.Saying(noted+1, f.Phrase("scene.tx", f.Since(since)))
	}
	return p.W + max(2, 3*m.K)
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
func (ks *keys) hang(x *view.Entry, k int, card geom.Rect) {
	f := ks.f
	lease := ks.leaseOf(x)
	if lease == nil {
		return
	}
	first := int(ks.firsts[sessionKey{x.Node, x.Session}]) - 1
	low := card.Bottom() + max(3, 5*f.Sizes.K)
	if first == k {
		ks.planLease(lease, card)
		f.Wire(card.MidX(), card.Bottom(), card.MidX(), low, paint.StraightWire)
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
	f.Wire(card.MidX(), card.Bottom(), card.MidX(), level, paint.StraightWire)
	f.Wire(card.MidX(), level, own.Right(), level, paint.StraightWire)
}

// leaseOf returns the lease that an entry is attached to, or nil.
func (ks *keys) leaseOf(x *view.Entry) *view.Lease {
	if i := ks.granted[sessionKey{x.Node, x.Session}]; i > 0 {
		return &ks.f.State.Remotes.Leases[i-1]
	}
	return nil
}

// LeaseLeft returns the remaining time of a lease by its node's clock, as a part and as a duration.
func (h *Holdings) LeaseLeft(e *view.Lease) (part float64, rest time.Duration) {
	f := h.f
	rest = e.Until - f.ClockNow()
	if r := f.State.Remotes.Get(e.Node); r != nil {
		rest -= r.Ahead
	}
	return f.PartLeft(rest, e.Until-e.Renewed)
}

// planLease plans a lease below a card.
func (ks *keys) planLease(e *view.Lease, card geom.Rect) {
	f := ks.f
	ks.leases = append(ks.leases, leasePlan{})
	m, p, size := &f.Sizes, &ks.leases[len(ks.leases)-1], ks.sizes.stand
	p.Rect = geom.R(card.X, card.Bottom()+max(3, 5*m.K), card.W, size)
	p.client, p.alpha, p.over = f.Client(e.Client), 1, e.Over
	inset := max(2, 4*m.K)
	in := geom.R(p.X+inset, p.Y, p.W-2*inset, p.H)
	if p.client >= 0 {
		w := max(size, m.Note.Width(text.Letter(p.client))+4)
		p.badge = geom.R(p.X, p.Y, w, size)
		bold := text.Face{Size: max(text.MinSize, size*0.6), Bold: true}
		p.letter = text.Centred(text.Letter(p.client), p.badge.MidX(), p.MidY(), bold, text.InkPlain, w)
		in.X, in.W = in.X+w, in.W-w
	}
	a, b := text.Face{Size: min(m.Small.Size, size*0.8)}, ks.barH()
	a.Size = max(text.MinSize, a.Size)
	noted := len(f.Marks)
	if e.Over {
		p.alpha = f.FadingFor(e.OverAt, floor.FadeFor)
		says := a.Fit(in.W, f.Phrase("scene.lease-over"))
		p.text = text.At(says, in.X, p.MidY()+a.Size*0.36, a, text.Start, text.InkPlain, in.W).Faded(p.alpha)
		return
	}
	part, rest := ks.LeaseLeft(e)
	p.left, p.low = part, part < 0.25
	short := f.Seconds(rest.Seconds())
	long := f.Phrase("scene.lease", short)
	says := a.Fit(max(in.W*0.55, in.W-6*b), long, short)
	w := a.Width(says)
	p.text = text.At(says, in.Right(), p.MidY()+a.Size*0.36, a, text.End, text.InkPlain, w)
	p.bar = geom.R(in.X, p.MidY()-b/2, max(0, in.W-w-inset), b)
	if p.client >= 0 {
		f.Shows(mark.Lease, text.Letter(p.client), f.TenthsOf(part), p.Rect)
		f.Saying(noted, long)
	}
}
