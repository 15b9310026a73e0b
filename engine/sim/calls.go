package sim

import (
	"fmt"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/process"
	"github.com/zkviz/zkviz/engine/wire"
	"github.com/zkviz/zkviz/engine/zoo"
)

// call sends the request and waits for its answer.
func (c *client) call(r *request) error {
	switch {
	case c.halted:
		return c.refuse(r, zoo.ErrStopped)
	case c.expired:
		return c.refuse(r, zoo.ErrSessionExpired)
	}
	r.line = c.lines.At()
	c.op = r
	if c.conn != nil {
		c.transmit(r)
	}
	if !c.park(process.ForReply) {
		r.code = zoo.ErrStopped
	}
	return r.err()
}

// refuse answers a call that can have no other answer. A process that does not take it for one and calls
// again would never return, and nothing could stop it: that is a bug of the recipe.
func (c *client) refuse(r *request, code zoo.Code) error {
	if c.refused++; c.refused > maxRefused {
		panic(fmt.Sprintf("%s of %s: %d calls were refused (%v); a recipe must return then", c.name, c.w.cfg.Recipe, maxRefused, code))
	}
	r.code = code
	return r.err()
}

// transmit sends a request. SetWatches is the library's own, no operation of the process.
func (c *client) transmit(r *request) {
	r.sent, r.away = true, true
	e := event.Event{Kind: event.OpSent, Actor: c.id, Op: r.op, Path: r.ask.Path, Mode: uint8(r.ask.Flags), Line: r.line, Cause: c.cause}
	if r.op == event.SetWatches {
		e.Kind = event.MsgSent
	}
	c.cause = c.conn.sendUp(action{step: stepRequest, req: r}, e)
}

// replied takes the server's answer. One that nobody waits for any more changes nothing.
func (c *client) replied(r *request, cause event.Seq) {
	r.away = false
	c.seen = max(c.seen, r.zxid)
	if r.op == event.SetWatches {
		c.state.Restores = false
		c.update()
	}
	if r != c.op {
		return
	}
	path := r.ask.Path
	if r.path != "" {
		path = r.path
	}
	c.done(event.Event{Op: r.op, Path: path, Code: int32(r.code), Zxid: r.zxid, Cause: cause})
}

// fail ends the call that the process waits for without an answer.
func (c *client) fail(code zoo.Code) {
	if c.op == nil {
		return
	}
	c.op.code = code
	c.done(event.Event{Op: c.op.op, Path: c.op.ask.Path, Code: int32(code), Line: c.op.line})
}

func (c *client) done(e event.Event) {
	c.op = nil
	e.Kind = event.OpDone
	c.emit(e)
	c.wake()
}

// Name implements zoo.Client.
func (c *client) Name() string { return c.name }

// SessionID implements zoo.Client.
func (c *client) SessionID() int64 { return c.session.id }

// Create implements zoo.Client.
func (c *client) Create(path string, data []byte, mode zoo.CreateMode) (string, error) {
	r := c.request(event.Create, wire.OpCreate, path)
	putCreate(&r.ask, data, mode, c.w.open)
	err := c.call(r)
	return r.path, err
}

// Delete implements zoo.Client.
func (c *client) Delete(path string, version int32) error {
	r := c.request(event.Delete, wire.OpDelete, path)
	r.ask.Version = version
	return c.call(r)
}

// Set implements zoo.Client.
func (c *client) Set(path string, data []byte, version int32) (zoo.Stat, error) {
	r := c.request(event.Set, wire.OpSetData, path)
	r.ask.Data, r.ask.Version = data, version
	err := c.call(r)
	return r.stat, err
}

// Sync implements zoo.Client.
func (c *client) Sync(path string) error { return c.call(c.request(event.Sync, wire.OpSync, path)) }

