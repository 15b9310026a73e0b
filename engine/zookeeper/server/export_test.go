package server

import (
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/znode"
)

// Alive reports whether the session exists.
func (s *Server) Alive(session int64) bool { return s.sessions.all[session] != nil }

// Conns returns all connections in a fixed but unspecified order. One without a session has session 0.
func (s *Server) Conns() []*Conn {
	return slices.DeleteFunc(slices.Clone(s.watchers.conns), func(c *Conn) bool { return c == nil || c.closed })
}

// Watches returns all watches by path, data before children.
func (s *Server) Watches() []WatchInfo {
	list := slices.AppendSeq(slices.Collect(s.EachWatch(znode.DataTable)), s.EachWatch(znode.ChildTable))
	slices.SortStableFunc(list, func(a, b WatchInfo) int { return strings.Compare(a.Path, b.Path) })
	return list
}

// IDs returns the connection's address and what it authenticated as.
func (c *Conn) IDs() []zoo.ID { return slices.Clone(c.identity.ids) }
