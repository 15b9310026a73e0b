package sim

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/process"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// refusal returns why a call isn't even tried.
func (c *client) refusal() error {
	switch {
	case c.halted:
		return zoo.ErrStopped
	case c.session.expired:
		return zoo.ErrSessionExpired
	}
	return nil
}

// Name implements program.Process.
func (c *client) Name() string { return c.name }

// ZooKeeper implements systems.World.
func (c *client) ZooKeeper() zoo.Client { return c }

// SessionID implements zoo.Client.
func (c *client) SessionID() int64 { return c.session.id }

// Phase implements program.Process.
func (c *client) Phase(p program.Phase, about program.Subject) {
	if c.halted {
		return
	}
	c.emit(process.Phase(p, about))
	c.planFaults(c.holds.Phase(p))
	if p.Inside() {
		c.w.retryRefused()
	}
}

// Note implements program.Process.
func (c *client) Note(text string) {
	if !c.halted {
		c.emit(process.Note(text))
	}
}

// Sleep implements program.Process.
func (c *client) Sleep(d time.Duration) error {
	if err := c.interruption(); err != nil {
		return err
	}
	c.overdue = false
	c.setTimer(max(d, 0))
	for !c.overdue {
		c.park(process.ForTimer)
		if err := c.interruption(); err != nil {
			return err
		}
	}
	return nil
}

// Poll implements program.Process.
func (c *client) Poll(d time.Duration) error {
	if err := c.refusal(); err != nil {
		return err
	}
	c.emit(process.Refused(max(d, 0)))
	if !c.state.Refused {
		c.state.Refused = true
		c.w.refused++
	}
	return c.Sleep(d)
}

// retryRefused makes those that were refused try again before they count as waiting.
func (w *world) retryRefused() {
	if w.refused == 0 {
		return
	}
	w.refused = 0
	for _, c := range w.clients {
		if c.state.Refused {
			c.state.Refused = false
			c.update()
		}
	}
}

// Work implements program.Process.
func (c *client) Work(d time.Duration) error {
	if d != program.UntilSettled {
		return c.Sleep(d)
	}
	if err := c.interruption(); err != nil { // expired while the process was at a store
		return err
	}
	c.w.settle.Join(c)
	c.park(process.ForSettled)
	c.w.settle.Leave(c)
	return c.interruption()
}

// close ends the session before the process does.
func (c *client) close() {
	if c.session.conn != nil && !c.session.expired {
		r := c.requests.Request()
		r.Op, r.Ask.Op = event.CloseSession, wire.OpCloseSession
		_ = c.requests.Do(r) // the process is over, whatever the answer
	}
}
