package live

import (
	"net"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
)

// Holds is what a run on a real ZooKeeper can do something to: all but the server.
const Holds = fault.Everything &^ fault.Machine

// holds is what a run has a hold of. One that has other systems too can do more to its clients.
func (c Config) holds() fault.Hold {
	if len(c.Nodes) > 0 {
		return Holds | fault.Threads
	}
	return Holds
}

// plan has those faults come whose time counts from now on.
func (w *world) plan(these func(fault.Fault) bool) {
	for _, f := range w.cfg.Faults {
		if !these(f) {
			continue
		}
		w.lastFault = max(w.lastFault, w.now()+f.At+f.For)
		w.after(f.At, func() {
			if !w.ended {
				w.inject(f)
			}
		})
	}
}

// inject carries out a fault. One that finds its client gone changes nothing, and one that is meant for a hold that is
// over doesn't happen.
func (w *world) inject(f fault.Fault) {
	c := w.clients[f.Client-1]
	if !c.holds.During(f.Hold) {
		return
	}
	cause := w.emit(event.Event{Kind: event.FaultInjected, Peer: c.ID, Text: f.String()})
	if c.state.Ended || w.ended {
		return
	}
	switch f.Kind {
	case fault.Crash:
		c.crash(cause)
	case fault.Pause:
		c.pause(f.For, cause)
	case fault.Cut:
		c.cut(f.For, cause)
	case fault.Expire:
		c.expireCause = cause
		c.expireNow()
	case fault.Drop:
		c.dropNext = true
	case fault.Delay:
		c.slow++
		w.after(f.For, func() { c.slow-- })
		c.sockets.Delay(f.For)
	case fault.Stall:
		c.stall(f.For, cause)
	case fault.Vanish:
		c.sockets.Sever()
		c.crash(c.emit(event.Event{Kind: event.ClientVanished, Cause: cause}))
	}
}

// crash ends the process in the middle of whatever it does. Its session stays until it expires.
func (c *client) crash(cause event.Seq) {
	c.Silenced = c.emit(event.Event{Kind: event.ClientCrashed, Cause: cause})
	c.crashed, c.state.Paused = true, false
	c.sockets.End(c.Silenced)
	c.w.settle.Leave(c)
	c.finish()
	if c.zk != nil {
		c.w.start(c.zk.Close) // the link lets nothing through any more
	}
	c.w.checkDone()
}

// pause stops everything of the process for d, heartbeats included. What arrives waits.
func (c *client) pause(d time.Duration, cause event.Seq) {
	c.Silenced = c.emit(event.Event{Kind: event.ClientPaused, N: int64(d), Cause: cause})
	now := time.Now()
	if !c.state.Paused {
		c.state.Paused, c.pausedAt = true, now
		c.sockets.Freeze()
	}
	if end := now.Add(d); end.After(c.pauseEnd) {
		c.pauseEnd = end
	}
	c.w.after(d, c.unpause)
	c.update()
}

// stall pauses the program for d, and neither its heartbeats nor what runs beside it.
func (c *client) stall(d time.Duration, cause event.Seq) {
	c.emit(event.Event{Kind: event.ProcessStalled, N: int64(d), Cause: cause})
	if end := time.Now().Add(d); end.After(c.stallEnd) {
		c.stallEnd = end
	}
	c.state.Stalled = true
	c.update()
	c.w.after(d, func() {
		if !c.state.Stalled || c.halted() || time.Now().Before(c.stallEnd) {
			return
		}
		c.state.Stalled = false
		c.emit(event.Event{Kind: event.ProcessMoves})
		c.update()
		c.cond.Broadcast()
	})
}

// unpause ends a pause, unless a later one goes on. Its clocks have stood still meanwhile.
func (c *client) unpause() {
	if !c.state.Paused || time.Now().Before(c.pauseEnd) {
		return
	}
	c.state.Paused = false
	c.Silenced = 0
	if l := c.link; l != nil && !l.deadline.IsZero() {
		l.deadline = l.deadline.Add(time.Since(c.pausedAt))
	}
	if !c.w.ended {
		c.emit(event.Event{Kind: event.ClientResumed})
	}
	c.sockets.Thaw()
	c.update()
	c.cond.Broadcast()
}

// cut loses all that is sent between the client and the server for d.
func (c *client) cut(d time.Duration, cause event.Seq) {
	c.Silenced = cause
	c.cuts++
	c.sockets.Cut(d)
	c.w.after(d, c.heal)
	c.update()
}

func (c *client) heal() {
	c.cuts--
	if c.cuts > 0 {
		return
	}
	if l := c.link; l != nil && !l.upLost && !l.downLost {
		c.Silenced = 0
	}
	c.update()
	c.cond.Broadcast()
}

// expireNow makes the server end the session, if there is a connection to tell it on, or once there is.
func (c *client) expireNow() {
	c.expire = true
	open := c.link
	for _, l := range c.stale {
		if open == nil && !l.hung {
			open = l
		}
	}
	if open != nil {
		c.expireSession(open)
	}
}

// expireSession closes the session behind the client's back. The server does as it does for one that has
// expired: it removes what is ephemeral, and closes the connection without a word.
func (c *client) expireSession(l *link) {
	c.expire = false
	l.out = append(l.out, outbound{raw: closeFrame(), force: true})
	l.outCond.Signal()
}

// dial opens a connection for the library.
func (c *client) dial(_, addr string, timeout time.Duration) (net.Conn, error) {
	c.w.mu.Lock()
	defer c.w.mu.Unlock()
	limit := time.Now().Add(timeout)
	defer c.wakeAt(limit).Stop()
	for c.state.Paused && !c.halted() || c.cuts > 0 && time.Now().Before(limit) && !c.halted() {
		c.cond.Wait()
	}
	if c.halted() || c.state.Ended || c.expired || c.cuts > 0 {
		return nil, net.ErrClosed
	}
	c.w.mu.Unlock()
	conn, err := c.w.cfg.Access.SessionWithin(addr, timeout)
	c.w.mu.Lock()
	if err != nil {
		return nil, err
	}
	if c.halted() {
		_ = conn.Close() // it is not wanted any more
		return nil, net.ErrClosed
	}
	return newLink(c, conn, addr), nil
}
