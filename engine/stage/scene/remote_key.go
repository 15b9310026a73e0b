package scene

import (
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
)

// keyPlan is an entry at a node, or the place of a missing one.
type keyPlan struct {
	_ view.Incomparable
	rect
	id                    string // the node's name and the path, as in "node-1 /locks/printer": see panes.ParseNode
	owner                 int    // client whose colour and letter it has, -1 for none
	look                  keyLook
	held                  bool // it lets its owner be inside
	selected, stressed    bool
	alpha, struck, flash  float64
	badge                 rect // background of the letter; zero width for none
	letter                label
	name, version, second label
	bar                   rect // zero width for none
	left                  float64
	low                   bool     // little time is left
	forever               spotMark // sign for no expiry; zero radius if it expires, or entries of this kind never do
	time                  label
	tab                   tabPlan
}

type keyLook uint8

const (
	keyThere   keyLook = iota
	keyInDoubt         // its transaction is not committed
	keyMissing
)

// keys plans the entries at the nodes, and the clients and leases at each.
type keys struct {
	*holdings
	cards    []keyPlan
	lineUps  []lineUpPlan // queues of waiting requests
	brackets []bracketPlan
	kept     []visitPlan
	leases   []leasePlan
}

// planCell plans a node's copy of an item: its card, its lock and queue, and the lease it is attached to.
func (ks *keys) planCell(node int, y *remoteSystem, k int, cell rect) {
	it, x := &ks.items[k], ks.entryAt(node, k)
	at := node*len(ks.items) + k
	card := ks.cardRect(cell)
	if it.lease > 0 {
		if lease := &ks.s.Leases[it.lease-1]; lease.Node == event.Node(node+1) {
			ks.planLease(lease, card)
		}
		return
	}
	q, head := &ks.queues[at], ks.heads[at]
	there := x != nil && (!x.Gone || ks.inDoubt(x) || q.all+q.told == 0 && !it.known || ks.at < x.GoneAt+fadeFor)
	switch {
	case there:
		ks.planKey(node, y, x, card)
	case ks.s.Remotes[node].Down:
		return
	case it.known || q.all > 0 || q.told > 0 || head > 0 || ks.elsewhere(node, y, k):
		ks.planMissing(node, y, it, k, head, card)
	default:
		return
	}
	if in := ks.insider(node, x, it.path, head); in >= 0 {
		p := &ks.cards[len(ks.cards)-1]
		p.held = true
		if ks.kind == remoteKind && (!y.apart || y.nodes == 1) {
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
	c := -1
	switch {
	case head > 0:
		c = ks.client(ks.s.Locks[head-1].Client)
	case x != nil && !x.Gone:
		c = ks.client(x.Owner)
	}
	if c < 0 || !ks.s.Clients[c].Inside || ks.s.Clients[c].Belief.Path != path || ks.s.Remotes[node].Replica {
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
func (ks *keys) planMissing(node int, y *remoteSystem, it *item, k int, head int32, r rect) {
	z, p := &ks.sizes, added(&ks.cards)
	p.rect, p.look, p.owner, p.alpha = r, keyMissing, -1, 1
	ks.identify(p, node, it.path)
	room := r.w - 6
	a, soft := z.small, inkSoft
	says := a.fit(room, ks.phrase("scene.not-there"))
	switch {
	case head > 0:
		says, p.look = a.fit(room, ks.phrase("scene.locked")), keyThere
	case ks.queues[node*len(ks.items)+k].told > 0 && y.kind != event.EtcdSystem:
		says = a.fit(room, ks.phrase("scene.channel")) // a channel needs no key
	case ks.lacks(node, y, k):
		a.size = min(a.size, ks.m.small.size)
		says, soft = a.fit(room, ks.phrase("scene.lacks.this"), ks.phrase("scene.lacks.this.short")), inkSignal
	}
	name := ks.entryName(it.path, z.name, room)
	p.name = middle(name, r.midX(), r.midY(), z.name, inkSoft, room)
	if says != "" && r.h >= z.name.size+z.small.size+5 {
		p.name = middle(name, r.midX(), r.midY()-z.small.size*0.62, z.name, inkSoft, room)
		p.second = middle(says, r.midX(), r.midY()+z.name.size*0.66, a, soft, room)
	}
	ks.entryMark(p, it.path)
	if p.look == keyMissing {
		mark := len(ks.marks)
		ks.labelled(MissingMark, p.id, "", &p.name)
		if soft == inkSignal {
			ks.saying(mark, ks.phrase("scene.lacks.this"))
		}
	}
}

// lacks reports whether a node is a replica that lacks an item of its primary.
func (ks *keys) lacks(node int, y *remoteSystem, k int) bool {
	primary := ks.s.Remotes[node].Primary.Number() - 1
	if !y.follows() || !ks.s.Remotes[node].Replica || primary < y.first || primary >= y.first+y.nodes {
		return false
	}
	x := ks.entryAt(primary, k)
	return x != nil && !x.Gone
}

func (ks *keys) identify(p *keyPlan, node int, path string) {
	p.id = ks.say("node-").num(int64(node+1)).say(" ", path).label()
	p.selected, p.stressed = ks.o.Selected == p.id, ks.stressed(p.id)
}

// entryName returns the name of an entry: its path below the root, or the end of that.
func (h *holdings) entryName(path string, a face, room float64) string {
	if root := h.s.Root; root != "" && len(path) > len(root)+1 && path[:len(root)] == root && path[len(root)] == '/' {
		path = path[len(root)+1:]
	}
	if name := base(path); a.width(path) > room && len(name) > 3 { // the end tells it from others
		path = name
	}
	return h.cutMiddle(path, a, room)
}

// planKey plans the card of an entry that exists, or was deleted just now.
func (ks *keys) planKey(node int, y *remoteSystem, x *view.Entry, r rect) {
	m, p := &ks.m, added(&ks.cards)
	p.rect, p.owner, p.alpha = r, ks.client(x.Owner), 1
	ks.identify(p, node, x.Path)
	doubt := ks.inDoubt(x)
	if doubt {
		p.look = keyInDoubt
	}
	switch {
	case x.Gone && doubt:
		p.struck = 0.8
	case x.Gone:
		p.alpha = ks.fadingFor(x.GoneAt, fadeFor)
		p.struck = p.alpha * 0.8
	default:
		p.flash = 1 - ks.passed(x.Set, flashFor)
	}
	left := max(3, min(6*m.k, r.w*0.05))
	inner := rect{r.x + left, r.y, r.w - 2*left, r.h}
	if p.owner >= 0 {
		w := max(m.note.width("M")+4, min(r.h*0.5, r.w*0.2))
		p.badge = rect{r.x, r.y, w, r.h}
		a := face{size: max(minText, min(w*0.62, r.h*0.45)), bold: true}
		p.letter = middle(a.fit(w, letter(p.owner)), p.badge.midX(), r.midY(), a, inkPlain, w).faded(p.alpha)
		inner.x, inner.w = r.x+w+left*0.7, r.w-w-left*1.6
	}
	ks.writeKey(p, x, y.kind, inner)
	ks.keyMarks(p, x)
}

// writeKey writes a card's lines: the name with the version, the value or why it is gone, and its remaining time or
// that it is not committed.
func (ks *keys) writeKey(p *keyPlan, x *view.Entry, kind event.SystemKind, in rect) {
	m, z, b := &ks.m, &ks.sizes, ks.barH()
	ends := !x.Gone && (x.Expires != 0 || kind == event.RedisSystem)
	gap, row := max(2, 3*m.k), max(b, z.small.size)
	lines := z.name.size
	switch {
	case z.level >= 3:
		lines += 2*gap + z.small.size + row
	case z.level == 2:
		lines += gap + row
	}
	y := in.y + (in.h-lines)/2 + z.name.size*0.8
	room := in.w
	if v := ks.versionOf(x, kind); v != "" && !x.Gone {
		w := z.small.width(v)
		if name := ks.entryName(x.Path, z.name, 1e6); z.name.width(name)+w+z.small.size*0.6 <= room {
			p.version = text(v, in.right(), y, z.small, End, inkSoft, w).faded(p.alpha)
			room -= w + z.small.size*0.6
		}
	}
	p.name = text(ks.entryName(x.Path, z.name, room), in.x, y, z.name, Start, inkPlain, room).faded(p.alpha)
	if z.level >= 3 || z.level == 2 && !ends {
		second := ks.saysOf(p, x, in.w)
		if second == "" && !ends && p.look == keyThere {
			y, p.name.y = in.midY(), in.midY()+z.name.size*0.36
		}
		y += z.small.size + gap
		p.second = text(second, in.x, y, z.small, Start, inkSoft, in.w).faded(p.alpha)
	}
	switch {
	case ends && z.level < 2:
		ks.planBar(p, x, rect{in.x, in.bottom() - 3.5, in.w, 2.5})
	case ends:
		ks.planBar(p, x, rect{in.x, in.bottom() - (in.h-lines)/2 - (row+b)/2, in.w, b})
	case p.look == keyInDoubt && z.level >= 3:
		says := z.small.fit(in.w, ks.phrase("scene.uncommitted"), ks.phrase("scene.uncommitted.short"))
		p.time = text(says, in.x, y+z.small.size+gap, z.small, Start, inkPlain, in.w)
	}
}

// saysOf returns a card's second line: the value or why it is gone; without a third line, that it is uncommitted.
func (ks *keys) saysOf(p *keyPlan, x *view.Entry, room float64) string {
	a := ks.sizes.small
	switch {
	case x.Gone:
		long, short := ks.whyGone(x.Why)
		return a.fit(room, long, short)
	case p.look == keyInDoubt && ks.sizes.level < 3:
		return a.fit(room, ks.phrase("scene.uncommitted"), ks.phrase("scene.uncommitted.short"))
	}
	return ks.cut(x.Text, a, room)
}

// whyGone says why an entry is gone, in full and in short.
func (ks *keys) whyGone(why event.Reason) (long, short string) {
	key := "scene.deleted"
	switch why {
	case event.ByTimer:
		key = "scene.expired"
	case event.ByRollback:
		key = "scene.rolled-back"
	case event.ByLease:
		key = "scene.lease-over"
	case event.ByFailover:
		return ks.phrase("scene.lost-in-failover"), ks.phrase("scene.phase.lost")
	case event.ByRestart:
		return ks.phrase("scene.lost-in-restart"), ks.phrase("scene.phase.lost")
	}
	s := ks.phrase(key)
	return s, s
}

// versionOf returns an entry's version or revision, or "" if it has none.
func (ks *keys) versionOf(x *view.Entry, kind event.SystemKind) string {
	switch {
	case x.Version == 0:
		return ""
	case kind == event.EtcdSystem:
		return ks.phrase("scene.revision", ks.num(x.Version).label())
	}
	return ks.phrase("scene.version.short", ks.num(x.Version).label())
}

// planBar plans how long an entry lasts: a bar that runs out, or a sign that it never expires.
func (ks *keys) planBar(p *keyPlan, x *view.Entry, track rect) {
	level := ks.sizes.level
	a := face{size: ks.sizes.small.size}
	if x.Expires == 0 {
		r := track.h * 0.62
		p.forever = spotMark{track.x + 2*r + 1, track.midY(), r}
		says := a.fit(track.w-5*r, ks.phrase("scene.forever"), ks.phrase("scene.forever.short"))
		if level < 2 {
			says = ""
		}
		p.time = text(says, track.x+5.6*r, track.midY()+a.size*0.36, a, Start, inkSoft, track.w)
		mark := len(ks.marks)
		ks.shows(EndsMark, p.id, "never", around(p.forever.x, p.forever.y, 2*r))
		ks.saying(mark, ks.phrase("scene.forever"))
		return
	}
	part, rest := ks.entryLeft(x)
	p.left, p.low = part, part < 0.25
	says := ks.seconds(rest.Seconds())
	p.bar = track
	if w := a.width(says); w+a.size*2.6 <= track.w && level >= 2 {
		p.bar.w -= w + a.size*0.5
		p.time = text(says, track.right(), track.midY()+a.size*0.36, a, End, inkPlain, w)
	}
	mark := len(ks.marks)
	ks.shows(EndsMark, p.id, ks.tenthsOf(part), p.bar)
	ks.saying(mark, ks.phrase("scene.ends", says))
}

// entryLeft returns an entry's remaining time by its node's clock, as a part and as a duration.
func (h *holdings) entryLeft(x *view.Entry) (part float64, rest time.Duration) {
	r := h.s.Remote(x.Node)
	rest = x.Expires - h.clockNow()
	if r != nil {
		rest -= r.Ahead
	}
	return h.partLeft(rest, x.Lasts)
}

// partLeft returns the remaining time as a part of the whole, too. While some is left, the picture moves.
func (g *setting) partLeft(rest, all time.Duration) (float64, time.Duration) {
	if rest <= 0 || all <= 0 {
		return 0, max(rest, 0)
	}
	if !g.o.Still && !g.s.Ended {
		g.moving = true
	}
	return min(1, float64(rest)/float64(all)), rest
}

// entryMark records that an entry, or its place, is drawn, with its full name.
func (ks *keys) entryMark(p *keyPlan, path string) {
	mark := len(ks.marks)
	ks.labelled(EntryMark, p.id, "", &p.name)
	ks.saying(mark, ks.fullName(path))
}

// fullName returns an entry's whole name.
func (h *holdings) fullName(path string) string { return h.entryName(path, h.m.small, 1e6) }

// keyMarks records what a card shows.
func (ks *keys) keyMarks(p *keyPlan, x *view.Entry) {
	ks.entryMark(p, x.Path)
	if x.Gone {
		if p.alpha > 0.02 {
			long, _ := ks.whyGone(x.Why)
			mark := len(ks.marks)
			ks.labelled(GoneMark, p.id, x.Why.String(), &p.name)
			ks.saying(mark, long)
		}
		return
	}
	if p.owner >= 0 {
		ks.labelled(OwnerMark, p.id, letter(p.owner), &p.letter)
	}
	if p.look == keyInDoubt {
		ks.labelled(DoubtMark, p.id, "", &p.name)
	}
	if p.look != keyInDoubt || ks.sizes.level >= 3 {
		ks.labelled(DataMark, p.id, x.Text, &p.second)
	}
	ks.labelled(VersionMark, p.id, ks.num(x.Version).label(), &p.version)
}

// tabKey writes on top of a card who is inside by it.
func (ks *keys) tabKey(p *keyPlan, in int, cell rect) {
	a, m := ks.m.note, &ks.m
	w, h := 12*max(m.k, 0.7), a.size+max(4, 7*m.k)
	s := a.fit(cell.w-w, ks.phrase("scene.is-inside", letter(in)), ks.phrase("scene.inside"))
	if s == "" {
		p.tab = tabPlan{bar: true, tag: tag{rect: rect{p.x + 2, p.y - max(3, 5*m.k), p.w - 4, max(2, 4*m.k)}}}
		return
	}
	ks.tabbed = true
	ks.tabs++
	w += a.width(s)
	r := rect{p.midX() - w/2, p.y - h - 2, w, h}
	ks.shows(InsideMark, letter(in), "", r)
	p.tab = tabPlan{shown: true, tag: tag{rect: r, radius: h / 2, text: middle(s, p.midX(), r.midY(), a, inkOnAccent, w)}}
}
