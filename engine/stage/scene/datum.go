package scene

import (
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

// facts finds what is to be said about a client.
type facts struct {
	*floor
	held     *holdings
	watchful map[string]bool // parents of znodes whose owner watches its predecessor
	watched  bool            // watchful is up to date
}

// data returns the facts to write about a client, the most important first. What its ring shows comes last.
func (f *facts) data(i int) (list [6]datum, n int) {
	c := &f.s.Clients[i]
	add := func(d datum) {
		if d.long != "" && n < len(list) {
			list[n] = d
			n++
		}
	}
	if f.kind == remoteKind {
		add(f.kept(c))
		add(f.called(c))
		add(f.tries(c))
		add(f.nodesHeld(i))
		add(f.hold(i))
		add(f.has(c))
		return list, n
	}
	add(f.back(c))
	add(f.patience(c))
	add(f.unwatched(i))
	if c.Paused && c.Belief.Phase == program.Saw { // its state hides what it knows
		s := f.num(c.Belief.Fence).label()
		knows := f.filled(itsPhase+string(program.Saw), s)
		add(datum{HasMark, s, knows, knows})
	}
	if f.ill(c) {
		add(f.session(c))
	}
	add(f.unread(c))
	add(f.has(c))
	if !f.ill(c) {
		add(f.session(c))
	}
	return list, n
}

// ill reports whether a client's session may end soon.
func (f *facts) ill(c *view.Client) bool {
	return c.Crashed || c.Paused || !c.Linked || f.severed(c) || f.behind(c)
}

// session says how long a client's session lasts if the client stays silent.
func (f *facts) session(c *view.Client) datum {
	_, left, ok := f.left(c)
	if !ok {
		return datum{}
	}
	short := f.seconds(left)
	long := f.phrase("scene.session", short)
	switch {
	case f.isForeign(c):
		long = f.phrase("scene.yours", short)
	case !c.Linked && spoke(c) || f.severed(c): // the client counts on its own clock
		long = f.phrase("scene.session.server", short)
	case f.behind(c):
		long = f.phrase("scene.session.leader", short)
	}
	return datum{SessionMark, f.tenths(c), long, short}
}

// tenths returns the part of a client's session that is left, with one decimal.
func (t *cast) tenths(c *view.Client) string {
	part, _, _ := t.left(c)
	return t.tenthsOf(part)
}

// patience says after how long a waiting client gives up.
func (f *facts) patience(c *view.Client) datum {
	blocked := c.Blocked && !c.Paused && !c.Crashed && !c.Exited
	if f.s.Header.Drawing.Shows != event.ShowPatience || !blocked || c.Patience <= 0 {
		return datum{}
	}
	at := f.at
	if f.s.Ended {
		at = f.s.At
	}
	rest := max(c.BlockedAt+c.Patience-at, 0)
	if rest > 0 && !f.o.Still && !f.s.Ended {
		f.moving = true
	}
	left := f.seconds(rest.Seconds())
	return datum{PatienceMark, left, f.phrase("scene.patience", left), f.phrase("scene.patience.short", left)}
}

// back says that a client has reconnected with its session intact.
func (f *facts) back(c *view.Client) datum {
	if c.BackAt == 0 || !c.Linked || c.Paused || f.severed(c) || c.Ended != view.Alive || !f.lasts(c.BackAt, backFor) {
		return datum{}
	}
	return datum{BackMark, "", f.phrase("scene.back"), f.phrase("scene.back.short")}
}

// unwatched says that a client waits without a watch on its predecessor, going by the watches that servers report. If
// no client in the queue watches its predecessor, all may use child watches, which servers don't report.
func (f *facts) unwatched(i int) datum {
	if !f.observed || f.owned[i] < 0 || f.s.Asked == 0 {
		return datum{}
	}
	n := &f.s.Nodes[f.owned[i]]
	ahead := f.s.Kin(n.Path).After
	if f.s.WatchesAhead(event.Actor(i+1), n, ahead) != view.WatchLacks || !f.watchfulOnes()[parent(n.Path)] {
		return datum{}
	}
	return datum{UnwatchedMark, ahead, f.phrase("scene.unwatched"), f.phrase("scene.unwatched.short")}
}

// watchfulOnes returns the znodes below which some client watches its predecessor.
func (f *facts) watchfulOnes() map[string]bool {
	if f.watched {
		return f.watchful
	}
	f.watched = true
	if f.watchful == nil {
		f.watchful = map[string]bool{}
	}
	clear(f.watchful)
	for i, own := range f.owned {
		if own < 0 {
			continue
		}
		n := &f.s.Nodes[own]
		if f.s.WatchesAhead(event.Actor(i+1), n, f.s.Kin(n.Path).After) == view.WatchThere {
			f.watchful[parent(n.Path)] = true
		}
	}
	return f.watchful
}

// backFor is how long a client is shown as reconnected.
const backFor = 2500 * time.Millisecond

// has says what a client last read, if the recipe depends on that.
func (f *facts) has(c *view.Client) datum {
	r := &c.Learnt
	if c.Value.Op != event.NoOp {
		r = &c.Value
	}
	if f.s.Header.Drawing.Shows != event.ShowReads || c.Crashed || c.Exited || r.Op == event.NoOp {
		return datum{}
	}
	var value string
	switch {
	case r.Op == event.Children && r.There:
		value = f.grouped(int(r.Names))
		if f.kind == barrierKind {
			value = f.of(int(r.Names))
		}
		return datum{HasMark, value, f.phrase("scene.counted", value), value}
	case r.There && (r.Op == event.Get || r.Op == event.Set || r.Op == event.Multi):
		if value = r.Data; value == "" {
			value = f.phrase("scene.nothing")
		}
		value = f.cut(value, f.m.small, f.m.small.size*9)
		return datum{HasMark, value, f.phrase("scene.has", value), value}
	case r.There:
		value = f.nameIn(r.Path)
		return datum{HasMark, value, f.phrase("scene.saw-there", value), f.phrase("scene.there")}
	}
	return datum{HasMark, "not there", f.phrase("scene.saw-missing", f.nameIn(r.Path)), f.phrase("scene.not-there")}
}

// nameIn returns the name of a znode for a sentence.
func (f *facts) nameIn(path string) string {
	if event.Number(path) >= 0 {
		return f.padded(event.Number(path)).label()
	}
	return f.cut(base(path), f.m.small, f.m.small.size*9)
}

// unread counts the values that others have published and a client has not read.
func (f *facts) unread(c *view.Client) datum {
	if c.Belief.Phase != program.Saw || c.Crashed || c.Exited {
		return datum{}
	}
	newest := c.Belief.Fence
	for i := range f.s.Clients {
		if b := &f.s.Clients[i].Belief; b.Phase == program.Published && b.Path == c.Belief.Path {
			newest = max(newest, b.Fence)
		}
	}
	if newest == c.Belief.Fence {
		return datum{}
	}
	s := f.num(newest - c.Belief.Fence).label()
	return datum{UnreadMark, s, f.phrase("scene.unread", s), s}
}

// of writes n as a part of all clients.
func (g *setting) of(n int) string {
	some := g.grouped(n)
	all := g.grouped(max(g.s.Header.Clients, len(g.s.Clients)))
	return g.phrase("scene.of", some, all)
}

// severed reports whether a fault blocks a client's messages.
func (g *setting) severed(c *view.Client) bool { return g.at < c.CutUntil && g.lasts(0, c.CutUntil) }

// lasts reports whether the time from since, of length dur, isn't over yet. If so, it marks the picture as moving.
func (g *setting) lasts(since, dur time.Duration) bool {
	if g.at >= since+dur {
		return false
	}
	g.moving = g.moving || !g.o.Still && !g.s.Ended
	return true
}

// refused reports whether a client's request has just been refused because the node exists.
func (t *cast) refused(c *view.Client) bool {
	r := &c.Refused
	return r.At > 0 && !c.Blocked && !c.Belief.Phase.Inside() && r.Code == int32(zoo.ErrNodeExists) &&
		t.lasts(r.At, refusedFor)
}

// refusedFor is how long a client is shown as refused.
const refusedFor = 900 * time.Millisecond

// made returns a znode's creation time in seconds, with milliseconds, as its ctime has it.
func (z *znodes) made(n *view.Node) string {
	ms := madeAt(n)
	z.num(ms / 1000).say(".")
	for limit := int64(100); limit > 1 && ms%1000 < limit; limit /= 10 {
		z.say("0")
	}
	return z.num(ms % 1000).label()
}

// madeAt returns a znode's creation time in milliseconds.
func madeAt(n *view.Node) int64 {
	if n.Made > 0 {
		return n.Made % 3_600_000
	}
	return n.Created.Milliseconds()
}

// pending counts the events that have reached a client and that it has not processed yet.
func (cs *clients) pending(i int) (n int) {
	for k := range cs.s.Watches {
		w := &cs.s.Watches[k]
		if cs.client(w.Client) == i && w.Pending() && !cs.lasts(w.OverAt, flight(w.Flight)) {
			n++
		}
	}
	return n
}
