package server

import (
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/znode"
	"github.com/zkviz/zkviz/engine/zoo"
)

// What a host may see of the server, for the four-letter words and the page that shows who is there.

// SessionInfo is one session.
type SessionInfo struct {
	ID       int64
	Actor    event.Actor
	Timeout  time.Duration
	Deadline time.Duration // it expires then, if nothing is heard before
	Conn     *Conn         // nil while it is away
}

// Sessions is all sessions, by number.
func (s *Server) Sessions() []SessionInfo {
	list := make([]SessionInfo, 0, len(s.sessions))
	for _, id := range slices.Sorted(maps.Keys(s.sessions)) {
		list = append(list, s.sessions[id].info())
	}
	return list
}

func (n *session) info() SessionInfo {
	return SessionInfo{n.id, n.actor, n.timeout, n.deadline, n.conn}
}

// EachSession goes through all sessions, in no order. The server may do other things between two steps: a session that
// comes or goes meanwhile is told or not.
func (s *Server) EachSession() iter.Seq[SessionInfo] {
	return func(yield func(SessionInfo) bool) {
		for _, n := range s.sessions {
			if !yield(n.info()) {
				return
			}
		}
	}
}

// NumSessions is how many sessions there are.
func (s *Server) NumSessions() int { return len(s.sessions) }

// Tree is the server's tree, to be read.
func (s *Server) Tree() *znode.Tree { return s.tree }

// Zxid is the number of the last transaction.
func (s *Server) Zxid() int64 { return s.tree.Zxid() }

// WatchInfo is one watch. A persistent one stands in both tables, and is listed for each.
type WatchInfo struct {
	Path    string
	Session int64
	Actor   event.Actor
	Kind    event.Watch
}

// EachWatch goes through the watches in one of the tables, in no order. The server may do other things between two
// steps: a watch that comes or goes meanwhile is told or not.
func (s *Server) EachWatch(in znode.Tables) iter.Seq[WatchInfo] {
	return func(yield func(WatchInfo) bool) {
		for w := range s.watches.Each(in) {
			c := s.conns[w.Watcher]
			if !yield(WatchInfo{w.Path, c.Session(), c.actor, w.Watch}) {
				return
			}
		}
	}
}

// WatchSummary is what the four-letter word wchs says, which counts data watches only, as ZooKeeper does, and
// the number of all.
type WatchSummary struct {
	Conns int // that have set a data watch, also if it has been spent since
	Paths int // with a data watch
	Data  int // data watches
	All   int // data watches and child watches
}

// WatchSummary counts the watches.
func (s *Server) WatchSummary() WatchSummary {
	n := s.watches.Counts()
	return WatchSummary{n.Conns, n.Paths, n.Data, n.Data + n.Child}
}

// Make makes a persistent znode, open to all, and those above it, unless they are there: what a host wants to
// be there before any client.
func (s *Server) Make(path string, now time.Duration, cause event.Seq) zoo.Code {
	s.now = now
	for i := 1; i <= len(path); i++ {
		if i < len(path) && path[i] != '/' {
			continue
		}
		if _, there := s.tree.Stat(path[:i]); there {
			continue
		}
		x := znode.Txn{Kind: znode.Create, Path: path[:i], TimeMS: s.nowMS(), Caller: znode.Caller{Trusted: true}}
		var r znode.Result
		if r, s.changes = s.tree.Apply(x, s.changes[:0]); r.Code != zoo.OK {
			return r.Code
		}
		s.publish(0, event.ByOp, cause)
	}
	return zoo.OK
}
