package scene

import (
	"strconv"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// datum is one fact to write below a client's word, in a long and a short form.
type datum struct {
	kind        MarkKind
	value       string
	long, short string
}

// data returns the facts to write about a client, the most important first. What its ring shows comes last.
func (l *Layout) data(i int) (list [6]datum, n int) {
	c := &l.s.Clients[i]
	add := func(d datum) {
		if d.long != "" && n < len(list) {
			list[n] = d
			n++
		}
	}
	if l.kind == remoteKind {
		add(l.kept(c))
		add(l.called(c))
		add(l.tries(c))
		add(l.nodesHeld(i))
		add(l.hold(i))
		add(l.has(c))
		return list, n
	}
	add(l.back(c))
	add(l.patience(c))
	add(l.unwatched(i))
	if c.Paused && c.Belief.Phase == program.Saw { // its state hides what it knows
		s := l.num(c.Belief.Fence).label()
		knows := l.filled(itsPhase+string(program.Saw), s)
		add(datum{HasMark, s, knows, knows})
	}
	if l.ill(c) {
		add(l.session(c))
	}
	add(l.unread(c))
	add(l.has(c))
	if !l.ill(c) {
		add(l.session(c))
	}
	return list, n
}

// ill reports whether a client's session may end soon.
func (l *Layout) ill(c *view.Client) bool {
	return c.Crashed || c.Paused || !c.Linked || l.severed(c) || l.behind(c)
}

// session says how long a client's session lasts if the client stays silent.
func (l *Layout) session(c *view.Client) datum {
	_, left, ok := l.left(c)
	if !ok {
		return datum{}
	}
	short := l.seconds(left)
	long := l.phrase("scene.session", short)
	switch {
	case l.isForeign(c):
		long = l.phrase("scene.yours", short)
	case !c.Linked && spoke(c) || l.severed(c): // the client counts on its own clock
		long = l.phrase("scene.session.server", short)
	case l.behind(c):
		long = l.phrase("scene.session.leader", short)
	}
	return datum{SessionMark, l.tenths(c), long, short}
}

// tenths returns the part of a client's session that is left, with one decimal.
func (l *Layout) tenths(c *view.Client) string {
	part, _, _ := l.left(c)
	l.buf = strconv.AppendFloat(l.buf, part, 'f', 1, 64)
	return l.label()
}

// patience says after how long a waiting client gives up.
func (l *Layout) patience(c *view.Client) datum {
	blocked := c.Blocked && !c.Paused && !c.Crashed && !c.Exited
	if l.s.Header.Drawing.Shows != event.ShowPatience || !blocked || c.Patience <= 0 {
		return datum{}
	}
	at := l.at
	if l.s.Ended {
		at = l.s.At
	}
	rest := max(c.BlockedAt+c.Patience-at, 0)
	if rest > 0 && !l.o.Still && !l.s.Ended {
		l.p.Moving = true
	}
	left := l.seconds(rest.Seconds())
	return datum{PatienceMark, left, l.phrase("scene.patience", left), l.phrase("scene.patience.short", left)}
}

// back says that a client has reconnected with its session intact.
func (l *Layout) back(c *view.Client) datum {
	if c.BackAt == 0 || !c.Linked || c.Paused || l.severed(c) || c.Ended != view.Alive || !l.lasts(c.BackAt, backFor) {
		return datum{}
	}
	return datum{BackMark, "", l.phrase("scene.back"), l.phrase("scene.back.short")}
}

// unwatched says that a client waits without a watch on its predecessor, going by the watches that servers report. If
// no client in the queue watches its predecessor, all may use child watches, which servers don't report.
func (l *Layout) unwatched(i int) datum {
	if !l.observed || l.owned[i] < 0 || l.s.Asked == 0 {
		return datum{}
	}
	n := &l.s.Nodes[l.owned[i]]
	ahead := l.s.Kin(n.Path).After
	if l.s.WatchesAhead(event.Actor(i+1), n, ahead) != view.WatchLacks || !l.watchfulOnes()[parent(n.Path)] {
		return datum{}
	}
	return datum{UnwatchedMark, ahead, l.phrase("scene.unwatched"), l.phrase("scene.unwatched.short")}
}

// watchfulOnes returns the znodes below which some client watches its predecessor.
func (l *Layout) watchfulOnes() map[string]bool {
	if l.watched {
		return l.watchful
	}
	l.watched = true
	if l.watchful == nil {
		l.watchful = map[string]bool{}
	}
	clear(l.watchful)
	for i, own := range l.owned {
		if own < 0 {
			continue
		}
		n := &l.s.Nodes[own]
		if l.s.WatchesAhead(event.Actor(i+1), n, l.s.Kin(n.Path).After) == view.WatchThere {
			l.watchful[parent(n.Path)] = true
		}
	}
	return l.watchful
}

// backFor is how long a client is shown as reconnected.
const backFor = 2500 * time.Millisecond

// has says what a client last read, if the recipe depends on that.
func (l *Layout) has(c *view.Client) datum {
	r := &c.Learnt
	if c.Value.Op != event.NoOp {
		r = &c.Value
	}
	if l.s.Header.Drawing.Shows != event.ShowReads || c.Crashed || c.Exited || r.Op == event.NoOp {
		return datum{}
	}
	var value string
	switch {
	case r.Op == event.Children && r.There:
		value = l.grouped(int(r.Names))
		if l.kind == barrierKind {
			value = l.of(int(r.Names))
		}
		return datum{HasMark, value, l.phrase("scene.counted", value), value}
	case r.There && (r.Op == event.Get || r.Op == event.Set || r.Op == event.Multi):
		if value = r.Data; value == "" {
			value = l.phrase("scene.nothing")
		}
		value = l.cut(value, l.m.small, l.m.small.size*9)
		return datum{HasMark, value, l.phrase("scene.has", value), value}
	case r.There:
		value = l.nameIn(r.Path)
		return datum{HasMark, value, l.phrase("scene.saw-there", value), l.phrase("scene.there")}
	}
	return datum{HasMark, "not there", l.phrase("scene.saw-missing", l.nameIn(r.Path)), l.phrase("scene.not-there")}
}

// nameIn returns the name of a znode for a sentence.
func (l *Layout) nameIn(path string) string {
	if event.Number(path) >= 0 {
		return l.padded(event.Number(path)).label()
	}
	return l.cut(base(path), l.m.small, l.m.small.size*9)
}

// unread counts the values that others have published and a client has not read.
func (l *Layout) unread(c *view.Client) datum {
	if c.Belief.Phase != program.Saw || c.Crashed || c.Exited {
		return datum{}
	}
	newest := c.Belief.Fence
	for i := range l.s.Clients {
		if b := &l.s.Clients[i].Belief; b.Phase == program.Published && b.Path == c.Belief.Path {
			newest = max(newest, b.Fence)
		}
	}
	if newest == c.Belief.Fence {
		return datum{}
	}
	s := l.num(newest - c.Belief.Fence).label()
	return datum{UnreadMark, s, l.phrase("scene.unread", s), s}
}

// of writes n as a part of all clients.
func (l *Layout) of(n int) string {
	some := l.grouped(n)
	all := l.grouped(max(l.s.Header.Clients, len(l.s.Clients)))
	return l.phrase("scene.of", some, all)
}

// severed reports whether a fault blocks a client's messages.
func (l *Layout) severed(c *view.Client) bool { return l.at < c.CutUntil && l.lasts(0, c.CutUntil) }

// lasts reports whether the time from since, of length dur, isn't over yet. If so, it marks the picture as moving.
func (l *Layout) lasts(since, dur time.Duration) bool {
	if l.at >= since+dur {
		return false
	}
	l.p.Moving = l.p.Moving || !l.o.Still && !l.s.Ended
	return true
}

// refused reports whether a client's request has just been refused because the node exists.
func (l *Layout) refused(c *view.Client) bool {
	r := &c.Refused
	return r.At > 0 && !c.Blocked && !c.Belief.Phase.Inside() && r.Code == int32(zoo.ErrNodeExists) &&
		l.lasts(r.At, refusedFor)
}

// refusedFor is how long a client is shown as refused.
const refusedFor = 900 * time.Millisecond

// made returns a znode's creation time in seconds, with milliseconds, as its ctime has it.
func (l *Layout) made(n *view.Node) string {
	ms := madeAt(n)
	l.num(ms / 1000).say(".")
	for limit := int64(100); limit > 1 && ms%1000 < limit; limit /= 10 {
		l.say("0")
	}
	return l.num(ms % 1000).label()
}

// madeAt returns a znode's creation time in milliseconds.
func madeAt(n *view.Node) int64 {
	if n.Made > 0 {
		return n.Made % 3_600_000
	}
	return n.Created.Milliseconds()
}

// pending counts the events that have reached a client and that it has not processed yet.
func (l *Layout) pending(i int) (n int) {
	for k := range l.s.Watches {
		w := &l.s.Watches[k]
		if l.client(w.Client) == i && w.Pending() && !l.lasts(w.OverAt, flight(w.Flight)) {
			n++
		}
	}
	return n
}
