package check

import (
	"fmt"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zoo"
)

// together counts, for each client, how often it has gone through the two halves of a double barrier.
type together struct{ visits []visit }

type visit struct{ passed, leaving int }

func (t *together) append(c *Checker, e event.Event) {
	if e.Kind != event.RecipePhase || c.client(e.Actor) == nil {
		return
	}
	for len(t.visits) < int(e.Actor) {
		t.visits = append(t.visits, visit{})
	}
	v := &t.visits[e.Actor-1]
	switch zoo.Phase(e.Text) {
	case zoo.Passed:
		v.passed++
	case zoo.Leaving:
		v.leaving = v.passed
	case zoo.Left:
		v.leaving = v.passed
		t.leave(c, e, v.passed)
	}
}

// leave looks for those who are still at work in the round that a client has left.
func (t *together) leave(c *Checker, e event.Event, round int) {
	var busy []event.Actor
	for i, v := range t.visits {
		if v.passed >= round && v.leaving < round && c.clients[i].lives() {
			busy = append(busy, event.Actor(i+1))
		}
	}
	if len(busy) == 0 {
		return
	}
	c.accuse(Violation{
		Rule: Together, At: e.At, Seq: e.Seq, Clients: append([]event.Actor{e.Actor}, busy[:min(len(busy), mostListed)]...),
		Text: fmt.Sprintf("%s left at %s, when %s had not done all of it", e.Actor, seconds(e.At), actors(busy)),
	}, 1, busy...)
}
