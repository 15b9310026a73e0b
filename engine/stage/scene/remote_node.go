package scene

import (
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
)

// nodes plans the nodes side by side.
type nodes struct {
	*holdings
	keys    *keys
	remotes []remotePlan
}

// planRemotes plans the nodes and their contents.
func (ns *nodes) planRemotes() {
	for i := range ns.systems {
		y := &ns.systems[i]
		for node := y.first; node < y.first+y.nodes; node++ {
			ns.planRemote(node, y)
		}
		if y.follows() {
			ns.planFollowing(y)
		}
	}
}

// planRemote plans one node.
func (ns *nodes) planRemote(node int, y *remoteSystem) {
	m, z, r := &ns.m, &ns.sizes, &ns.s.Remotes[node]
	p := added(&ns.remotes)
	p.rect, p.down = ns.boxes[node], r.Down
	p.id = ns.actorID(event.Node(node + 1))
	p.leads = y.follows() && !r.Replica
	p.selected, p.stressed = ns.o.Selected == p.id, ns.stressed(p.id)
	x, room := p.x+z.pad, p.w-2*z.pad
	base := p.y + z.head/2 + m.bold.size*0.36
	mark := len(ns.marks)
	ns.shows(RemoteMark, p.id, "", rect{p.x, p.y, p.w, z.head})
	says, forms := ns.nodeName(node, y, r)
	a, at := m.bold, len(ns.remotes)-1
	aside := ns.planClock(at, r, base, room-m.note.width(forms[2]))
	if a.width(forms[0]) > room-aside {
		a = m.note
	}
	p.name = text(a.fit(room-aside, forms[:]...), x, base, a, Start, inkPlain, room-aside)
	free := room - a.width(p.name.text) - m.small.size
	for k := y.from; k < y.until; k++ {
		if cell, ok := ns.cellRect(node, y, k); ok {
			ns.keys.planCell(node, y, k, cell)
		}
	}
	ns.planHeadNote(at, node, y, r, base, free, aside)
	ns.marks[mark].Said = says
}

// actorID returns the ID that selects a server or a node.
func (w *writer) actorID(a event.Actor) string {
	prefix := "node-"
	if a.Kind() == event.AServer {
		prefix = "server-"
	}
	return w.say(prefix).num(int64(a.Number())).label()
}

// nodeName returns what a node is, in words, and the forms of its name from the longest to the shortest.
func (ns *nodes) nodeName(node int, y *remoteSystem, r *view.Remote) (says string, forms [4]string) {
	name := ns.systemName(y.kind)
	number := ns.num(int64(node + 1)).label()
	long, short := name, name
	if len(ns.boxes) > 1 {
		long, short = ns.say(name, " ", number).label(), number
	}
	is := ""
	switch {
	case r.Down:
		is = ns.phrase("scene.node.down")
	case y.follows() && r.Replica:
		is = ns.phrase("scene.node.replica")
	case y.follows():
		is = ns.phrase("scene.node.primary")
	}
	forms = [4]string{long, long, short, short}
	says = long
	if is != "" {
		says = ns.say(long, ", ", is).label()
		forms[0] = ns.say(long, " · ", is).label()
		forms[1] = ns.say(short, " · ", is).label()
		forms[2] = is
	}
	return says, forms
}

// systemName returns the name of a system.
func (ns *nodes) systemName(kind event.SystemKind) string {
	switch kind {
	case event.RedisSystem:
		return ns.phrase("scene.system.redis")
	case event.PostgresSystem:
		return ns.phrase("scene.system.postgres")
	case event.MySQLSystem:
		return ns.phrase("scene.system.mysql")
	case event.EtcdSystem:
		return ns.phrase("scene.system.etcd")
	}
	return ns.phrase("scene.system")
}

// planClock plans, at the right end of a node's head, the clock of a node whose time is off. It returns the width that
// this takes.
func (ns *nodes) planClock(at int, r *view.Remote, base, free float64) float64 {
	if r.Ahead == 0 {
		return 0
	}
	p, a := &ns.remotes[at], ns.m.note
	says := ns.say(sign0(r.Ahead), ns.seconds(max(r.Ahead, -r.Ahead).Seconds())).label()
	radius := a.size * 0.55
	right := p.right() - ns.sizes.pad
	number := a.fit(free-4*radius, says)
	w := a.width(number)
	p.clock = spotMark{right - w - radius*1.5, base - a.size*0.36, radius}
	p.clockForward = r.Ahead > 0
	first := len(ns.marks)
	ns.shows(AheadMark, p.id, says, around(p.clock.x, p.clock.y, radius))
	key := "scene.clock.ahead"
	if r.Ahead < 0 {
		key = "scene.clock.behind"
	}
	ns.saying(first, ns.phrase(key, ns.seconds(max(r.Ahead, -r.Ahead).Seconds())))
	ns.texts = append(ns.texts, text(number, right, base, a, End, inkSignal, w))
	return w + 3*radius
}

// sign0 returns the sign of a duration.
func sign0(d time.Duration) string {
	if d < 0 {
		return "−"
	}
	return "+"
}

