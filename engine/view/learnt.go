package view

import (
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/fault"
	"github.com/zkviz/zkviz/engine/naming"
	"github.com/zkviz/zkviz/engine/zoo"
)

// Learnt is what a client has read or written last, as ZooKeeper, or a database, had it when it answered. It may be
// true no more.
type Learnt struct {
	Op      event.Op // Get, Set, Exists, Children, or Multi that has written; NoOp if it has read nothing
	Path    string
	There   bool   // the znode was
	Data    string // the start of it, of Get, Set and Multi
	Version int32
	Names   int32 // how many children were listed
}

// Refused is the last write of a client that ZooKeeper refused.
type Refused struct {
	Op   event.Op
	Path string
	Code int32
	At   time.Duration // when the client heard of it; 0 for none
}

// reads notes what the answer that ZooKeeper sends tells of a znode.
func (s *State) reads(c *Client, e event.Event) {
	c.answer = Learnt{}
	switch e.Op {
	case event.Get, event.Set, event.Exists, event.Children:
	case event.Multi: // of the znode that it names first, which it may only check
		if c.Value.Path != e.Path {
			return
		}
	default:
		return
	}
	a, n := Learnt{Op: e.Op, Path: e.Path}, s.Node(e.Path)
	if n != nil && s.lags(c.Server, n.Mzxid) {
		return // which of the earlier data it has is not known: the client may have read that before
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

// lags reports whether a server of an ensemble, of which it is known what it has applied, lacks a transaction.
func (s *State) lags(server event.Actor, zxid int64) bool {
	n := server.Number()
	if server.Kind() != event.AServer || n > len(s.Servers) { // nobody has told of it
		return false
	}
	v := &s.Servers[n-1]
	return v.Delivered > 0 && v.Delivered < zxid
}

// learns is that the answer has come.
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

// addChild counts a znode that was made below its parent. ZooKeeper numbers sequential znodes by that count, which
// never falls. A log that begins later tells of a larger number; a smaller one has been counted with it, where a log
// hears of the later znode first.
func (s *State) addChild(e event.Event) {
	p := s.Node(parent(e.Path))
	if p == nil || p.Gone || e.Path == "" {
		return
	}
	if c := s.Node(e.Path); c == nil || c.Gone { // else it's told of once more
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

// removeChild counts one that went. What the servers have forgotten never came: a new leader counts on without it.
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

// injected notes for how long a fault keeps a client's messages from passing.
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
