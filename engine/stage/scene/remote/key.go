package remote

import (
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene/floor"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
	"github.com/zkviz/zkviz/engine/stage/scene/paint"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// keyPlan is an entry at a node, or the place of a missing one.
type keyPlan struct {
	_ view.Incomparable
	geom.Rect
	id                    string // the node's name and the path, as in "node-1 /locks/printer": see panes.ParseNode
	owner                 int    // who has it locked, else who wrote it last: its colour and letter; -1 for none
	look                  keyLook
	held                  bool // it lets its owner be inside
	selected, stressed    bool
	alpha, struck, flash  float64
	badge                 geom.Rect // background of the letter; zero width for none
	letter                text.Label
	name, version, second text.Label
	bar                   geom.Rect // zero width for none
	left                  float64
	low                   bool       // little time is left
	forever               geom.Round // sign for no expiry; zero radius if it expires, or entries of this kind never do
	time                  text.Label
	tab                   paint.Tab
}

type keyLook uint8

const (
	keyThere   keyLook = iota
	keyInDoubt         // its transaction is not committed
	keyMissing
)

// keys plans the entries at the nodes, and the clients and leases at each.
type keys struct {
	*Holdings
	cards    []keyPlan
	lineUps  []lineUpPlan // queues of waiting requests
	brackets []bracketPlan
	kept     []paint.Visit
	leases   []leasePlan
}

// planCell plans a node's copy of an item: its card, its lock and queue, and the lease it is attached to.
func (ks *keys) planCell(node int, y *remoteSystem, k int, cell geom.Rect) {
	f := ks.f
	it, x := &ks.items[k], ks.entryAt(node, k)
	at := node*len(ks.items) + k
	card := ks.cardRect(cell)
	if it.lease > 0 {
		if lease := &f.State.Remotes.Leases[it.lease-1]; lease.Node == event.Node(node+1) {
			ks.planLease(lease, card)
		}
		return
	}
	q, head := &ks.queues[at], ks.heads[at]
	emptied := x != nil && x.Gone && q.all > 0 && y.kind == event.RedisSystem
	there := x != nil && !emptied &&
		(!x.Gone || ks.inDoubt(x) || q.all+q.told == 0 && !it.known || f.At < x.GoneAt+floor.FadeFor)
	switch {
	case there:
		ks.planKey(node, y, x, at, card)
	case f.State.Remotes.Nodes[node].Down:
		return
	case it.known || q.all > 0 || q.told > 0 || head > 0 || ks.elsewhere(node, y, k):
		ks.planMissing(node, y, it, k, head, card)
	default:
		return
	}
	if in := ks.insider(node, x, it.path, head); in >= 0 {
		p := &ks.cards[len(ks.cards)-1]
		p.held = true
		if f.Kind == floor.RemoteKind && (!y.apart || y.nodes == 1) {
			ks.tabKey(p, in, cell)
		}
	}
	ks.planQueue(x, at, head, card, cell)
	if x != nil && !x.Gone && x.Session != 0 {
		ks.hang(x, k, card)
	}
}

// insider returns the client that is inside by an item, as far as this node decides that, or -1.
func (ks *keys) insider(node int, x *view.Entry, path string, head int32) int {
	f := ks.f
	c := -1
	switch {
	case head > 0:
		c = f.Client(f.State.Remotes.Locks[head-1].Client)
	case x != nil && !x.Gone:
		c = f.Client(x.Owner)
	}
	if c < 0 || f.State.Remotes.Nodes[node].Replica {
		return -1
	}
	if who := &f.State.Clients[c]; !who.Inside || who.Belief.Path != path {
		return -1
	}
	return c
}

// elsewhere reports whether another node of the system has the item.
func (ks *keys) elsewhere(node int, y *remoteSystem, k int) bool {
	for o := y.first; o < y.first+y.nodes; o++ {
		if x := ks.entryAt(o, k); o != node && x != nil && !x.Gone {
			return true
		}
	}
	return false
}

// planMissing plans the place of an entry that a node doesn't have: a replica may lack it.
func (ks *keys) planMissing(node int, y *remoteSystem, it *item, k int, head int32, r geom.Rect) {
	f := ks.f
	ks.cards = append(ks.cards, keyPlan{})
	z, p := &ks.sizes, &ks.cards[len(ks.cards)-1]
	p.Rect, p.look, p.owner, p.alpha = r, keyMissing, -1, 1
	ks.identify(p, node, it.path)
	in := geom.R(r.X+3, r.Y, r.W-6, r.H)
	if head > 0 { // what isn't there is locked all the same
		p.owner, p.look = ks.lockedBy(node*len(ks.items)+k), keyThere
		in = ks.letterKey(p)
	}
	room := in.W
	a, soft := z.small, text.InkSoft
	says := a.Fit(room, f.Phrase("scene.not-there"))
	switch {
	case head > 0:
		says = a.Fit(room, f.Phrase("scene.locked"))
	case ks.queues[node*len(ks.items)+k].told > 0 && y.kind != event.EtcdSystem:
		says = a.Fit(room, f.Phrase("scene.channel")) // a channel needs no key
	case ks.queues[node*len(ks.items)+k].all > 0 && y.kind == event.RedisSystem:
		says = a.Fit(room, f.Phrase("scene.empty")) // Redis deletes a list with its last element
	case ks.lacks(node, y, k):
		a.Size = min(a.Size, f.Sizes.Small.Size)
		says, soft = a.Fit(room, f.Phrase("scene.lacks.this"), f.Phrase("scene.lacks.this.short")), text.InkSignal
	}
	name := ks.entryName(it.path, z.name, room)
	p.name = text.Centred(name, in.MidX(), r.MidY(), z.name, text.InkSoft, room)
	if says != "" && r.H >= z.name.Size+z.small.Size+5 {
		p.name = text.Centred(name, in.MidX(), r.MidY()-z.small.Size*0.62, z.name, text.InkSoft, room)
		p.second = text.Centred(says, in.MidX(), r.MidY()+z.name.Size*0.66, a, soft, room)
	}
	ks.entryMark(p, it.path)
	if p.owner >= 0 {
		f.Labelled(mark.Owner, p.id, text.Letter(p.owner), &p.letter)
	}
	if p.look == keyMissing {
		noted := len(f.Marks)
		f.Labelled(mark.Missing, p.id, "", &p.name)
		if soft == text.InkSignal {
			f.Saying(noted, f.Phrase("scene.lacks.this"))
		}
	}
}

// lacks reports whether a node is a replica that lacks an item of its primary.
func (ks *keys) lacks(node int, y *remoteSystem, k int) bool {
	f := ks.f
	primary := f.State.Remotes.Nodes[node].Primary.Number() - 1
	if !y.follows() || !f.State.Remotes.Nodes[node].Replica || primary < y.first || primary >= y.first+y.nodes {
		return false
	}
	x := ks.entryAt(primary, k)
	return x != nil && !x.Gone
}

func (ks *keys) identify(p *keyPlan, node int, path string) {
	f := ks.f
	p.id = f.Say("node-").Num(int64(node+1)).Say(" ", path).Label()
	p.selected, p.stressed = f.Options.Selected == p.id, f.Stressed(p.id)
}

// entryName returns the name of an entry: its path below the root, or the end of that.
func (h *Holdings) entryName(path string, a text.Face, room float64) string {
	f := h.f
	root := f.State.Root
	if root != "" && len(path) > len(root)+1 && path[:len(root)] == root && path[len(root)] == '/' {
		path = path[len(root)+1:]
	}
	if name := text.Base(path); a.Width(path) > room && len(name) > 3 { // the end tells it from others
		path = name
	}
	return f.CutMiddle(path, a, room)
}

// planKey plans the card of an entry that exists, or was deleted just now. The letter is that of the client that has it
// locked, else of the last to write it. In a table of locks, these are the same; in others, only a lock has a letter.
func (ks *keys) planKey(node int, y *remoteSystem, x *view.Entry, at int, r geom.Rect) {
	f := ks.f
	ks.cards = append(ks.cards, keyPlan{})
	p := &ks.cards[len(ks.cards)-1]
	p.Rect, p.owner, p.alpha = r, f.Client(x.Owner), 1
	switch {
	case ks.heads[at] > 0:
		p.owner = ks.lockedBy(at)
	case isStock(x, y.kind):
		p.owner = -1
	}
	ks.identify(p, node, x.Path)
	doubt := ks.inDoubt(x)
	if doubt {
		p.look = keyInDoubt
	}
	switch {
	case x.Gone && doubt:
		p.struck = 0.8
	case x.Gone:
		p.alpha = f.FadingFor(x.GoneAt, floor.FadeFor)
		p.struck = p.alpha * 0.8
	default:
		p.flash = 1 - f.Passed(x.Set, floor.FlashFor)
	}
	ks.writeKey(p, x, y.kind, ks.letterKey(p))
	ks.keyMarks(p, x)
}

// letterKey plans the letter of a card's owner, if it has one, and returns the rest of the card.
func (ks *keys) letterKey(p *keyPlan) (inner geom.Rect) {
	m, r := &ks.f.Sizes, p.Rect
	left := max(3, min(6*m.K, r.W*0.05))
	if p.owner < 0 {
		return geom.R(r.X+left, r.Y, r.W-2*left, r.H)
	}
	w := max(m.Note.Width("M")+4, min(r.H*0.5, r.W*0.2))
	p.badge = geom.R(r.X, r.Y, w, r.H)
	a := text.Face{Size: max(text.MinSize, min(w*0.62, r.H*0.45)), Bold: true}
	p.letter = text.Centred(a.Fit(w, text.Letter(p.owner)), p.badge.MidX(), r.MidY(), a, text.InkPlain, w).Faded(p.alpha)
	return geom.R(r.X+w+left*0.7, r.Y, r.W-w-left*1.6, r.H)
}

// writeKey writes a card's lines: the name with the version, the value or why it is gone, and its remaining time or
// that it is not committed.
func (ks *keys) writeKey(p *keyPlan, x *view.Entry, kind event.SystemKind, in geom.Rect) {
	f := ks.f
	m, z, b := &f.Sizes, &ks.sizes, ks.barH()
	ends := !x.Gone && (x.Expires != 0 || kind == event.RedisSystem)
	gap, row := max(2, 3*m.K), max(b, z.small.Size)
	lines := z.name.Size
	switch {
	case z.level >= 3:
		lines += 2*gap + z.small.Size + row
	case z.level == 2:
		lines += gap + row
	}
	y := in.Y + (in.H-lines)/2 + z.name.Size*0.8
	room, below := in.W, z.level >= 3 || z.level == 2 && !ends
	v := ks.versionOf(x, kind, p.owner >= 0)
	if left, ok := ks.ticketsLeft(p, x, kind); ok && !below {
		free := room - z.name.Width(ks.entryName(x.Path, z.name, 1e6)) - z.small.Size*0.6
		v = z.small.Fit(free, f.Say(left, " · ", v).Label(), left) // there's no other line for it
	} else if v == "" && !below {
		v = f.Cut(x.Text, z.small, room)
	}
	if v != "" && !x.Gone {
		w := z.small.Width(v)
		if name := ks.entryName(x.Path, z.name, 1e6); z.name.Width(name)+w+z.small.Size*0.6 <= room {
			p.version = text.At(v, in.Right(), y, z.small, text.End, text.InkSoft, w).Faded(p.alpha)
			room -= w + z.small.Size*0.6
		}
	}
	p.name = text.At(ks.entryName(x.Path, z.name, room), in.X, y, z.name, text.Start, text.InkPlain, room).Faded(p.alpha)
	if below {
		if ks.writeStock(p, x, kind, geom.R(in.X, y+gap, in.W, in.Bottom()-(in.H-lines)/2-y-gap)) {
			return
		}
		second := ks.saysOf(p, x, in.W)
		if second == "" && !ends && p.look == keyThere {
			y, p.name.Y = in.MidY(), in.MidY()+z.name.Size*0.36
		}
		y += z.small.Size + gap
		p.second = text.At(second, in.X, y, z.small, text.Start, text.InkSoft, in.W).Faded(p.alpha)
	}
	if in.W < 3*b { // the bar crosses the letter's field
		in.X, in.W = p.X+3, p.W-6
	}
	switch {
	case ends && z.level < 2:
		ks.planBar(p, x, geom.R(in.X, in.Bottom()-3.5, in.W, 2.5))
	case ends:
		ks.planBar(p, x, geom.R(in.X, in.Bottom()-(in.H-lines)/2-(row+b)/2, in.W, b))
	case p.look == keyInDoubt && z.level >= 3:
		says := z.small.Fit(in.W, f.Phrase("scene.uncommitted"), f.Phrase("scene.uncommitted.short"))
		p.time = text.At(says, in.X, y+z.small.Size+gap, z.small, text.Start, text.InkPlain, in.W)
	}
}

// entryMark records that an entry, or its place, is drawn, with its full name.
func (ks *keys) entryMark(p *keyPlan, path string) {
	f := ks.f
	noted := len(f.Marks)
	f.Labelled(mark.Entry, p.id, "", &p.name)
	f.Saying(noted, ks.fullName(path))
}

// fullName returns an entry's whole name.
func (h *Holdings) fullName(path string) string { return h.entryName(path, h.f.Sizes.Small, 1e6) }

// keyMarks records what a card shows.
func (ks *keys) keyMarks(p *keyPlan, x *view.Entry) {
	f := ks.f
	ks.entryMark(p, x.Path)
	if x.Gone {
		if p.alpha > 0.02 {
			long, _ := ks.whyGone(x.Why)
			noted := len(f.Marks)
			f.Labelled(mark.Gone, p.id, x.Why.String(), &p.name)
			f.Saying(noted, long)
		}
		return
	}
	if p.owner >= 0 {
		f.Labelled(mark.Owner, p.id, text.Letter(p.owner), &p.letter)
	}
	if p.look == keyInDoubt {
		f.Labelled(mark.Doubt, p.id, "", &p.name)
	}
	if p.look != keyInDoubt || ks.sizes.level >= 3 {
		f.Labelled(mark.Data, p.id, x.Text, &p.second)
	}
	if x.Version == 0 {
		f.Labelled(mark.Data, p.id, x.Text, &p.version)
		return
	}
	f.Labelled(mark.Version, p.id, f.Num(x.Version).Label(), &p.version)
}

// tabKey writes on top of a card who is inside by it.
func (ks *keys) tabKey(p *keyPlan, in int, cell geom.Rect) {
	f := ks.f
	a, m := f.Sizes.Note, &f.Sizes
	w, h := 12*max(m.K, 0.7), a.Size+max(4, 7*m.K)
	s := a.Fit(cell.W-w, f.Phrase("scene.is-inside", text.Letter(in)), f.Phrase("scene.inside"))
	if s == "" {
		p.tab = paint.Tab{Bar: true, Tag: text.Tag{Rect: geom.R(p.X+2, p.Y-max(3, 5*m.K), p.W-4, max(2, 4*m.K))}}
		return
	}
	f.Tabbed = true
	f.Tabs++
	w += a.Width(s)
	r := geom.R(p.MidX()-w/2, p.Y-h-2, w, h)
	f.Shows(mark.Inside, text.Letter(in), "", r)
	p.tab = paint.Tab{Shown: true, Tag: text.Tag{Rect: r, Radius: h / 2,
		Text: text.Centred(s, p.MidX(), r.MidY(), a, text.InkOnAccent, w)}}
}
