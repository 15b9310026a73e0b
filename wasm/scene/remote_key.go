package scene

import (
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/view"
)

// keyPlan is an entry at a node, or the place of one that is not there.
type keyPlan struct {
	rect
	id                    string
	owner                 int // whose colour and letter it has, -1 for nobody's
	look                  keyLook
	held                  bool // its owner is inside by it
	selected, stressed    bool
	alpha, struck, flash  float64
	badge                 rect // the ground of the letter; without width there is none
	letter                label
	name, version, second label
	bar                   rect // without width it has none
	left                  float64
	low                   bool     // little is left
	forever               spotMark // it never ends; without radius it does, or that is not what such entries do
	time                  label
	tab                   tabPlan
}

type keyLook uint8

const (
	keyThere   keyLook = iota
	keyInDoubt         // its transaction is not committed
	keyMissing
)

// EntryID is what selects an entry: the node's name and the path, as in "node-1 /locks/printer".
func EntryID(node event.Actor, path string) string { return node.String() + " " + path }

// ParseEntryID finds the node and the path of an EntryID.
func ParseEntryID(id string) (node event.Actor, path string, ok bool) {
	name, path, cut := strings.Cut(id, " ")
	if !cut || !strings.HasPrefix(name, "node-") {
		return 0, "", false
	}
	node, ok = event.ParseActor(name)
	return node, path, ok
}

// planCell plans what a node has of an item: its card, who has it locked and who waits for it, and the lease that it
// hangs on.
func (l *Layout) planCell(node int, y *remoteSystem, k int, cell rect) {
	it, x := &l.far.items[k], l.entryAt(node, k)
	at := node*len(l.far.items) + k
	card := l.cardRect(cell)
	if it.lease > 0 {
		return
	}
	q, head := &l.far.queues[at], l.far.heads[at]
	there := x != nil && (!x.Gone || l.at < x.GoneAt+view.Keep)
	switch {
	case there:
		l.planKey(node, y, x, card, cell)
	case l.s.Remotes[node].Down:
		return
	case it.known || q.all > 0 || head > 0 || l.elsewhere(node, y, k):
		l.planMissing(node, y, it, k, card)
	default:
		return
	}
	l.planQueue(at, head, card)
}

// elsewhere reports whether another node of the system has the item.
func (l *Layout) elsewhere(node int, y *remoteSystem, k int) bool {
	for o := y.first; o < y.first+y.nodes; o++ {
		if x := l.entryAt(o, k); o != node && x != nil && !x.Gone {
			return true
		}
	}
	return false
}

// planMissing plans the place of an entry that a node does not have: a replica may lack it.
func (l *Layout) planMissing(node int, y *remoteSystem, it *item, k int, r rect) {
	m, p := &l.m, added(&l.p.keys)
	p.rect, p.look, p.owner, p.alpha = r, keyMissing, -1, 1
	l.identify(p, node, it.path)
	room := r.w - 6
	says, soft := l.phrase("scene.not-there"), inkSoft
	if primary := l.s.Remotes[node].Primary.Number() - 1; y.follows() && l.s.Remotes[node].Replica &&
		primary >= y.first && primary < y.first+y.nodes {
		if x := l.entryAt(primary, k); x != nil && !x.Gone {
			says, soft = l.phrase("scene.lacks.this"), inkSignal
		}
	}
	name := l.entryName(it.path, m.name, room)
	p.name = middle(name, r.midX(), r.midY(), m.name, inkSoft, room)
	if says = m.small.fit(room, says); says != "" && r.h >= m.name.size+m.small.size+5 {
		p.name = middle(name, r.midX(), r.midY()-m.small.size*0.62, m.name, inkSoft, room)
		p.second = middle(says, r.midX(), r.midY()+m.name.size*0.66, m.small, soft, room)
	}
	l.labelled(EntryMark, p.id, "", &p.name)
	l.labelled(MissingMark, p.id, "", &p.name)
}

func (l *Layout) identify(p *keyPlan, node int, path string) {
	l.buf = clean(l.say("node-").num(int64(node+1)).say(" ").buf, "")
	p.id = l.say(path).label()
	p.selected, p.stressed = l.o.Selected == p.id, l.stressed(p.id)
}

// entryName is what an entry is called: its path below the root, or the end of it.
func (l *Layout) entryName(path string, a face, room float64) string {
	if root := l.s.Root; root != "" && len(path) > len(root)+1 && path[:len(root)] == root && path[len(root)] == '/' {
		path = path[len(root)+1:]
	}
	return l.cutMiddle(path, a, room)
}

