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
	*floor.Floor
	held     *remote.Holdings
	watchful map[string]bool // parents of znodes whose owner watches its predecessor
	watched  bool            // watchful is up to date
}

// data returns the facts to write about a client, the most important first. What its ring shows comes last.
func (f *facts) data(i int) (list [6]datum, n int) {
	c := &f.State.Clients[i]
	add := func(d datum) {
		if d.long != "" && n < len(list) {
			list[n] = d
			n++
		}
	}
	if f.Kind == floor.RemoteKind {
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
		s := f.Num(c.Belief.Fence).Label()
		knows := f.Filled(floor.ItsPhase+string(program.Saw), s)
		add(datum{mark.Has, s, knows, knows})
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
	return c.Crashed || c.Paused || !c.Linked || f.Severed(c) || f.Behind(c)
}

// session says how long a client's session lasts if the client stays silent.
func (f *facts) session(c *view.Client) datum {
	_, left, ok := f.Left(c)
	if !ok {
		return datum{}
	}
	short := f.Seconds(left)
	long := f.Phrase("scene.session", short)
	switch {
	case f.IsForeign(c):
		long = f.Phrase("scene.yours", short)
	case !c.Linked && floor.Spoke(c) || f.Severed(c): // the client counts on its own clock
		long = f.Phrase("scene.session.server", short)
	case f.Behind(c):
		long = f.Phrase("scene.session.leader", short)
	}
	return datum{mark.Session, f.Tenths(c), long, short}
}

// patience says after how long a waiting client gives up.
func (f *facts) patience(c *view.Client) datum {
	blocked := c.Blocked && !c.Paused && !c.Crashed && !c.Exited
	if f.State.Header.Drawing.Shows != event.ShowPatience || !blocked || c.Patience <= 0 {
		return datum{}
	}
	at := f.At
	if f.State.Ended {
		at = f.State.At
	}
	rest := max(c.BlockedAt+c.Patience-at, 0)
	if rest > 0 && !f.Options.Still && !f.State.Ended {
		f.Moving = true
	}
	left := f.Seconds(rest.Seconds())
	return datum{mark.Patience, left, f.Phrase("scene.patience", left), f.Phrase("scene.patience.short", left)}
}

// back says that a client has reconnected with its session intact.
func (f *facts) back(c *view.Client) datum {
	if c.BackAt == 0 || !c.Linked || c.Paused || f.Severed(c) || c.Ended != view.Alive || !f.Lasts(c.BackAt, backFor) {
		return datum{}
	}
	return datum{mark.Back, "", f.Phrase("scene.back"), f.Phrase("scene.back.short")}
}

// unwatched says that a client waits without a watch on its predecessor, going by the watches that servers report. If
// no client in the queue watches its predecessor, all may use child watches, which servers don't report.
func (f *facts) unwatched(i int) datum {
	if !f.Observed || f.Owned[i] < 0 || f.State.Asked == 0 {
		return datum{}
	}
	n := &f.State.Nodes[f.Owned[i]]
	ahead := f.State.Kin(n.Path).After
	if f.State.WatchesAhead(event.Actor(i+1), n, ahead) != view.WatchLacks || !f.watchfulOnes()[text.Parent(n.Path)] {
		return datum{}
	}
	return datum{mark.Unwatched, ahead, f.Phrase("scene.unwatched"), f.Phrase("scene.unwatched.short")}
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
	for i, own := range f.Owned {
		if own < 0 {
			continue
		}
		n := &f.State.Nodes[own]
		if f.State.WatchesAhead(event.Actor(i+1), n, f.State.Kin(n.Path).After) == view.WatchThere {
			f.watchful[text.Parent(n.Path)] = true
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
	if f.State.Header.Drawing.Shows != event.ShowReads || c.Crashed || c.Exited || r.Op == event.NoOp {
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
		return datum{mark.Has, value, f.Phrase("scene.has", value), value}
	case r.There:
		value = f.nameIn(r.Path)
		return datum{mark.Has, value, f.Phrase("scene.saw-there", value), f.Phrase("scene.there")}
	}
	return datum{mark.Has, "not there", f.Phrase("scene.saw-missing", f.nameIn(r.Path)), f.Phrase("scene.not-there")}
}

// nameIn returns the name of a znode for a sentence.
func (f *facts) nameIn(path string) string {
	if event.Number(path) >= 0 {
		return f.Padded(event.Number(path)).Label()
	}
	return f.Cut(text.Base(path), f.Sizes.Small, f.Sizes.Small.Size*9)
}

// unread counts the values that others have published and a client has not read.
func (f *facts) unread(c *view.Client) datum {
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
	return datum{mark.Unread, s, f.Phrase("scene.unread", s), s}
}

// pending counts the events that have reached a client and that it has not processed yet.
func (cs *Clients) pending(i int) (n int) {
	for k := range cs.State.Watches {
		w := &cs.State.Watches[k]
		if cs.Client(w.Client) == i && w.Pending() && !cs.Lasts(w.OverAt, floor.Flight(w.Flight)) {
			n++
		}
	}
	return n
}
