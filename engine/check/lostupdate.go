package check

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/program"
	"github.com/zkviz/zkviz/engine/sentence"
)

// noLostUpdate holds each write of an entry to the version that its client has reported as seen, or as the number that
// it is inside with: what it writes was computed from that, or from what it has written itself since. If another
// client's change was committed in between, that one is overwritten by somebody who never knew of it.
//
// A write by a client that has not reported what it saw is computed by the system itself, in one step. Versions are
// the system's own: entries without any are not judged, nor is what has got lost with its node.
type noLostUpdate struct {
	seen map[tenant]int64     // the version by which each client goes
	now  map[rowAt]entryState // what is committed
}

// rowAt is an entry at a node.
type rowAt struct {
	node event.Actor
	path string
}

// entryState is an entry's version, and who has made it when.
type entryState struct {
	number int64
	by     event.Actor
	at     time.Duration
}

func newNoLostUpdate() *noLostUpdate {
	return &noLostUpdate{seen: make(map[tenant]int64), now: make(map[rowAt]entryState)}
}

func (u *noLostUpdate) append(c *Checker, e event.Event) {
	switch p := program.Phase(e.Text); {
	case e.Kind == event.RecipePhase && (p == program.Saw || p.Inside() && e.N > 0 && c.tenure != nil):
		u.seen[tenant{e.Actor, e.Path}] = e.N
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
	if e.Zxid <= was.number { // it is said again, or was got back: nothing is overwritten
		return
	}
	key := tenant{e.Peer, e.Path}
	from, looked := u.seen[key]
	if !looked || !c.tenure.counts(e.Actor) {
		return
	}
	u.seen[key] = e.Zxid
	if from >= was.number || was.by == e.Peer || !isClient(was.by) {
		return
	}
	c.violate(broken(NoLostUpdate, e, []event.Actor{e.Peer, was.by}, sentence.Of("broken.no-lost-update",
		sentence.Client(e.Peer), sentence.Time(e.At), sentence.Path(e.Path), sentence.Number(from),
		sentence.Client(was.by), sentence.Number(was.number), sentence.Time(was.at))))
}
