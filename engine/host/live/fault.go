package live

import (
	"net"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/host/realtime"
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

// Suffer implements realtime.System.
func (w *world) Suffer(_ *realtime.Thread, f fault.Fault, cause event.Seq) {
	c := w.clients[f.Client-1]
	if f.Kind == fault.Expire {
		c.expireCause = cause
		c.expireNow()
		return
	}
	if silent := c.Thread.Suffer(f, cause); silent != 0 {
		c.Silenced = silent
	}
	if c.State.Ended {
		c.crashed = true
		if c.zk != nil {
			w.Go(c.zk.Close) // the link lets nothing through any more
		}
	}
	c.update()
}

// Resumed implements realtime.System. The process's clocks stopped meanwhile.
func (w *world) Resumed(client event.Actor, after time.Duration) {
	c := w.clients[client-1]
	c.Silenced = 0
	if l := c.link; l != nil && !l.deadline.IsZero() {
		l.deadline = l.deadline.Add(after)
	}
}

// Healed implements realtime.System.
func (w *world) Healed(client event.Actor) {
	c := w.clients[client-1]
	if l := c.link; l != nil && !l.upLost && !l.downLost {
		c.Silenced = 0
	}
	c.update()
	c.Wake()
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
	c.w.Lock()
	defer c.w.Unlock()
	limit := time.Now().Add(timeout)
	defer c.WakeAt(limit).Stop()
	for c.State.Paused && !c.halted() || c.IsCut() && time.Now().Before(limit) && !c.halted() {
		c.Wait()
	}
	if c.halted() || c.State.Ended || c.Lost != nil || c.IsCut() {
		return nil, net.ErrClosed
	}
	c.w.Unlock()
	conn, err := c.w.cfg.Access.SessionWithin(addr, timeout)
	c.w.Lock()
	if err != nil {
		return nil, err
	}
	if c.halted() {
		_ = conn.Close() // no longer needed
		return nil, net.ErrClosed
	}
	return newLink(c, conn, addr), nil
}
