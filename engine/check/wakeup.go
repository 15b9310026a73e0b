package check

import (
	"fmt"

	"github.com/zkviz/zkviz/engine/event"
)

// herd judges a wakeup: the release that made it, if one did, should have made no other.
func (c *Checker) herd(r *release, e event.Event) {
	if !c.oneWakeup || r == nil || r.woken != 2 {
		return
	}
	c.violate(Violation{
		Rule: OneWakeup, At: e.At, Seq: e.Seq, Clients: []event.Actor{e.Actor, r.wakes},
		Text: fmt.Sprintf("the release at %s woke %s, and at %s it woke %s too", seconds(r.at), r.wakes, seconds(e.At), e.Actor),
	})
}
