package check

import (
	"path"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/program"
	"github.com/zkviz/zkviz/engine/sentence"
)

// order compares each client that gets in with the one before it in the same queue.
type order struct {
	last map[string]turn // by the parent's path
}

type turn struct {
	who    event.Actor
	number int64
}

func newOrder() *order { return &order{last: make(map[string]turn)} }

func (o *order) append(c *Checker, e event.Event) {
	p := c.client(e.Actor)
	if p == nil || e.Kind != event.RecipePhase || program.Phase(e.Text).Traits().Access != program.Alone {
		return
	}
	if p.session != alive { // it believes that it got in, but the server has let the next one in
		return
	}
	now := turn{e.Actor, event.Number(e.Path)}
	if now.number < 0 {
		return
	}
	parent := path.Dir(e.Path)
	last, ok := o.last[parent]
	if ok && now.number < last.number {
		c.accuse(broken(Order, e, []event.Actor{now.who, last.who}, sentence.Of("broken.order",
			sentence.Client(now.who), sentence.Number(now.number), sentence.Time(e.At), sentence.Client(last.who),
			sentence.Number(last.number))), 1, now.who)
		return
	}
	o.last[parent] = now
}
