package view

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// Learnt is what a client last read or wrote, in the state that ZooKeeper or a database had when it answered. It
// may no longer be true.
type Learnt struct {
	Op      event.Op // Get, Set, Exists, Children, or a Multi that wrote; NoOp if it has read nothing
	Path    string
	There   bool   // the znode existed
	Data    string // the start of the data, for Get, Set and Multi
	Version int32
	Names   int32 // the number of children listed
}

// Refused is a client's last write that ZooKeeper refused.
type Refused struct {
	Op   event.Op
	Path string
	Code int32
	At   time.Duration // when the client learned of it; 0 for none
}

// reads records what ZooKeeper's answer tells the client about a znode.
func (c *Client) reads(e event.Event, t *Tree, m *Ensemble) {
	c.answer = Learnt{}
	switch e.Op {
	case event.Get, event.Set, event.Exists, event.Children:
	case event.Multi: // only about the znode that it names first, which it may merely check
		if c.Value.Path != e.Path {
			return
		}
	default:
		return
	}
	a, n := Learnt{Op: e.Op, Path: e.Path}, t.Node(e.Path)
	if n != nil && m.lags(c.Server, n.Mzxid) {
		return // nobody knows which earlier data it has: the client may have read that before
	}
	if n != nil && !n.Gone && e.Code == 0 {
		a.There, a.Version = true, n.Version
		switch e.Op {
		case event.Get, event.Set, event.Multi:
			a.Data = n.Data
		case event.Children:
			a.Names = n.Children
		}
	}
	c.answer = a
}

// learns records that the answer has arrived.
func (c *Client) learns(e event.Event) {
	switch code := zoo.Code(e.Code); {
	case c.answer.Op == e.Op && e.Op != event.NoOp && (code == zoo.OK || code == zoo.ErrNoNode):
		c.Learnt = c.answer
		if e.Op == event.Get || e.Op == event.Set || e.Op == event.Multi {
			c.Value = c.answer
		}
	case code == zoo.ErrNodeExists, code == zoo.ErrBadVersion, code == zoo.ErrNoNode && e.Op == event.Delete:
		c.Refused = Refused{Op: e.Op, Path: e.Path, Code: e.Code, At: e.At}
	}
	c.answer = Learnt{}
}

// injected records what a fault does to the client's messages. Of two that last, the later end counts.
func (c *Client) injected(e event.Event) {
	f, err := fault.Parse(e.Text)
	switch {
	case err != nil:
	case f.Kind == fault.Cut:
		c.CutUntil = max(c.CutUntil, e.At+f.For)
	case f.Kind == fault.Delay:
		c.SlowUntil = max(c.SlowUntil, e.At+f.For)
	}
}

// freeze records that the process or its program is paused. A pause that is already there may end later.
func (c *Client) freeze(e event.Event) {
	until := e.At + time.Duration(e.N)
	if c.Paused || c.Stalled {
		until = max(until, c.PausedAt+c.PausedFor)
	}
	c.PausedAt, c.PausedFor = e.At, until-e.At
}