// Multi implements zoo.Client.
func (c *client) Multi(ops ...zoo.Op) ([]zoo.OpResult, error) {
	first := "" // for the log
	if len(ops) > 0 {
		first = ops[0].Path
	}
	r := c.request(event.Multi, wire.OpMulti, first)
	r.ask.Ops = parts(ops, c.w.open)
	err := c.call(r)
	return r.results, err
}

// Exists implements zoo.Client.
func (c *client) Exists(path string) (bool, zoo.Stat, error) {
	r, err := c.exists(path, false)
	return err == nil && r.code == zoo.OK, r.stat, err
}

// ExistsW implements zoo.Client.
func (c *client) ExistsW(path string) (bool, zoo.Stat, zoo.Watch, error) {
	r, err := c.exists(path, true)
	return err == nil && r.code == zoo.OK, r.stat, c.register(r), err
}

// exists takes the absence of a znode for an answer.
func (c *client) exists(path string, watch bool) (*request, error) {
	r, err := c.read(event.Exists, wire.OpExists, path, watch)
	if r.code == zoo.ErrNoNode {
		return r, nil
	}
	return r, err
}

// Get implements zoo.Client.
func (c *client) Get(path string) ([]byte, zoo.Stat, error) {
	r, err := c.read(event.Get, wire.OpGetData, path, false)
	return r.data, r.stat, err
}

// GetW implements zoo.Client.
func (c *client) GetW(path string) ([]byte, zoo.Stat, zoo.Watch, error) {
	r, err := c.read(event.Get, wire.OpGetData, path, true)
	return r.data, r.stat, c.register(r), err
}

// Children implements zoo.Client.
func (c *client) Children(path string) ([]string, zoo.Stat, error) {
	r, err := c.read(event.Children, wire.OpGetChildren2, path, false)
	return r.children, r.stat, err
}

// ChildrenW implements zoo.Client.
func (c *client) ChildrenW(path string) ([]string, zoo.Stat, zoo.Watch, error) {
	r, err := c.read(event.Children, wire.OpGetChildren2, path, true)
	return r.children, r.stat, c.register(r), err
}

func (c *client) read(op event.Op, ask wire.Op, path string, watch bool) (*request, error) {
	r := c.request(op, ask, path)
	r.ask.Watch = watch
	return r, c.call(r)
}

// Phase implements zoo.Client.
func (c *client) Phase(p zoo.Phase, about zoo.Subject) {
	if !c.halted {
		c.emit(event.Event{Kind: event.RecipePhase, Text: string(p), Path: about.Path, N: about.Fence})
	}
}

// Note implements zoo.Client.
func (c *client) Note(text string) {
	if !c.halted {
		c.emit(event.Event{Kind: event.RecipeNote, Text: event.Preview([]byte(text))})
	}
}

// Sleep implements zoo.Client.
func (c *client) Sleep(d time.Duration) error {
	if c.halted {
		return zoo.ErrStopped
	}
	if c.expired {
		return zoo.ErrSessionExpired
	}
	c.overdue = false
	c.setTimer(max(d, 0))
	for !c.overdue {
		if !c.park(process.ForTimer) {
			return zoo.ErrStopped
		}
		if c.expired {
			return zoo.ErrSessionExpired
		}
	}
	return nil
}

// Work implements zoo.Client.
func (c *client) Work(d time.Duration) error {
	if d != zoo.UntilSettled {
		return c.Sleep(d)
	}
	switch {
	case c.halted:
		return zoo.ErrStopped
	case c.expired: // while the process was at a store
		return zoo.ErrSessionExpired
	}
	c.w.settle.Join(c)
	if !c.park(process.ForSettled) {
		return zoo.ErrStopped
	}
	if c.expired {
		return zoo.ErrSessionExpired
	}
	return nil
}

// close ends the session before the process does.
func (c *client) close() {
	if c.conn != nil && !c.expired {
		_ = c.call(c.request(event.CloseSession, wire.OpCloseSession, "")) // the process is over, whatever the answer
	}
}
