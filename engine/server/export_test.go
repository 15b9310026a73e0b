package server

import (
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/znode"
	"github.com/zkviz/zkviz/engine/zoo"
)

// Alive reports whether there is a session of that number.
func (s *Server) Alive(session int64) bool { return s.sessions[session] != nil }

// Conns is all connections, in no promised order but the same each time. One that has no session yet has 0.
func (s *Server) Conns() []*Conn {
	return slices.DeleteFunc(slices.Clone(s.conns), func(c *Conn) bool { return c == nil || c.closed })
}

// Watches is all watches, by path, data before children.
func (s *Server) Watches() []WatchInfo {
	list := slices.AppendSeq(slices.Collect(s.EachWatch(znode.DataTable)), s.EachWatch(znode.ChildTable))
	slices.SortStableFunc(list, func(a, b WatchInfo) int { return strings.Compare(a.Path, b.Path) })
	return list
}

// IDs is whom the connection has shown itself to be, and its address.
func (c *Conn) IDs() []zoo.ID { return slices.Clone(c.ids) }
