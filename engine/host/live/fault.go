package live

import (
	"net"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
)

// Holds is the set of parts that a run on a real ZooKeeper can disturb: all except the server.
const Holds = fault.Everything &^ fault.Machine

// holds returns what this run can disturb. With nodes of other systems it can also stall threads.
func (c Config) holds() fault.Hold {
	if len(c.Nodes) > 0 {
		return Holds | fault.Threads
	}
	return Holds
}

// plan schedules those faults for which these returns true. Their times count from now.
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

// inject carries out a fault. It changes nothing if its client has ended. A fault meant for one hold of a lock
// doesn't happen once that hold is over.
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

// crash ends the process in the middle of whatever it does. Its session lives on until it expires.
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

// pause freezes the whole process for d, heartbeats included. Whatever arrives has to wait.
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

// stall pauses the program for d, but neither its heartbeats nor the code that runs alongside it.
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

// unpause ends a pause, unless a later one goes on. The process's clocks stopped meanwhile.
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

// cut drops everything that is sent between the client and the server for d.
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

// expireNow makes the server end the session, at once or as soon as a connection can carry the request.
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

// expireSession closes the session without the client's knowledge. The server acts as if the session had expired: it
// removes the ephemeral znodes and closes the connection without a word.
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
		_ = conn.Close() // no longer needed
		return nil, net.ErrClosed
	}
	return newLink(c, conn, addr), nil
}
