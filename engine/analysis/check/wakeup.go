package check

import (
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// herd judges a wakeup: the release that caused it, if any, should have caused no other.
func (c *Checker) herd(r *release, e event.Event) {
	if !c.oneWakeup || r == nil || r.woken != 2 {
		return
	}
	woken := e.Actor
	if woken.Kind() == event.ANode {
		woken = e.Peer
	}
	c.violate(broken(promise.OneWakeup, e, []event.Actor{woken, r.wakes}, sentence.Of("broken.one-wakeup",
		sentence.Time(r.at), sentence.Client(r.wakes), sentence.Time(e.At), sentence.Client(woken))))
}
