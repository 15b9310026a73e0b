package check

import (
	"strings"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// fenced knows which holder last wrote to a store. Holders are ordered by the creation of their znodes, or by when
// another system granted them what they hold: that is the server's own order, whatever the clients believe and
// whatever numbers they carry. A system that can forget may give two holders the same number. No store can tell
// them apart, so a store that accepts both breaks the rule, in either order.
type fenced struct {
	made   map[event.Actor][]znode // the last few that each client created
	terms  map[event.Actor]term    // each client's latest as a holder
	stores map[string]storeState
}

type znode struct {
	path string
	zxid int64
}

// term records that a client holds something.
type term struct {
	rank     int64
	external bool // according to another system
}

// storeState is the last write of a holder that a store accepted.
type storeState struct {
	term
	by     event.Actor
	number int64
}

// maxMade is how many znodes of a client are remembered: more than a recipe creates between queueing and getting in.
const maxMade = 16

func newFenced() *fenced {
	return &fenced{
		made: make(map[event.Actor][]znode), terms: make(map[event.Actor]term), stores: make(map[string]storeState),
	}
}

func (*fenced) reads() []event.Kind {
	return []event.Kind{
		event.ZnodeCreated, event.EntrySet, event.LockTaken, event.RecipePhase, event.StoreWritten,
	}
}

func (f *fenced) append(c *Checker, e event.Event) {
	switch {
	case e.Kind == event.ZnodeCreated && c.client(e.Peer) != nil:
		f.create(e, e.Zxid)
	case (e.Kind == event.EntrySet || e.Kind == event.LockTaken) && c.client(e.Peer) != nil:
		f.create(e, c.ownership.order(e))
	case e.Kind == event.RecipePhase && inside(e) && program.Phase(e.Text) != program.Reading:
		f.terms[e.Actor] = f.rank(c, e)
	case e.Kind == event.StoreWritten:
		f.write(c, e)
	}
}

func inside(e event.Event) bool { return program.Phase(e.Text).Inside() }

// create records what a client created, and its place in the order of its system.
func (f *fenced) create(e event.Event, order int64) {
	list := f.made[e.Peer]
	if len(list) == maxMade {
		list = append(list[:0], list[1:]...)
	}
	f.made[e.Peer] = append(list, znode{e.Path, order})
}

// rank returns the zxid that created the holder's znode; for a holder without one, the latest. At a node of another
// system it is when that granted what the client holds, whatever number it gave.
func (f *fenced) rank(c *Checker, e event.Event) term {
	far := c.ownership != nil && c.ownership.decides(e.Actor, e.Path)
	if far {
		if at := c.ownership.grantedAt(e.Actor, e.Path); at > 0 {
			return term{at, true}
		}
		// It lost it before it learned that it had it.
	}
	list := f.made[e.Actor]
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].path == e.Path {
			return term{list[i].zxid, far}
		}
	}
	return term{c.zxid, far}
}

func (f *fenced) write(c *Checker, e event.Event) {
	now, holder := f.terms[e.Actor]
	if !holder {
		return
	}
	if strings.HasPrefix(e.Path, "/") { // the store has the name of what its holders hold; they may hold other things, too
		now = f.rank(c, e)
	}
	last := f.stores[e.Path]
	if now.rank >= last.rank {
		if now.external && last.external && e.N != 0 && e.N == last.number && e.Actor != last.by {
			v := broken(promise.Fenced, e, []event.Actor{e.Actor, last.by}, sentence.Of("broken.fenced.same",
				sentence.Text(e.Path), sentence.Client(e.Actor), sentence.Time(e.At), sentence.Client(last.by),
				sentence.Number(e.N)))
			v.How = promise.Same
			c.violate(v)
		}
		f.stores[e.Path] = storeState{now, e.Actor, e.N}
		return
	}
	say := sentence.Of("broken.fenced",
		sentence.Text(e.Path), sentence.Client(e.Actor), sentence.Time(e.At), sentence.Client(last.by))
	if p := c.client(e.Actor); p != nil && p.session == expired {
		say.Key, say.Args = "broken.fenced.expired", append(say.Args, sentence.Time(p.endedAt))
	}
	c.violate(broken(promise.Fenced, e, []event.Actor{e.Actor, last.by}, say))
}
