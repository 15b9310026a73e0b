package sim

import (
	"fmt"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/process"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
	"github.com/zkviz/zkviz/engine/zookeeper/zkclient"
)

// Do sends the request and waits for its answer.
func (c *client) Do(r *zkclient.Request) error {
	if err := c.refusal(); err != nil {
		return c.refuse(r, zoo.CodeOf(err))
	}
	r.Line = c.lines.At()
	c.op = r
	if c.conn != nil {
		c.transmit(r)
	}
	if !c.park(process.ForReply) {
		r.Code = zoo.ErrStopped
	}
	r.Register(&c.watches)
	return r.Err()
}

// refusal returns why a call isn't even tried.
func (c *client) refusal() error {
	switch {
	case c.halted:
		return zoo.ErrStopped
	case c.expired:
		return zoo.ErrSessionExpired
	}
	return nil
}

// refuse answers a call that can have no other answer. A process that keeps calling would never return, and nothing
// could stop it: that is a bug of the recipe.
func (c *client) refuse(r *zkclient.Request, code zoo.Code) error {
	if c.refused++; c.refused > maxRefused {
		panic(fmt.Sprintf("%s of %s: %d calls were refused (%v); a recipe must return then", c.name, c.w.cfg.Recipe,
			maxRefused, code))
	}
	r.Code = code
	return r.Err()
}

// transmit sends a request. SetWatches is the library's own, not an operation of the process.
func (c *client) transmit(r *zkclient.Request) {
	r.Sent, r.Away = true, true
	e := event.Event{Kind: event.OpSent, Actor: c.id, Op: r.Op, Path: r.Ask.Path, Mode: uint8(r.Ask.Flags), Line: r.Line,
		Cause: c.cause}
	if r.Op == event.SetWatches {
		e.Kind = event.MsgSent
	}
	c.cause = c.conn.sendUp(action{step: stepRequest, req: r}, zkclient.Asks(e, &r.Ask))
}

// replied takes the server's answer. If nobody waits for it any more, it changes nothing.
func (c *client) replied(r *zkclient.Request, cause event.Seq) {
	r.Away = false
	c.seen = max(c.seen, r.Zxid)
	if r.Op == event.SetWatches {
		c.state.Restores = false
		c.update()
	}
	if r != c.op {
		return
	}
	path := r.Ask.Path
	if r.Path != "" {
		path = r.Path
	}
	c.done(event.Event{Op: r.Op, Path: path, Code: int32(r.Code), Zxid: r.Zxid, Cause: cause})
}

// fail ends the pending call without an answer.
func (c *client) fail(code zoo.Code) {
	if c.op == nil {
		return
	}
	c.op.Code = code
	c.done(event.Event{Op: c.op.Op, Path: c.op.Ask.Path, Code: int32(code), Line: c.op.Line})
}

func (c *client) done(e event.Event) {
	c.op = nil
	e.Kind = event.OpDone
	c.emit(e)
	c.wake()
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
	c.plan(c.holds.Phase(p))
	if p.Inside() {
		c.w.gotIn()
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
	if err := c.disturbed(); err != nil {
		return err
	}
	c.overdue = false
	c.setTimer(max(d, 0))
	for !c.overdue {
		c.park(process.ForTimer)
		if err := c.disturbed(); err != nil {
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

// gotIn makes those that were refused try again before they count as waiting.
func (w *world) gotIn() {
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
	if err := c.disturbed(); err != nil { // expired while the process was at a store
		return err
	}
	c.w.settle.Join(c)
	c.park(process.ForSettled)
	c.w.settle.Leave(c)
	return c.disturbed()
}

// close ends the session before the process does.
func (c *client) close() {
	if c.conn != nil && !c.expired {
		r := c.Request()
		r.Op, r.Ask.Op = event.CloseSession, wire.OpCloseSession
		_ = c.Do(r) // the process is over, whatever the answer
	}
}