// planKey plans the card of an entry that is there, or has just gone.
func (l *Layout) planKey(node int, y *remoteSystem, x *view.Entry, r, cell rect) {
	m, z := &l.m, &l.far.sizes
	p := added(&l.p.keys)
	p.rect, p.owner, p.alpha = r, l.client(x.Owner), 1
	l.identify(p, node, x.Path)
	_, open := l.far.txs[sessionKey{x.Node, x.Session}]
	switch {
	case x.Gone:
		p.alpha = l.fadingFrom(x.GoneAt)
		p.struck = p.alpha * 0.8
	case x.Session != 0 && (open || l.openTx(x)):
		p.look = keyInDoubt
		fallthrough
	default:
		p.flash = 1 - l.passed(x.Set, flashFor)
	}
	if l.o.Still || x.Set <= l.o.Stood {
		p.flash = 0
	}
	p.held = !x.Gone && p.owner >= 0 && l.s.Clients[p.owner].Inside && l.s.Clients[p.owner].Belief.Path == x.Path &&
		!l.s.Remotes[node].Replica
	left := max(4, 6*m.k)
	inner := rect{r.x + left, r.y, r.w - 2*left, r.h}
	if p.owner >= 0 {
		w := max(m.note.width("M")+4, min(r.h*0.5, r.w*0.2))
		p.badge = rect{r.x, r.y, w, r.h}
		a := face{size: max(minText, min(w*0.62, r.h*0.45)), bold: true}
		p.letter = middle(a.fit(w, letter(p.owner)), p.badge.midX(), r.midY(), a, inkPlain, w).faded(p.alpha)
		inner.x, inner.w = r.x+w+left*0.7, r.w-w-left*1.6
	}
	l.writeKey(p, x, y.kind, inner, z.level)
	l.keyMarks(p, x)
	if p.held && l.s.Header.HasZooKeeper() == (l.kind != remoteKind) && !y.apart {
		l.tabKey(p, x, cell)
	}
}

// openTx reports whether what an entry was written in is a transaction that is still open, also where that was said of
// another entry before.
func (l *Layout) openTx(x *view.Entry) bool {
	for i := range l.s.Txs {
		if t := &l.s.Txs[i]; t.Node == x.Node && t.Session == x.Session {
			return !t.Over
		}
	}
	return false
}

// writeKey writes a card's lines: the name with the version, the value or why it is gone, and how long it lasts.
func (l *Layout) writeKey(p *keyPlan, x *view.Entry, kind event.SystemKind, in rect, level int) {
	m, b := &l.m, l.barH()
	lines := m.name.size
	second := l.saysOf(p, x, in.w)
	if level >= 3 {
		lines += m.small.size + max(3, 4*m.k)
	}
	bottom := 0.0
	if level >= 2 {
		bottom = b + max(3, 4*m.k)
	}
	y := in.y + (in.h-lines-bottom)/2 + m.name.size*0.84
	room := in.w
	if v := l.versionOf(x); v != "" && !x.Gone {
		w := m.small.width(v)
		if name := l.entryName(x.Path, m.name, 1e6); m.name.width(name)+w+m.small.size*0.6 <= room {
			p.version = text(v, in.right(), y, m.small, End, inkSoft, w).faded(p.alpha)
			room -= w + m.small.size*0.6
		}
	}
	p.name = text(l.entryName(x.Path, m.name, room), in.x, y, m.name, Start, inkPlain, room).faded(p.alpha)
	if level >= 3 {
		y += m.small.size + max(3, 4*m.k)
		p.second = text(second, in.x, y, m.small, Start, inkSoft, in.w).faded(p.alpha)
		if p.look == keyInDoubt || x.Gone {
			p.second.ink = inkPlain
		}
	}
	if !x.Gone {
		track := rect{in.x, in.bottom() - b - max(3, 5*m.k), in.w, b}
		if level < 2 {
			track = rect{in.x, in.bottom() - 3.5, in.w, 2.5}
		}
		l.planBar(p, x, kind, track, level)
	}
}

// saysOf is a card's second line: the value, that it is not committed, or why it is gone.
func (l *Layout) saysOf(p *keyPlan, x *view.Entry, room float64) string {
	a := l.m.small
	switch {
	case x.Gone:
		long, short := l.whyGone(x.Why)
		return a.fit(room, long, short)
	case p.look == keyInDoubt:
		return a.fit(room, l.phrase("scene.uncommitted"), l.phrase("scene.uncommitted.short"))
	}
	return l.cut(x.Text, a, room)
}

