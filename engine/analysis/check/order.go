package check

import (
	"path"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// order compares each client that gets in with the one before it in the same queue. At another system the order is
// the one in which clients got what they hold, and no node serves a waiting client before those that have waited
// longer for the same thing.
type order struct {
	last  map[string]turn                           // by the parent's path
	lines map[event.Actor]map[string]*chain[waiter] // by node and path
	kept  map[keptAt]*link[waiter]
}

type turn struct {
	who    event.Actor
	number int64
}

func newOrder() *order {
	return &order{last: make(map[string]turn), lines: make(map[event.Actor]map[string]*chain[waiter]),
		kept: make(map[keptAt]*link[waiter])}
}

func (*order) reads() []event.Kind {
	return []event.Kind{
		event.RequestWaits, event.RequestServed, event.ServerStopped, event.RecipePhase,
	}
}

func (o *order) append(c *Checker, e event.Event) {
	switch e.Kind {
	case event.RequestWaits, event.RequestServed, event.ServerStopped:
		o.line(c, e)
	case event.RecipePhase:
		o.enter(c, e)
	}
}

func (o *order) enter(c *Checker, e event.Event) {
	p := c.client(e.Actor)
	if p == nil || program.Phase(e.Text).Traits().Access != program.Alone {
		return
	}
	if p.session != alive { // it believes that it got in, but the server has let the next one in
		return
	}
	now := turn{e.Actor, event.Number(e.Path)}
	far := c.ownership != nil && c.ownership.decides(e.Actor, e.Path)
	if far {
		now.number = -1 // whatever its name ends in
	}
	if far && c.ownership.owns(e.Actor, e.Path, e.At) {
		now.number = c.ownership.grantedAt(e.Actor, e.Path)
	}
	if now.number < 0 {
		return
	}
	parent := path.Dir(e.Path)
	last, ok := o.last[parent]
	if ok && now.number < last.number {
		say := sentence.Of("broken.order", sentence.Client(now.who), sentence.Number(now.number), sentence.Time(e.At),
			sentence.Client(last.who), sentence.Number(last.number))
		if far {
			say = sentence.Of("broken.order.granted", sentence.Client(now.who), sentence.Time(e.At),
				sentence.Client(last.who))
		}
		c.accuse(broken(promise.Order, e, []event.Actor{now.who, last.who}, say), 1, now.who)
		return
	}
	o.last[parent] = now
}

// waiter is a client that a node keeps waiting.
type waiter struct {
	who   event.Actor
	since time.Duration
}

// keptAt identifies a client in a line.
type keptAt struct {
	rowAt
	client event.Actor
}

// line takes what happens to those that a node keeps waiting.
func (o *order) line(c *Checker, e event.Event) {
	if e.Kind == event.ServerStopped {
		o.breakUp(e.Actor)
		return
	}
	at := keptAt{rowAt{e.Actor, e.Path}, e.Peer}
	mine, line := o.kept[at], o.lines[e.Actor][e.Path]
	if e.Kind == event.RequestWaits {
		if mine != nil {
			return
		}
		if o.lines[e.Actor] == nil {
			o.lines[e.Actor] = make(map[string]*chain[waiter])
		}
		if line == nil {
			line = &chain[waiter]{}
			o.lines[e.Actor][e.Path] = line
		}
		o.kept[at] = line.add(waiter{e.Peer, e.At})
		return
	}
	if mine == nil {
		return
	}
	if first := line.first.value; line.first != mine && e.Reason == event.NoReason && c.ownership.decidesAt(e.Actor) {
		c.violate(broken(promise.Order, e, []event.Actor{e.Peer, first.who}, sentence.Of("broken.order.served",
			sentence.Client(e.Peer), sentence.Path(e.Path), sentence.Time(e.At), sentence.Client(first.who),
			sentence.Time(first.since))))
	}
	line.remove(mine)
	delete(o.kept, at)
	if line.len == 0 {
		delete(o.lines[e.Actor], e.Path)
	}
}

// breakUp forgets all lines at a node.
func (o *order) breakUp(node event.Actor) {
	for path, line := range o.lines[node] {
		for l := line.first; l != nil; l = l.next {
			delete(o.kept, keptAt{rowAt{node, path}, l.value.who})
		}
	}
	delete(o.lines, node)
}
