package scene

import (
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
)

// planRemotes plans the nodes and their contents.
func (l *Layout) planRemotes() {
	for i := range l.far.systems {
		y := &l.far.systems[i]
		for node := y.first; node < y.first+y.nodes; node++ {
			l.planRemote(node, y)
		}
		if y.follows() {
			l.planFollowing(y)
		}
	}
	l.planBetween()
}

// planRemote plans one node.
func (l *Layout) planRemote(node int, y *remoteSystem) {
	m, z, r := &l.m, &l.far.sizes, &l.s.Remotes[node]
	p := added(&l.p.remotes)
	p.rect, p.down = l.far.boxes[node], r.Down
	p.id = l.actorID(event.Node(node + 1))
	p.leads = y.follows() && !r.Replica
	p.selected, p.stressed = l.o.Selected == p.id, l.stressed(p.id)
	x, room := p.x+z.pad, p.w-2*z.pad
	base := p.y + z.head/2 + m.bold.size*0.36
	mark := len(l.p.marks)
	l.shows(RemoteMark, p.id, "", rect{p.x, p.y, p.w, z.head})
	says, forms := l.nodeName(node, y, r)
	a, at := m.bold, len(l.p.remotes)-1
	aside := l.planClock(at, r, base, room-m.note.width(forms[2]))
	if a.width(forms[0]) > room-aside {
		a = m.note
	}
	p.name = text(a.fit(room-aside, forms[:]...), x, base, a, Start, inkPlain, room-aside)
	free := room - a.width(p.name.text) - m.small.size
	for k := y.from; k < y.until; k++ {
		if cell, ok := l.cellRect(node, y, k); ok {
			l.planCell(node, y, k, cell)
		}
	}
	l.planHeadNote(at, node, y, r, base, free, aside)
	l.p.marks[mark].Said = says
}

// actorID returns the ID that selects a server or a node.
func (l *Layout) actorID(a event.Actor) string {
	prefix := "node-"
	if a.Kind() == event.AServer {
		prefix = "server-"
	}
	return l.say(prefix).num(int64(a.Number())).label()
}

// nodeName returns what a node is, in words, and the forms of its name from the longest to the shortest.
func (l *Layout) nodeName(node int, y *remoteSystem, r *view.Remote) (says string, forms [4]string) {
	name := l.systemName(y.kind)
	number := l.num(int64(node + 1)).label()
	long, short := name, name
	if len(l.far.boxes) > 1 {
		long, short = l.say(name, " ", number).label(), number
	}
	is := ""
	switch {
	case r.Down:
		is = l.phrase("scene.node.down")
	case y.follows() && r.Replica:
		is = l.phrase("scene.node.replica")
	case y.follows():
		is = l.phrase("scene.node.primary")
	}
	forms = [4]string{long, long, short, short}
	says = long
	if is != "" {
		says = l.say(long, ", ", is).label()
		forms[0] = l.say(long, " · ", is).label()
		forms[1] = l.say(short, " · ", is).label()
		forms[2] = is
	}
	return says, forms
}

// systemName returns the name of a system.
func (l *Layout) systemName(kind event.SystemKind) string {
	switch kind {
	case event.RedisSystem:
		return l.phrase("scene.system.redis")
	case event.PostgresSystem:
		return l.phrase("scene.system.postgres")
	case event.MySQLSystem:
		return l.phrase("scene.system.mysql")
	case event.EtcdSystem:
		return l.phrase("scene.system.etcd")
	}
	return l.phrase("scene.system")
}

