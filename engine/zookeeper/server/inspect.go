package server

import (
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/znode"
)

// What a host may see of the server, for the four-letter words and the page that lists clients.

// SessionInfo describes a session.
type SessionInfo struct {
	ID       int64
	Actor    event.Actor
	Timeout  time.Duration
	Deadline time.Duration // when it expires unless it is heard from
	Conn     *Conn         // nil while it is disconnected
}

// Sessions returns all sessions, sorted by number.
func (s *Server) Sessions() []SessionInfo {
	list := make([]SessionInfo, 0, len(s.sessions.all))
	for _, id := range slices.Sorted(maps.Keys(s.sessions.all)) {
		list = append(list, s.sessions.all[id].info())
	}
	return list
}

func (n *session) info() SessionInfo {
	return SessionInfo{n.id, n.actor, n.timeout, n.deadline, n.conn}
}

// EachSession yields all sessions, in no order. The server may do other work between steps. EachSession may yield or
// skip a session that comes or goes in between.
func (s *Server) EachSession() iter.Seq[SessionInfo] {
	return func(yield func(SessionInfo) bool) {
		for _, n := range s.sessions.all {
			if !yield(n.info()) {
				return
			}
		}
	}
}

// NumSessions returns the number of sessions.
func (s *Server) NumSessions() int { return len(s.sessions.all) }

// Tree returns the server's tree, for reading only.
func (s *Server) Tree() *znode.Tree { return s.tree }

// Zxid returns the zxid of the last transaction.
func (s *Server) Zxid() int64 { return s.tree.Zxid() }

// WatchInfo describes a watch. A persistent one is in both tables and is listed for each.
type WatchInfo struct {
	Path    string
	Session int64
	Actor   event.Actor
	Kind    event.Watch
}

// EachWatch yields the watches in one of the tables, in no order. The server may do other work between steps.
// EachWatch may yield or skip a watch that comes or goes in between.
func (s *Server) EachWatch(in znode.Tables) iter.Seq[WatchInfo] {
	return func(yield func(WatchInfo) bool) {
		for w := range s.watchers.table.Each(in) {
			c := s.watchers.conns[w.Watcher]
			if !yield(WatchInfo{w.Path, c.Session(), c.actor, w.Watch}) {
				return
			}
		}
	}
}

// WatchSummary has the numbers of the four-letter word wchs, which counts only data watches, as in ZooKeeper, and the
// number of all watches.
type WatchSummary struct {
	Conns int // connections that ever set a data watch
	Paths int // paths with a data watch
	Data  int // data watches
	All   int // data watches and child watches
}

// WatchSummary counts the watches.
func (s *Server) WatchSummary() WatchSummary {
	n := s.watchers.table.Counts()
	return WatchSummary{n.Conns, n.Paths, n.Data, n.Data + n.Child}
}

// Make creates a persistent znode, open to all, and its missing ancestors. Hosts use it before any client connects.
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

// CountFrom makes the znode at path number its next child n, unless it has had more children. Hosts use it before any
// client connects: nobody has the time for 2³¹ creates.
func (s *Server) CountFrom(path string, n int32) { s.tree.CountFrom(path, n) }
