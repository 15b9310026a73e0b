package remote

import (
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene/floor"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
	"github.com/zkviz/zkviz/engine/stage/scene/message"
	"github.com/zkviz/zkviz/engine/stage/scene/paint"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// nodes plans the nodes side by side.
type nodes struct {
	*Holdings
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
	f := ns.f
	m, z, r := &f.Sizes, &ns.sizes, &f.State.Remotes.Nodes[node]
	ns.remotes = append(ns.remotes, remotePlan{})
	p := &ns.remotes[len(ns.remotes)-1]
	p.Rect, p.down = ns.boxes[node], r.Down
	p.id = f.ActorID(event.Node(node + 1))
	p.leads = y.follows() && !r.Replica
	p.selected, p.stressed = f.Options.Selected == p.id, f.Stressed(p.id)
	x, room := p.X+z.pad, p.W-2*z.pad
	base := p.Y + z.head/2 + m.Bold.Size*0.36
	noted := len(f.Marks)
	f.Shows(mark.Remote, p.id, "", geom.R(p.X, p.Y, p.W, z.head))
	says, forms := ns.nodeName(node, y, r)
	a, at := m.Bold, len(ns.remotes)-1
	aside := 0.0
	if room < m.Note.Size*10 { // a clock in the head would leave no room for the name
		ns.planClock(at, r, p.Bottom()-z.pad, room)
	} else {
		aside = ns.planClock(at, r, base, room-m.Note.Width(forms[2]))
	}
	if a.Width(forms[0]) > room-aside {
		a = m.Note
	}
	p.name = text.At(a.Fit(room-aside, forms[:]...), x, base, a, text.Start, text.InkPlain, room-aside)
	free := room - a.Width(p.name.Text) - m.Small.Size
	for k := y.from; k < y.until; k++ {
		if cell, ok := ns.cellRect(node, y, k); ok {
			ns.keys.planCell(node, y, k, cell)
		}
	}
	ns.planHeadNote(at, node, y, r, base, free, aside)
	f.Marks[noted].Said = says
}

// nodeName returns what a node is, in words, and the forms of its name from the longest to the shortest.
func (ns *nodes) nodeName(node int, y *remoteSystem, r *view.Remote) (says string, forms [4]string) {
	f := ns.f
	name := ns.systemName(y.kind)
	number := f.Num(int64(node + 1)).Label()
	long, short := name, name
	if len(ns.boxes) > 1 {
		long, short = f.Say(name, " ", number).Label(), number
	}
	is := ""
	switch {
	case r.Down:
		is = f.Phrase("scene.node.down")
	case y.follows() && r.Replica:
		is = f.Phrase("scene.node.replica")
	case y.follows():
		is = f.Phrase("scene.node.primary")
	}
	forms = [4]string{long, long, short, short}
	says = long
	if is != "" {
		says = f.Say(long, ", ", is).Label()
		forms[0] = f.Say(long, " · ", is).Label()
		forms[1] = f.Say(short, " · ", is).Label()
		forms[2] = is
	}
	return says, forms
}

// systemName returns the name of a system.
func (ns *nodes) systemName(kind event.SystemKind) string {
	f := ns.f
	switch kind {
	case event.RedisSystem:
		return f.Phrase("scene.system.redis")
	case event.PostgresSystem:
		return f.Phrase("scene.system.postgres")
	case event.MySQLSystem:
		return f.Phrase("scene.system.mysql")
	case event.EtcdSystem:
		return f.Phrase("scene.system.etcd")
	case event.NATSSystem:
		return f.Phrase("scene.system.nats")
	}
	return f.Phrase("scene.system")
}

// planClock plans, at a node's right edge, the clock of a node whose time is off. It returns the width that this takes.
func (ns *nodes) planClock(at int, r *view.Remote, base, free float64) (w float64) {
	p := &ns.remotes[at]
	p.clock, w = ns.f.OffClock(r.Ahead, p.id, p.Right()-ns.sizes.pad, base, free, text.End)
	return w
}

// planHeadNote writes at the right end of a node's head how many entries have no place, and what it lacks of its
// primary's entries, that it has been restarted, or which open transactions are shown nowhere else.
func (ns *nodes) planHeadNote(at, node int, y *remoteSystem, r *view.Remote, base, free, aside float64) {
	f := ns.f
	p, a := &ns.remotes[at], f.Sizes.Small
	right, room := p.Right()-ns.sizes.pad-aside, free-aside
	if hidden := y.more + max(0, y.until-y.from-y.cols*y.rows); hidden > 0 {
		says := f.Hidden("scene.more", hidden, a, room)
		p.more = text.At(says, right, base, a, text.End, text.InkSoft, room)
		taken := a.Width(p.more.Text) + a.Size*0.6
		right, room = right-taken, room-taken
	}
	if n := ns.lacking(node, y); n > 0 && r.Replica {
		a = f.Sizes.Note
		number := f.Num(int64(n)).Label()
		says := f.Phrase("scene.lacks", number)
		fits := a.Fit(room, says, f.Phrase("scene.lacks.short", number), f.Say("−", number).Label())
		p.note = text.At(fits, right, base, a, text.End, text.InkSignal, room)
		first := len(f.Marks)
		f.Labelled(mark.Lacks, p.id, number, &p.note)
		f.Saying(first, says)
		return
	}
	if r.Back > 0 && !r.Down {
		says := f.Phrase("scene.node.restarted")
		if a.Width(says) > room && (p.clock.R == 0 || aside > 0) { // below what it holds
			base, right, room = p.Bottom()-ns.sizes.pad, p.Right()-ns.sizes.pad, p.W-2*ns.sizes.pad
		}
		p.note = text.At(a.Fit(room, says), right, base, a, text.End, text.InkSignal, room)
		f.Labelled(mark.Restarted, p.id, "", &p.note)
		return
	}
	if says := ns.openTxs(event.Node(node + 1)); says != "" {
		p.note = text.At(f.Phrases(says, a, room), right, base, a, text.End, text.InkPlain, room)
		if len(p.note.Text) <= len("…") {
			p.note.Text = ""
		}
		first := len(f.Marks)
		f.Labelled(mark.Open, p.id, "", &p.note)
		f.Saying(first, says)
	}
}

// lacking counts the entries in which a replica differs from its primary.
func (h *Holdings) lacking(node int, y *remoteSystem) (n int) {
	nodes := h.f.State.Remotes.Nodes
	primary := nodes[node].Primary.Number() - 1
	if primary < y.first || primary >= y.first+y.nodes || nodes[node].Down || nodes[primary].Down {
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
func (h *Holdings) entryAt(node, k int) *view.Entry {
	if i := h.cells[node*len(h.items)+k]; i > 0 {
		return &h.f.State.Remotes.Entries[i-1]
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
	f := ns.f
	var says [mostTxs]string
	n := 0
	for i := range f.State.Remotes.Txs {
		t := &f.State.Remotes.Txs[i]
		if c := f.Client(t.Client); !t.Over && t.Node == node && c >= 0 && n < mostTxs &&
			ns.txs[sessionKey{t.Node, t.Session}] >= 0 {
			says[n] = f.Filled("scene.tx.of", text.Letter(c), f.Since(t.Since))
			n++
		}
	}
	for i, one := range says[:n] {
		if i > 0 {
			f.Say(" · ")
		}
		f.Say(one)
	}
	return f.Label()
}

// mostTxs is the maximum number of transactions named at the head of a node.
const mostTxs = 8

// planFollowing plans lines from a primary to its replicas, above them.
func (ns *nodes) planFollowing(y *remoteSystem) {
	f := ns.f
	z := &ns.sizes
	for node := y.first; node < y.first+y.nodes; node++ {
		r := &f.State.Remotes.Nodes[node]
		primary := r.Primary.Number() - 1
		if !r.Replica || primary < y.first || primary >= y.first+y.nodes || primary == node {
			continue
		}
		from, to := ns.boxes[primary].MidX(), ns.boxes[node].MidX()
		level := z.top - z.track/2 - 1
		f.Wire(from, z.top, from, level, paint.StraightWire)
		f.Wire(from, level, to, level, paint.StraightWire)
		f.Wire(to, level, to, z.top, paint.StraightWire)
		tip := min(4*max(f.Sizes.K, 0.7), z.track/3)
		f.Wire(to-tip, z.top-tip-1, to, z.top-1, paint.StraightWire)
		f.Wire(to+tip, z.top-tip-1, to, z.top-1, paint.StraightWire)
	}
}

// planBetween plans the messages from primaries to their replicas.
func (t *traffic) planBetween() {
	f := t.f
	z := &t.sizes
	for i := range f.State.Flights.List {
		m := &f.State.Flights.List[i]
		if m.From.Kind() != event.ANode || m.To.Kind() != event.ANode {
			continue
		}
		from, _ := t.drawn(m.From)
		to, _ := t.drawn(m.To)
		part, seen := f.Progress(m)
		if from < 0 || to < 0 || !seen || z.track == 0 {
			continue
		}
		p := message.Letter{Right: to > from, Look: message.LetterAsks, Lost: m.Dropped, Alpha: 1}
		if m.Dropped && !f.Options.Still {
			f.Moving = true
			p.Alpha = 1 - f.Passed(m.OverAt, floor.CrossFor)
		}
		p.X = geom.Mix(t.boxes[from].MidX(), t.boxes[to].MidX(), part)
		p.Y = z.top - z.track/2 - 1
		_, word := f.Command(m.Text)
		t.letters.WordLetter(&p, word)
		r := p.Rect
		if r.W == 0 {
			r = geom.Around(p.X, p.Y, t.letters.LetterDot())
		}
		first := len(f.Marks)
		receiver := f.ActorID(m.To)
		f.Shows(mark.Between, f.ActorID(m.From), f.Say(m.Op.String(), " ", receiver).Label(), r)
		f.Saying(first, f.Phrase("scene.server.message", word, receiver))
		t.letters.List = append(t.letters.List, p)
	}
}
