package sim

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
)

// plan schedules those faults whose time counts from now on.
func (w *world) plan(these func(fault.Fault) bool) {
	for i, f := range w.cfg.Faults {
		if these(f) {
			w.pending++
			w.agenda.Add(w.now+f.At, action{step: stepFault, n: int64(i)})
		}
	}
}

// plan schedules the faults for a hold that has just begun.
func (c *client) plan(hold int) {
	if hold > 0 && c.main == nil {
		c.w.plan(func(f fault.Fault) bool { return f.Client == int(c.id) && f.Hold == hold })
	}
}

// inject carries out a fault. It changes nothing if the client is gone, and doesn't happen if its hold is over.
func (w *world) inject(f fault.Fault) {
	if f.Kind == fault.Restart {
		w.server.stop(f.For, w.emit(event.Event{Kind: event.FaultInjected, Text: f.String()}))
		return
	}
	if f.Kind.Target() == fault.ToNode {
		cause := w.emit(event.Event{Kind: event.FaultInjected, Peer: event.Node(f.Node), Text: f.String()})
		w.injectAtNode(w.nodes[f.Node-1], f, cause)
		return
	}
	if f.Kind > fault.Restart && f.Kind.Target() != fault.ToClient {
		cause := w.emit(event.Event{Kind: event.FaultInjected, Text: f.String()})
		w.server.inject(f, cause)
		return
	}
	c := w.clients[f.Client-1]
	if !c.holds.During(f.Hold) {
		return
	}
	cause := w.emit(event.Event{Kind: event.FaultInjected, Peer: c.id, Text: f.String()})
	if c.state.Ended {
		return
	}
	switch f.Kind {
	case fault.Crash:
		c.crash(cause)
	case fault.Pause:
		c.pause(f.For, cause)
	case fault.Cut:
		c.cutOff(f.For, cause)
	case fault.Expire:
		if c.session != nil {
			w.server.expire(c.session.id, cause)
		}
	case fault.Drop:
		c.dropNext = true
	case fault.Stall:
		c.stall(f.For, cause)
	case fault.Vanish:
		c.vanish(cause)
	case fault.Delay:
		c.slow++
		w.agenda.Add(w.now+f.For, action{step: stepHurry, client: c})
	}
}

func (w *world) injectAtNode(n *node, f fault.Fault, cause event.Seq) {
	switch f.Kind {
	case fault.RestartNode:
		n.stop(f.For, cause)
	case fault.Lag:
		n.holdUp(f.For)
	case fault.Failover:
		n.failOver(cause)
	case fault.Jump:
		n.jump(f.For, cause)
	}
}

// crash ends the process, whatever it is doing. Its session stays until it expires.
func (c *client) crash(cause event.Seq) {
	c.silenced = c.emit(event.Event{Kind: event.ClientCrashed, Cause: cause})
	if c.state.Paused {
		c.w.silent--
		c.state.Paused = false
	}
	c.crashed = true
	for _, b := range c.beside {
		b.crashed = true
	}
	c.w.settle.Leave(c)
	c.halt()
	if k := c.conn; k != nil {
		at := k.up.arrival(c.w.now, c.w.flight())
		c.w.agenda.Add(at, action{step: stepGone, client: c, conn: k, cause: c.silenced})
	}
	c.finish()
}

// pause stops the whole process for d, heartbeats included. What arrives waits.
func (c *client) pause(d time.Duration, cause event.Seq) {
	c.silenced = c.emit(event.Event{Kind: event.ClientPaused, N: int64(d), Cause: cause})
	c.stalled = false
	c.stopFor(d)
	for _, b := range c.beside {
		b.hold(d)
	}
}

// stopFor keeps everything from the program for d.
func (c *client) stopFor(d time.Duration) {
	c.pausedTo = max(c.pausedTo, c.w.now+d)
	c.w.agenda.Add(c.w.now+d, action{step: stepResume, client: c})
	if !c.state.Paused {
		c.state.Paused = true
		c.w.silent++
		c.update()
	}
}

// resumed ends a pause, unless a later one goes on. What arrived meanwhile happens now, in order.
func (c *client) resumed() {
	if !c.state.Paused || c.w.now < c.pausedTo {
		return
	}
	c.state.Paused = false
	switch {
	case c.main != nil:
	case c.stalled:
		c.w.silent--
		c.emit(event.Event{Kind: event.ProcessMoves})
	default:
		c.w.silent--
		c.silenced = 0
		c.emit(event.Event{Kind: event.ClientResumed})
	}
	held := c.held
	c.held = nil
	for _, a := range held {
		c.w.agenda.Add(c.w.now, a)
	}
	c.update()
}

// cutOff loses everything sent between the client and the server for d.
func (c *client) cutOff(d time.Duration, cause event.Seq) {
	c.silenced = cause
	c.cuts++
	if !c.cut {
		c.cut = true
		c.w.silent++
	}
	c.w.agenda.Add(c.w.now+d, action{step: stepHeal, client: c})
	c.update()
}

func (c *client) healed() {
	c.cuts--
	if c.cuts > 0 {
		return
	}
	c.cut = false
	c.w.silent--
	if k := c.conn; k != nil && !k.up.broken && !k.down.broken {
		c.silenced = 0
	}
	c.update()
}
