package check

import (
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// noLostUpdate compares each write of an entry with the version from which its client computed it: the one that it
// reported as seen, the number that it is inside with, or its own last write. If another client's change was
// committed in between, the client overwrites it without knowing.
//
// If a client has not reported what it saw, the system itself computes the write, in one step. Versions are the
// system's own: entries without a version are not judged, nor is what was lost with its node.
type noLostUpdate struct {
	seen map[clientPath]int64 // the version that each client starts from
	now  map[rowAt]entryState // the committed versions
}

// rowAt is an entry at a node.
type rowAt struct {
	node event.Actor
	path string
}

// entryState is an entry's version, with its writer and time.
type entryState struct {
	number int64
	by     event.Actor
	at     time.Duration
}

func newNoLostUpdate() *noLostUpdate {
	return &noLostUpdate{seen: make(map[clientPath]int64), now: make(map[rowAt]entryState)}
}

func (*noLostUpdate) reads() []event.Kind {
	return []event.Kind{
		event.RecipePhase, event.EntrySet, event.EntryGone, event.TxEnded,
	}
}

func (u *noLostUpdate) append(c *Checker, e event.Event) {
	switch p := program.Phase(e.Text); {
	case e.Kind == event.RecipePhase && (p == program.Saw || p.Inside() && e.N > 0 && c.ownership != nil):
		u.seen[clientPath{e.Actor, e.Path}] = e.N
	case e.Actor.Kind() == event.ANode:
		for _, done := range c.commits.news {
			if done.Kind == event.EntrySet {
				u.write(c, done)
			} else {
				delete(u.now, rowAt{done.Actor, done.Path})
			}
		}
	}
}

func (u *noLostUpdate) write(c *Checker, e event.Event) {
	at := rowAt{e.Actor, e.Path}
	was := u.now[at]
	u.now[at] = entryState{e.Zxid, e.Peer, e.At}
	if e.Zxid <= was.number { // it is repeated or was restored: nothing is overwritten
		return
	}
	key := clientPath{e.Peer, e.Path}
	from, looked := u.seen[key]
	if !looked || !c.ownership.decidesAt(e.Actor) {
		return
	}
	u.seen[key] = e.Zxid
	if from >= was.number || was.by == e.Peer || !isClient(was.by) {
		return
	}
	c.violate(broken(promise.NoLostUpdate, e, []event.Actor{e.Peer, was.by}, sentence.Of("broken.no-lost-update",
		sentence.Client(e.Peer), sentence.Time(e.At), sentence.Path(e.Path), sentence.Number(from),
		sentence.Client(was.by), sentence.Number(was.number), sentence.Time(was.at))))
}