// whyGone says why an entry is gone, and in a word.
func (l *Layout) whyGone(why event.Reason) (long, short string) {
	key := "scene.deleted"
	switch why {
	case event.ByTimer:
		key = "scene.expired"
	case event.ByRollback:
		key = "scene.rolled-back"
	case event.ByLease:
		key = "scene.lease-over"
	case event.ByFailover:
		return l.phrase("scene.lost-in-failover"), l.phrase("scene.phase.lost")
	case event.ByRestart:
		return l.phrase("scene.lost-in-restart"), l.phrase("scene.phase.lost")
	}
	s := l.phrase(key)
	return s, s
}

// versionOf is an entry's version or revision, empty if it has none.
func (l *Layout) versionOf(x *view.Entry) string {
	if x.Version == 0 {
		return ""
	}
	return l.phrase("scene.version.short", l.num(x.Version).label())
}

// planBar plans how long an entry lasts: a bar that runs out, or that it never ends, where such entries do by
// themselves.
func (l *Layout) planBar(p *keyPlan, x *view.Entry, kind event.SystemKind, track rect, level int) {
	a := face{size: l.m.small.size}
	if x.Expires == 0 {
		if kind != event.RedisSystem {
			return
		}
		r := track.h * 0.62
		p.forever = spotMark{track.x + 2*r + 1, track.midY(), r}
		says := a.fit(track.w-5*r, l.phrase("scene.forever"), l.phrase("scene.forever.short"))
		if level < 2 {
			says = ""
		}
		p.time = text(says, track.x+5.6*r, track.midY()+a.size*0.36, a, Start, inkSoft, track.w)
		mark := len(l.p.marks)
		l.shows(EndsMark, p.id, "never", around(p.forever.x, p.forever.y, 2*r))
		l.saying(mark, l.phrase("scene.forever"))
		return
	}
	part, rest := l.rest(x)
	p.left, p.low = part, part < 0.25
	says := l.seconds(rest.Seconds())
	p.bar = track
	if w := a.width(says); w+a.size*2.6 <= track.w && level >= 2 {
		p.bar.w -= w + a.size*0.5
		p.time = text(says, track.right(), track.midY()+a.size*0.36, a, End, inkPlain, w)
	}
	mark := len(l.p.marks)
	l.shows(EndsMark, p.id, l.tenthOf(part), p.bar)
	l.saying(mark, l.phrase("scene.ends", says))
}

// rest is how much of an entry's time is left by its node's clock, as a part and in all.
func (l *Layout) rest(x *view.Entry) (part float64, rest time.Duration) {
	r := l.s.Remote(x.Node)
	rest = x.Expires - l.clockNow()
	if r != nil {
		rest -= r.Ahead
	}
	return l.partLeft(rest, x.Lasts)
}

// partLeft is a rest of a time as a part of it. While there is some, the picture moves.
func (l *Layout) partLeft(rest, all time.Duration) (float64, time.Duration) {
	if rest <= 0 || all <= 0 {
		return 0, max(rest, 0)
	}
	if !l.o.Still && !l.s.Ended {
		l.p.Moving = true
	}
	return min(1, float64(rest)/float64(all)), rest
}

// keyMarks notes what a card shows.
func (l *Layout) keyMarks(p *keyPlan, x *view.Entry) {
	l.labelled(EntryMark, p.id, "", &p.name)
	if x.Gone {
		if p.alpha > 0.02 {
			long, _ := l.whyGone(x.Why)
			mark := len(l.p.marks)
			l.labelled(GoneMark, p.id, x.Why.String(), &p.name)
			l.saying(mark, long)
		}
		return
	}
	if p.owner >= 0 {
		l.labelled(OwnerMark, p.id, letter(p.owner), &p.letter)
	}
	if p.look == keyInDoubt {
		l.labelled(DoubtMark, p.id, "", &p.name)
	} else {
		l.labelled(DataMark, p.id, x.Text, &p.second)
	}
	l.labelled(VersionMark, p.id, l.num(x.Version).label(), &p.version)
}

// tabKey says on the top of a card who is inside by it.
func (l *Layout) tabKey(p *keyPlan, x *view.Entry, cell rect) {
	a, m := l.m.note, &l.m
	w, h := 12*max(m.k, 0.7), a.size+max(4, 7*m.k)
	s := a.fit(cell.w-w, l.phrase("scene.is-inside", letter(p.owner)), l.phrase("scene.inside"))
	if s == "" {
		p.tab = tabPlan{bar: true, tag: tag{rect: rect{p.x + 2, p.y - max(3, 5*m.k), p.w - 4, max(2, 4*m.k)}}}
		return
	}
	l.tabbed = true
	w += a.width(s)
	r := rect{p.midX() - w/2, p.y - h - 2, w, h}
	l.shows(InsideMark, letter(p.owner), "", r)
	p.tab = tabPlan{shown: true, tag: tag{rect: r, radius: h / 2, text: middle(s, p.midX(), r.midY(), a, inkOnAccent, w)}}
}
