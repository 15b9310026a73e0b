package client

import (
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/stage/scene/floor"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
	"github.com/zkviz/zkviz/engine/stage/scene/remote"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// datum is one fact to write below a client's word, in a long and a short form.
type datum struct {
	kind        mark.Kind
	value       string
	long, short string
}

// facts finds what is to be said about a client.
type facts struct {
	f        *floor.Floor
	held     *remote.Holdings
	watchful map[string]bool // parents of znodes whose owner watches its predecessor
	watched  bool            // watchful is up to date
}

// data returns the facts to write about a client, the most important first. What its ring shows comes last.
func (fa *facts) data(i int) (list [6]datum, n int) {
	f := fa.f
	c := &f.State.Clients[i]
	add := func(d datum) {
		if d.long != "" && n < len(list) {
			list[n] = d
			n++
		}
	}
	add(fa.woken(c))
	if f.Kind == floor.RemoteKind {
		add(fa.kept(c))
		add(fa.called(c))
		add(fa.role(c))
		add(fa.tries(c))
		add(fa.nodesHeld(i))
		add(fa.hold(i))
		add(fa.lost(i))
		add(fa.has(c))
		return list, n
	}
	add(fa.logged(c))
	add(fa.stopped(c))
	add(fa.back(c))
	add(fa.role(c))
	add(fa.noted(c))
	add(fa.patience(c))
	add(fa.unwatched(i))
	if c.Paused && c.Belief.Phase == program.Saw { // its state hides what it knows
		s := f.Num(c.Belief.Fence).Label()
		knows := f.Word(c, floor.ItsPhase)
		add(datum{mark.Has, s, knows, knows})
	}
	if fa.ill(c) {
		add(fa.session(c))
	}
	add(fa.unread(c))
	add(fa.has(c))
	if !fa.ill(c) {
		add(fa.session(c))
	}
	return list, n
}

// woken says how often a client was woken, in a step about the run's totals.
func (fa *facts) woken(c *view.Client) datum {
	f, w := fa.f, fa.f.Options.Without
	if c.Woken == 0 || f.Visitors || f.Observed || w&mark.TotalsFigure != 0 || w&mark.ZxidFigure == 0 {
		return datum{}
	}
	s := f.Count("scene.wakeups", c.Woken)
	return datum{mark.Wakeups, f.Num(int64(c.Woken)).Label(), s, s}
}

// stopped says that a client's program is over, if its word is about its session.
func (fa *facts) stopped(c *view.Client) datum {
	if !c.Exited || c.Ended != view.Expired {
		return datum{}
	}
	word := fa.f.Phrase("scene.stopped")
	return datum{mark.State, "stopped", word, word}
}

// ill reports whether a client's session may end soon.
func (fa *facts) ill(c *view.Client) bool {
	f := fa.f
	return c.Crashed || c.Paused || !c.Linked || f.Severed(c) || f.Behind(c)
}

// session says how long a client's session lasts if the client stays silent.
func (fa *facts) session(c *view.Client) datum {
	f := fa.f
	_, left, ok := f.Left(c)
	if !ok || f.Options.Without&mark.SessionTerm != 0 || fa.unasked(c) {
		return datum{}
	}
	short := f.Seconds(left)
	long := f.Phrase("scene.session", short)
	switch {
	case f.IsForeign(c):
		long = f.Phrase("scene.yours", short)
	case !c.Crashed && (!c.Linked && floor.Spoke(c) || f.Severed(c)): // the client counts on its own clock
		long = f.Phrase("scene.session.server", short)
	case f.Behind(c):
		long = f.Phrase("scene.session.leader", short)
	}
	return datum{mark.Session, f.Tenths(c), long, short}
}

// unasked reports whether a client's session, which lives, runs down at the leader only because servers don't hear each
// other, and the picture is of a step, which is about something else.
func (fa *facts) unasked(c *view.Client) bool {
	f := fa.f
	step := len(f.Options.Focus) > 0 || f.Options.Without&mark.ZxidFigure != 0
	return step && c.Ended == view.Alive && !f.Stressed(c.Name) && c.Linked && !c.Paused && !f.Severed(c) && f.Behind(c)
}

// patience says after how long a waiting client gives up.
func (fa *facts) patience(c *view.Client) datum {
	f := fa.f
	blocked := c.Blocked && !c.Paused && !c.Crashed && !c.Exited
	if f.State.Header.Drawing.Shows != event.ShowPatience || !blocked || c.Patience <= 0 {
		return datum{}
	}
	rest := max(c.BlockedAt+c.Patience-f.ClockNow(), 0)
	if rest > 0 && !f.Options.Still && !f.State.Ended {
		f.Moving = true
	}
	left := f.Seconds(rest.Seconds())
	return datum{mark.Patience, left, f.Phrase("scene.patience", left), f.Phrase("scene.patience.short", left)}
}

// back says that a client has reconnected with its session intact.
func (fa *facts) back(c *view.Client) datum {
	f := fa.f
	if c.BackAt == 0 || !c.Linked || c.Paused || f.Severed(c) || c.Ended != view.Alive || !f.Lasts(c.BackAt, backFor) {
		return datum{}
	}
	return datum{mark.Back, "", f.Phrase("scene.back"), f.Phrase("scene.back.short")}
}

// role names the program that a client is, if the recipe depends on that.
func (fa *facts) role(c *view.Client) datum {
	if fa.f.State.Header.Drawing.Shows != event.ShowRoles || c.Role == "" {
		return datum{}
	}
	return datum{mark.Called, c.Role, c.Role, c.Role}
}

// shortNote is the greatest length of a note that is written below a client in a queue.
const shortNote = 12

// noted repeats what a client in a queue has noted, if it's short: where it finds itself.
func (fa *facts) noted(c *view.Client) datum {
	if fa.f.Routes.Tree || len(c.Note) > shortNote || c.Crashed || c.Exited {
		return datum{}
	}
	return datum{mark.Said, c.Note, c.Note, c.Note}
}

// logged says what a client's log says of the connection that it lost last, where a step is about logs.
func (fa *facts) logged(c *view.Client) datum {
	f, key, short := fa.f, "scene.log.lost", "scene.log.lost"
	switch c.Closed {
	case event.ConnLost, event.ConnHungUp:
	case event.ConnSilent:
		key, short = "scene.log.silent", "scene.log.silent.short"
	case event.BySessionExpired:
		key, short = "scene.log.over", "scene.expired"
	default:
		return datum{}
	}
	if !f.Stressed("log") {
		return datum{}
	}
	words := f.Phrase(key)
	return datum{mark.Said, words, f.Phrase("scene.server.log", words), f.Phrase("scene.server.log", f.Phrase(short))}
}

// unwatched says that a client waits without a watch on its predecessor, going by the watches that servers report. If
// no client in the queue watches its predecessor, all may use child watches, which servers don't report.
func (fa *facts) unwatched(i int) datum {
	f := fa.f
	if !f.Observed || f.Owned[i] < 0 || f.State.Watches.Asked == 0 {
		return datum{}
	}
	n := &f.State.Tree.Nodes[f.Owned[i]]
	ahead := f.State.Kin(n.Path).After
	if f.State.WatchesAhead(event.Actor(i+1), n, ahead) != view.WatchLacks || !fa.watchfulOnes()[text.Parent(n.Path)] {
		return datum{}
	}
	return datum{mark.Unwatched, ahead, f.Phrase("scene.unwatched"), f.Phrase("scene.unwatched.short")}
}

// watchfulOnes returns the znodes below which some client watches its predecessor.
func (fa *facts) watchfulOnes() map[string]bool {
	f := fa.f
	if fa.watched {
		return fa.watchful
	}
	fa.watched = true
	if fa.watchful == nil {
		fa.watchful = map[string]bool{}
	}
	clear(fa.watchful)
	for i, own := range f.Owned {
		if own < 0 {
			continue
		}
		n := &f.State.Tree.Nodes[own]
		if f.State.WatchesAhead(event.Actor(i+1), n, f.State.Kin(n.Path).After) == view.WatchThere {
			fa.watchful[text.Parent(n.Path)] = true
		}
	}
	return fa.watchful
}

// backFor is how long a client is shown as reconnected.
const backFor = 2500 * time.Millisecond

// has says what a client last read or wrote, if the recipe depends on that.
func (fa *facts) has(c *view.Client) datum {
	f := fa.f
	r := latest(c)
	if f.State.Header.Drawing.Shows != event.ShowReads || c.Crashed || c.Exited || r.Op == event.NoOp ||
		f.Kind == floor.QueueKind && r.Op == event.Children { // the queue itself shows how many are in it
		return datum{}
	}
	var value string
	switch {
	case r.Op == event.Children && r.There:
		value = f.Grouped(int(r.Names))
		if f.Kind == floor.BarrierKind {
			value = f.Of(int(r.Names))
		}
		return datum{mark.Has, value, f.Phrase("scene.counted", value), value}
	case r.There && (r.Op == event.Get || r.Op == event.Set || r.Op == event.Multi):
		if value = r.Data; value == "" {
			value = f.Phrase("scene.nothing")
		}
		value = f.Cut(value, f.Sizes.Small, f.Sizes.Small.Size*9)
		if f.Kind == floor.RemoteKind && r.Op == event.Get { // of a database: how many are left, by what it read
			return datum{mark.Has, value, f.Phrase("scene.read-left", f.Phrase("scene.tickets-left", value)), value}
		}
		key := "scene.has"
		if r.Op != event.Get { // it needn't ever have read that
			key = "scene.wrote"
		}
		long := f.Phrase(key, value)
		if fa.outdated(c, r) {
			old := f.Phrase("scene.old")
			long = f.Say(long, " · ", old).Label()
			return datum{mark.Has, value, long, f.Say(value, " · ", old).Label()}
		}
		return datum{mark.Has, value, long, value}
	case r.There:
		value = fa.nameIn(r.Path)
		return datum{mark.Has, value, f.Phrase("scene.saw-there", value), f.Phrase("scene.there")}
	}
	return datum{mark.Has, "not there", f.Phrase("scene.saw-missing", fa.nameIn(r.Path)), f.Phrase("scene.not-there")}
}

// latest returns what a client last read or wrote.
func latest(c *view.Client) *view.Learnt {
	if c.Value.Op != event.NoOp {
		return &c.Value
	}
	return &c.Learnt
}

// outdated reports whether a znode has had other data since a client read it. The client's own write doesn't count.
func (fa *facts) outdated(c *view.Client, r *view.Learnt) bool {
	n := fa.f.State.Tree.Node(r.Path)
	return r.Op == event.Get && n != nil && !n.Gone && n.Version > r.Version && c.Op != event.Set
}

// nameIn returns the name of a znode for a sentence.
func (fa *facts) nameIn(path string) string {
	f := fa.f
	if event.Number(path) >= 0 {
		return f.Padded(event.Number(path)).Label()
	}
	return f.Cut(text.Base(path), f.Sizes.Small, f.Sizes.Small.Size*9)
}

// unread counts the values that others have published and a client has not read.
func (fa *facts) unread(c *view.Client) datum {
	f := fa.f
	if c.Belief.Phase != program.Saw || c.Crashed || c.Exited {
		return datum{}
	}
	newest := c.Belief.Fence
	for i := range f.State.Clients {
		if b := &f.State.Clients[i].Belief; b.Phase == program.Published && b.Path == c.Belief.Path {
			newest = max(newest, b.Fence)
		}
	}
	if newest == c.Belief.Fence {
		return datum{}
	}
	s := f.Num(newest - c.Belief.Fence).Label()
	return datum{mark.Unread, s, f.Phrase("scene.unread", s), ""}
}

// pending counts the events that have reached a client and that it has not processed yet.
func (cs *Clients) pending(i int) (n int) {
	f := cs.f
	for k := range f.State.Watches.List {
		w := &f.State.Watches.List[k]
		if f.Client(w.Client) == i && w.Pending() && !f.Lasts(w.OverAt, floor.Flight(w.Flight)) {
			n++
		}
	}
	return n
}