// planClock plans, at the right end of a node's head, the clock of a node whose time is off. It returns the width that
// this takes.
func (l *Layout) planClock(at int, r *view.Remote, base, free float64) float64 {
	if r.Ahead == 0 {
		return 0
	}
	p, a := &l.p.remotes[at], l.m.note
	says := l.say(sign0(r.Ahead), l.seconds(max(r.Ahead, -r.Ahead).Seconds())).label()
	radius := a.size * 0.55
	right := p.right() - l.far.sizes.pad
	number := a.fit(free-4*radius, says)
	w := a.width(number)
	p.clock = spotMark{right - w - radius*1.5, base - a.size*0.36, radius}
	p.clockForward = r.Ahead > 0
	first := len(l.p.marks)
	l.shows(AheadMark, p.id, says, around(p.clock.x, p.clock.y, radius))
	key := "scene.clock.ahead"
	if r.Ahead < 0 {
		key = "scene.clock.behind"
	}
	l.saying(first, l.phrase(key, l.seconds(max(r.Ahead, -r.Ahead).Seconds())))
	l.p.texts = append(l.p.texts, text(number, right, base, a, End, inkSignal, w))
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
func (l *Layout) planHeadNote(at, node int, y *remoteSystem, r *view.Remote, base, free, aside float64) {
	p, a := &l.p.remotes[at], l.m.small
	right, room := p.right()-l.far.sizes.pad-aside, free-aside
	if hidden := y.more + max(0, y.until-y.from-y.cols*y.rows); hidden > 0 {
		s := l.grouped(hidden)
		p.more = text(a.fit(room, l.phrase("scene.more", s), l.say("+", s).label()), right, base, a, End, inkSoft, room)
		taken := a.width(p.more.text) + a.size*0.6
		right, room = right-taken, room-taken
	}
	if n := l.lacking(node, y); n > 0 && r.Replica {
		a = l.m.note
		number := l.num(int64(n)).label()
		says := l.phrase("scene.lacks", number)
		p.note = text(a.fit(room, says, l.say("−", number).label()), right, base, a, End, inkSignal, room)
		first := len(l.p.marks)
		l.labelled(LacksMark, p.id, number, &p.note)
		l.saying(first, says)
		return
	}
	if says := l.openTxs(event.Node(node + 1)); says != "" {
		p.note = text(l.phrases(says, a, room), right, base, a, End, inkPlain, room)
		if len(p.note.text) <= len("…") {
			p.note.text = ""
		}
		first := len(l.p.marks)
		l.labelled(OpenMark, p.id, "", &p.note)
		l.saying(first, says)
	}
}

// lacking counts the entries in which a replica differs from its primary.
func (l *Layout) lacking(node int, y *remoteSystem) (n int) {
	primary := l.s.Remotes[node].Primary.Number() - 1
	if primary < y.first || primary >= y.first+y.nodes || l.s.Remotes[node].Down || l.s.Remotes[primary].Down {
		return 0
	}
	for k := y.from; k < y.until; k++ {
		if !sameEntry(l.entryAt(node, k), l.entryAt(primary, k)) {
			n++
		}
	}
	return n
}

// entryAt returns the entry in a cell, even if it has just been deleted, or nil.
func (l *Layout) entryAt(node, k int) *view.Entry {
	if i := l.far.cells[node*len(l.far.items)+k]; i > 0 {
		return &l.s.Entries[i-1]
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
func (l *Layout) openTxs(node event.Actor) string {
	var says [mostTxs]string
	n := 0
	for i := range l.s.Txs {
		t := &l.s.Txs[i]
		if c := l.client(t.Client); !t.Over && t.Node == node && c >= 0 && n < mostTxs &&
			l.far.txs[sessionKey{t.Node, t.Session}] >= 0 {
			says[n] = l.filled("scene.tx.of", letter(c), l.since(t.Since))
			n++
		}
	}
	for i, one := range says[:n] {
		if i > 0 {
			l.say(" · ")
		}
		l.say(one)
	}
	return l.label()
}

// mostTxs is the maximum number of transactions named at the head of a node.
const mostTxs = 8

// since returns how long something has lasted, in whole seconds.
func (l *Layout) since(at time.Duration) string {
	now := l.clockNow()
	if !l.o.Still && !l.s.Ended {
		l.p.Moving = true
	}
	return l.filled("seconds", l.num(int64((now-at)/time.Second)).label())
}

// clockNow returns the time that is shown. It stops when the run ends.
func (l *Layout) clockNow() time.Duration {
	if l.s.Ended {
		return l.s.At
	}
	return l.at
}

// planFollowing plans lines from a primary to its replicas, above them.
func (l *Layout) planFollowing(y *remoteSystem) {
	z := &l.far.sizes
	for node := y.first; node < y.first+y.nodes; node++ {
		r := &l.s.Remotes[node]
		primary := r.Primary.Number() - 1
		if !r.Replica || primary < y.first || primary >= y.first+y.nodes || primary == node {
			continue
		}
		from, to := l.far.boxes[primary].midX(), l.far.boxes[node].midX()
		level := z.top - z.track/2 - 1
		l.wire(from, z.top, from, level, straightWire)
		l.wire(from, level, to, level, straightWire)
		l.wire(to, level, to, z.top, straightWire)
		tip := min(4*max(l.m.k, 0.7), z.track/3)
		l.wire(to-tip, z.top-tip-1, to, z.top-1, straightWire)
		l.wire(to+tip, z.top-tip-1, to, z.top-1, straightWire)
	}
}

// planBetween plans the messages from primaries to their replicas.
func (l *Layout) planBetween() {
	z := &l.far.sizes
	for i := range l.s.Flights {
		m := &l.s.Flights[i]
		if m.From.Kind() != event.ANode || m.To.Kind() != event.ANode {
			continue
		}
		from, _ := l.drawn(m.From)
		to, _ := l.drawn(m.To)
		part, seen := l.progress(m)
		if from < 0 || to < 0 || !seen || z.track == 0 {
			continue
		}
		p := letterPlan{right: to > from, look: letterAsks, lost: m.Dropped, alpha: 1}
		if m.Dropped && !l.o.Still {
			l.p.Moving = true
			p.alpha = 1 - l.passed(m.OverAt, crossFor)
		}
		p.x = mix(l.far.boxes[from].midX(), l.far.boxes[to].midX(), part)
		p.y = z.top - z.track/2 - 1
		_, word := l.command(m.Text)
		l.wordLetter(&p, word)
		r := p.rect
		if r.w == 0 {
			r = around(p.x, p.y, l.letterDot())
		}
		first := len(l.p.marks)
		receiver := l.actorID(m.To)
		l.shows(BetweenMark, l.actorID(m.From), l.say(m.Op.String(), " ", receiver).label(), r)
		l.saying(first, l.phrase("scene.server.message", word, receiver))
		l.p.letters = append(l.p.letters, p)
	}
}
