package check

import (
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// barrier counts arrivals. A client arrives when it reports that it waits, or when the server creates a znode for
// it, whichever comes first: others may see the znode before its answer arrives. Once one client has passed, nobody
// may be left behind.
type barrier struct {
	size    int   // how many must arrive; 0 if the header doesn't say: then all that started
	started int   // clients
	members []lap // by client
	came    []int // came[r] clients have arrived for round r+1
}

// lap counts how often a client has arrived and passed.
type lap struct{ arrived, passed int }

func (*barrier) reads() []event.Kind {
	return []event.Kind{
		event.ClientStarted, event.ZnodeCreated, event.OpSent, event.RecipePhase, event.RunEnded,
	}
}

func (b *barrier) append(c *Checker, e event.Event) {
	switch e.Kind {
	case event.ClientStarted:
		b.started++
	case event.ZnodeCreated:
		b.arrive(e.Peer)
	case event.OpSent:
		// A host that learns late what the server did may report it after others have passed.
		if c.late && (e.Op == event.Create || e.Op == event.Multi) {
			b.arrive(e.Actor)
		}
	case event.RecipePhase:
		switch program.Phase(e.Text) {
		case program.Waiting:
			b.arrive(e.Actor)
		case program.Passed:
			b.pass(c, e)
		}
	case event.RunEnded:
		if promise.Unfinished(e) {
			b.end(c, e)
		}
	}
}

// end looks for clients that arrived and wait for ever at a barrier that has let others through.
func (b *barrier) end(c *Checker, e event.Event) {
	furthest := 0
	for _, m := range b.members {
		furthest = max(furthest, m.passed)
	}
	var left []event.Actor
	for i, m := range b.members {
		if m.arrived > m.passed && m.passed < furthest && c.clients[i].waits() {
			left = append(left, event.Actor(i+1))
		}
	}
	if len(left) == 0 {
		return
	}
	v := broken(promise.Barrier, e, listed(left),
		sentence.Of(one(len(left), "broken.barrier.behind.one", "broken.barrier.behind.many"), sentence.Clients(left)))
	v.How = promise.Behind
	c.violate(v)
}

// arrive counts a client once for each time that it passes.
func (b *barrier) arrive(a event.Actor) {
	m := slot(&b.members, a)
	if m == nil || m.arrived > m.passed {
		return
	}
	if m.arrived == len(b.came) {
		b.came = append(b.came, 0)
	}
	b.came[m.arrived]++
	m.arrived++
}

func (b *barrier) pass(c *Checker, e event.Event) {
	b.arrive(e.Actor)
	m := slot(&b.members, e.Actor)
	if m == nil {
		return
	}
	m.passed++
	size := b.size
	if size == 0 {
		size = b.started
	}
	came := b.came[m.passed-1]
	if came >= size || c.full() {
		return
	}
	missing := b.missing(m.passed, size)
	clients := append([]event.Actor{e.Actor}, listed(missing)...)
	c.violate(broken(promise.Barrier, e, clients, sentence.Of("broken.barrier.early",
		sentence.Client(e.Actor), sentence.Time(e.At), sentence.Number(came), sentence.Number(size),
		sentence.Clients(missing))))
}

// missing returns the clients that haven't arrived for the round.
func (b *barrier) missing(round, size int) []event.Actor {
	var list []event.Actor
	for a := event.Actor(1); int(a) <= size; a++ {
		if int(a) > len(b.members) || b.members[a-1].arrived < round {
			list = append(list, a)
		}
	}
	return list
}
