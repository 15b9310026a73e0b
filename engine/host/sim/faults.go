package sim

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
)

// planFaults schedules those faults whose time counts from now on.
func (w *world) planFaults(these func(fault.Fault) bool) {
	for i, f := range w.cfg.Faults {
		if these(f) {
			w.pending++
			w.agenda.Add(w.now+f.At, action{step: stepFault, n: int64(i)})
		}
	}
}

// planFaults schedules the faults for a hold that has just begun.
func (c *client) planFaults(hold int) {
	if hold > 0 && c.main == nil {
		c.w.planFaults(func(f fault.Fault) bool { return f.Client == int(c.id) && f.Hold == hold })
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
	if f.Message.Client() != 0 {
		w.strike(f)
		return
	}
	if f.Kind > fault.Restart && f.Kind.Target() != fault.ToClient {
		w.server.inject(f)
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
		c.pause.begin(f.For, cause)
	case fault.Cut:
		c.network.cutOff(f.For, cause)
	case fault.Expire:
		if c.session.id != 0 {
			w.server.expire(c.session.id, cause)
		}
	case fault.Drop:
		c.network.dropNext = true
	case fault.Stall:
		c.pause.stall(f.For, cause)
	case fault.Vanish:
		c.vanish(cause)
	case fault.Delay:
		c.network.slow++
		w.agenda.Add(w.now+f.For, action{step: stepEndDelay, client: c})
	}
}

// settable returns by how much a clock that is ahead of the run's can be set, of d: it shows at least 0.
func (w *world) settable(d, ahead time.Duration) time.Duration { return max(d, -w.now-ahead) }

func (w *world) injectAtNode(n *node, f fault.Fault, cause event.Seq) {
	switch f.Kind {
	case fault.RestartNode:
		n.stop(f.For, cause)
	case fault.Lag:
		n.startLag(f.For)
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
		c.w.unreachable--
		c.state.Paused = false
	}
	c.crashed = true
	for _, b := range c.beside {
		b.crashed = true
	}
	c.w.settle.Leave(c)
	c.halt()
	if k := c.session.conn; k != nil {
		k.up.arrival(c.w.now, c.w.flight())
		c.w.ship(&k.up, action{step: stepGone, client: c, conn: k, cause: c.silenced}, fault.Message{})
	}
	c.finish()
}
