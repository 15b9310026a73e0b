package view

import (
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/naming"
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
func (s *State) reads(c *Client, e event.Event) {
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
	a, n := Learnt{Op: e.Op, Path: e.Path}, s.Node(e.Path)
	if n != nil && s.lags(c.Server, n.Mzxid) {
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

// lags reports whether a server of an ensemble, whose applied transactions are known, lacks a transaction.
func (s *State) lags(server event.Actor, zxid int64) bool {
	n := server.Number()
	if server.Kind() != event.AServer || n > len(s.Servers) { // nothing is known about it
		return false
	}
	v := &s.Servers[n-1]
	return v.Delivered > 0 && v.Delivered < zxid
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

// addChild counts a znode that was created below its parent. ZooKeeper numbers sequential znodes by that count,
// which never falls. A log that starts later can show a larger number. A smaller one is already included, since a
// log may hear of later znodes first.
func (s *State) addChild(e event.Event) {
	p := s.Node(parent(e.Path))
	if p == nil || p.Gone || e.Path == "" {
		return
	}
	if c := s.Node(e.Path); c == nil || c.Gone { // otherwise the log repeats it
		p.readers = naming.Recall(p.readers, naming.Child{Name: e.Path[strings.LastIndexByte(e.Path, '/')+1:],
			Owner: e.Session, Plain: naming.Plain(zoo.CreateMode(e.Mode), e.Session)}, p.Children == 0)
		p.Children++
	}
	n := event.Number(e.Path)
	switch sequential := n >= 0 && zoo.CreateMode(e.Mode).IsSequential(); {
	case sequential && n >= p.Next:
		p.Next, p.Numbers = n+1, true
	case !sequential:
		p.Next++
	}
}

// removeChild counts a deleted child. What servers have forgotten never existed: a new leader counts on without it.
func (s *State) removeChild(e event.Event) {
	if p := s.Node(parent(e.Path)); p != nil && !p.Gone && e.Path != "" {
		p.Children = max(p.Children-1, 0)
		p.ChildGone = s.At
		if e.Reason == event.ByFailover {
			p.Next = max(p.Next-1, 0)
		}
	}
}

func parent(path string) string {
	switch i := strings.LastIndexByte(path, '/'); {
	case i > 0:
		return path[:i]
	case i == 0 && path != "/":
		return "/"
	}
	return ""
}

// injected records for how long a fault blocks a client's messages.
func (s *State) injected(e event.Event) {
	c := s.Client(e.Peer)
	if c == nil {
		return
	}
	if f, err := fault.Parse(e.Text); err == nil && f.Kind == fault.Cut {
		c.CutUntil = e.At + f.For
	}
}

// Pending reports whether a fired watch's event is still to be delivered.
func (w *Watch) Pending() bool { return w.pending }