// planHeadNote writes at the right end of a node's head what it lacks of its primary's entries, how many entries have
// no place, or which open transactions are shown nowhere else.
func (ns *nodes) planHeadNote(at, node int, y *remoteSystem, r *view.Remote, base, free, aside float64) {
	p, a := &ns.remotes[at], ns.m.small
	right, room := p.right()-ns.sizes.pad-aside, free-aside
	if hidden := y.more + max(0, y.until-y.from-y.cols*y.rows); hidden > 0 {
		s := ns.grouped(hidden)
		p.more = text(a.fit(room, ns.phrase("scene.more", s), ns.say("+", s).label()), right, base, a, End, inkSoft, room)
		taken := a.width(p.more.text) + a.size*0.6
		right, room = right-taken, room-taken
	}
	if n := ns.lacking(node, y); n > 0 && r.Replica {
		a = ns.m.note
		number := ns.num(int64(n)).label()
		says := ns.phrase("scene.lacks", number)
		p.note = text(a.fit(room, says, ns.say("−", number).label()), right, base, a, End, inkSignal, room)
		first := len(ns.marks)
		ns.labelled(LacksMark, p.id, number, &p.note)
		ns.saying(first, says)
		return
	}
	if says := ns.openTxs(event.Node(node + 1)); says != "" {
		p.note = text(ns.phrases(says, a, room), right, base, a, End, inkPlain, room)
		if len(p.note.text) <= len("…") {
			p.note.text = ""
		}
		first := len(ns.marks)
		ns.labelled(OpenMark, p.id, "", &p.note)
		ns.saying(first, says)
	}
}

// lacking counts the entries in which a replica differs from its primary.
func (h *holdings) lacking(node int, y *remoteSystem) (n int) {
	primary := h.s.Remotes[node].Primary.Number() - 1
	if primary < y.first || primary >= y.first+y.nodes || h.s.Remotes[node].Down || h.s.Remotes[primary].Down {
		return 0
	}
	for k := y.from; k < y.until; k++ {
		if !sameEntry(h.entryAt(node, k), h.entryAt(primary, k)) {
			n++
		}
	}
	return n
}

// entryAt returns the entry in a cell, even if it has just been deleted, or nil.
func (h *holdings) entryAt(node, k int) *view.Entry {
	if i := h.cells[node*len(h.items)+k]; i > 0 {
		return &h.s.Entries[i-1]
	}
	return nil
}

// sameEntry reports whether a replica's entry equals its primary's.
func sameEntry(a, b *view.Entry) bool {
	here, there := a != nil && !a.Gone, b != nil && !b.Gone
	if !here || !there {
		return here == there
	}
	return a.Text == b.Text && a.Owner == b.Owner && a.Expires == b.Expires && a.Version == b.Version
}

// openTxs lists a node's open transactions that are not drawn next to what they lock.
func (ns *nodes) openTxs(node event.Actor) string {
	var says [mostTxs]string
	n := 0
	for i := range ns.s.Txs {
		t := &ns.s.Txs[i]
		if c := ns.client(t.Client); !t.Over && t.Node == node && c >= 0 && n < mostTxs &&
			ns.txs[sessionKey{t.Node, t.Session}] >= 0 {
			says[n] = ns.filled("scene.tx.of", letter(c), ns.since(t.Since))
			n++
		}
	}
	for i, one := range says[:n] {
		if i > 0 {
			ns.say(" · ")
		}
		ns.say(one)
	}
	return ns.label()
}

// mostTxs is the maximum number of transactions named at the head of a node.
const mostTxs = 8

// since returns how long something has lasted, in whole seconds.
func (g *setting) since(at time.Duration) string {
	now := g.clockNow()
	if !g.o.Still && !g.s.Ended {
		g.moving = true
	}
	return g.filled("seconds", g.num(int64((now-at)/time.Second)).label())
}

// clockNow returns the time that is shown. It stops when the run ends.
func (g *setting) clockNow() time.Duration {
	if g.s.Ended {
		return g.s.At
	}
	return g.at
}

// planFollowing plans lines from a primary to its replicas, above them.
func (ns *nodes) planFollowing(y *remoteSystem) {
	z := &ns.sizes
	for node := y.first; node < y.first+y.nodes; node++ {
		r := &ns.s.Remotes[node]
		primary := r.Primary.Number() - 1
		if !r.Replica || primary < y.first || primary >= y.first+y.nodes || primary == node {
			continue
		}
		from, to := ns.boxes[primary].midX(), ns.boxes[node].midX()
		level := z.top - z.track/2 - 1
		ns.wire(from, z.top, from, level, straightWire)
		ns.wire(from, level, to, level, straightWire)
		ns.wire(to, level, to, z.top, straightWire)
		tip := min(4*max(ns.m.k, 0.7), z.track/3)
		ns.wire(to-tip, z.top-tip-1, to, z.top-1, straightWire)
		ns.wire(to+tip, z.top-tip-1, to, z.top-1, straightWire)
	}
}

// planBetween plans the messages from primaries to their replicas.
func (t *traffic) planBetween() {
	z := &t.sizes
	for i := range t.s.Flights {
		m := &t.s.Flights[i]
		if m.From.Kind() != event.ANode || m.To.Kind() != event.ANode {
			continue
		}
		from, _ := t.drawn(m.From)
		to, _ := t.drawn(m.To)
		part, seen := t.progress(m)
		if from < 0 || to < 0 || !seen || z.track == 0 {
			continue
		}
		p := letterPlan{right: to > from, look: letterAsks, lost: m.Dropped, alpha: 1}
		if m.Dropped && !t.o.Still {
			t.moving = true
			p.alpha = 1 - t.passed(m.OverAt, crossFor)
		}
		p.x = mix(t.boxes[from].midX(), t.boxes[to].midX(), part)
		p.y = z.top - z.track/2 - 1
		_, word := t.command(m.Text)
		t.letters.wordLetter(&p, word)
		r := p.rect
		if r.w == 0 {
			r = around(p.x, p.y, t.letters.letterDot())
		}
		first := len(t.marks)
		receiver := t.actorID(m.To)
		t.shows(BetweenMark, t.actorID(m.From), t.say(m.Op.String(), " ", receiver).label(), r)
		t.saying(first, t.phrase("scene.server.message", word, receiver))
		t.letters.list = append(t.letters.list, p)
	}
}
