package server

import (
	"net/netip"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/znode"
	"github.com/zkviz/zkviz/engine/zoo"
)

// What a host may see of the server, for the four-letter words and the page that shows who is there.

// SessionInfo is one session.
type SessionInfo struct {
	ID         int64
	Actor      event.Actor
	Timeout    time.Duration
	Deadline   time.Duration // it expires then, if nothing is heard before
	Conn       *Conn         // nil while it is away
	Ephemerals []string      // in the order they were made
}

// Sessions is all sessions, by number.
func (s *Server) Sessions() []SessionInfo { return nil }

// NumSessions is how many sessions there are.
func (s *Server) NumSessions() int { return len(s.sessions) }

// Alive reports whether there is a session of that number.
func (s *Server) Alive(session int64) bool { return s.sessions[session] != nil }

// Conns is all connections that have a session, in the order in which they got it.
func (s *Server) Conns() []*Conn { return nil }

// Tree is the server's tree, to be read.
func (s *Server) Tree() *znode.Tree { return s.tree }

// Zxid is the number of the last transaction.
func (s *Server) Zxid() int64 { return s.tree.Zxid() }

// WatchInfo is one watch.
type WatchInfo struct {
	Path    string
	Session int64
	Actor   event.Actor
	Kind    event.Watch
}

// Watches is all watches, by path, data watches before those of children.
func (s *Server) Watches() []WatchInfo { return nil }

// WatchSummary is what the four-letter word wchs says, which counts data watches only, as ZooKeeper does, and
// the number of all.
type WatchSummary struct {
	Conns, Paths, Data int // connections with a data watch, paths with one, data watches
	All                int // data watches and child watches
}

// WatchSummary counts the watches.
func (s *Server) WatchSummary() WatchSummary { return WatchSummary{} }

// Make makes a persistent znode, open to all, and those above it, unless they are there: what a host wants to
// be there before any client.
func (s *Server) Make(path string, now time.Duration, cause event.Seq) zoo.Code { return zoo.OK }

// Snapshot appends the tree and the sessions to dst, in a form for Restore. Connections and watches are not
// part of it.
func (s *Server) Snapshot(dst []byte) []byte { return dst }

// Restore is a server with the tree and the sessions of a snapshot, each with its full timeout from now 0. It
// refuses what is no snapshot, whatever the bytes.
func Restore(cfg Config, snapshot []byte) (*Server, error) { return New(cfg), nil }

// addrOf is how ZooKeeper writes an address in the scheme ip.
func addrOf(a netip.Addr) string { return a.Unmap().WithZone("").String() }
