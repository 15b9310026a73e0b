package check

import "github.com/zkviz/zkviz/engine/event"

// served takes what a node of another system does for clients: it serves one that it kept waiting, or sends one
// something unasked. Both are wakeups, of which a release should cause one.
func (c *Checker) served(e event.Event) {
	switch {
	case e.Kind == event.RequestServed && e.Reason == event.NoReason:
		c.wake(c.client(e.Peer))
		c.herd(c.tally.pushed(e), e)
	case e.Kind == event.PushSent:
		if p := c.client(e.Peer); p != nil && p.gone {
			return // nobody wakes up
		}
		c.herd(c.tally.pushed(e), e)
	}
}

// wake counts a wakeup by a node, unless the client is inside.
func (c *Checker) wake(p *client) {
	if p == nil || p.gone || p.holding {
		return
	}
	c.tally.settle(p, false)
	p.woken, p.wokenBy, p.asked, p.blocked = true, byRelease, true, false
	c.tally.ByRelease++
}

// pushed counts whom a node wakes because of one request. A client that it tells twice, on two connections of which
// one is over, counts once.
func (t *tally) pushed(e event.Event) *release {
	if t.push.cause != e.Cause || e.Cause == 0 {
		t.push = release{cause: e.Cause, at: e.At, wakes: e.Peer}
	} else if t.push.wakes == e.Peer {
		return nil
	}
	t.push.woken++
	t.MaxPerRelease = max(t.MaxPerRelease, t.push.woken)
	return &t.push
}
