package server

import (
	"github.com/zkviz/zkviz/engine/wire"
	"github.com/zkviz/zkviz/engine/znode"
)

// Limits bound what clients may keep in a server. A field that is 0 bounds nothing. What is beyond one is refused:
// what would be kept in the tree and watches with zoo.ErrQuotaExceeded, an ACL with zoo.ErrInvalidACL, a multi with
// zoo.ErrMarshalling; an identity, and watches of a client that comes back, with the end of the connection.
type Limits struct {
	Tree znode.Limits

	Watches        int // of all connections; a persistent one counts twice, since it stands in both tables
	WatchesPerConn int
	WatchBytes     int // of the paths of all watches
	// WatchesKept is how many watches a connection has room for whatever the others have, if their paths have no more
	// bytes than all may have on the average: the last quarter of Watches and of WatchBytes is kept for such.
	WatchesKept int

	IDs     int // of one connection, its address included
	IDBytes int // of one connection

	Parts int // of a multi or a multiRead
}

// tooLong reports whether a multi or a multiRead has too many parts.
func (l *Limits) tooLong(q *wire.Request) bool { return l.Parts > 0 && len(q.Ops) > l.Parts }

// letsShow reports whether the connection may show itself to be one more.
func (l *Limits) letsShow(c *Conn, q *wire.Request) bool {
	bytes := len(q.Scheme) + len(q.Auth)
	for _, id := range c.ids {
		bytes += len(id.Scheme) + len(id.ID)
	}
	return (l.IDs == 0 || len(c.ids) <= l.IDs) && (l.IDBytes == 0 || bytes <= l.IDBytes)
}

// mayWatch reports whether the connection may have a watch on the path: it has, or there is room for another.
func (c *Conn) mayWatch(path string) bool {
	l := &c.s.cfg.Limits
	if l.Watches == 0 && l.WatchesPerConn == 0 && l.WatchBytes == 0 {
		return true
	}
	count, bytes := c.s.watches.All()
	mine := c.s.watches.Of(c.id)
	if l.WatchesKept > 0 && (mine >= l.WatchesKept || len(path) > l.WatchBytes/max(l.Watches, 1)) {
		count, bytes = count+l.Watches/4, bytes+l.WatchBytes/4
	}
	switch {
	case l.Watches > 0 && count >= l.Watches,
		l.WatchBytes > 0 && bytes+len(path) > l.WatchBytes,
		l.WatchesPerConn > 0 && mine >= l.WatchesPerConn:
		return c.s.watches.Stands(c.id, path)
	}
	return true
}
