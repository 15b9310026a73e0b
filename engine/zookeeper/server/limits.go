package server

import (
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
	"github.com/zkviz/zkviz/engine/zookeeper/znode"
)

// Limits limits what clients may keep in a server. A field of 0 sets no limit. The server refuses what exceeds a
// limit: changes of the tree and watches with zoo.ErrQuotaExceeded, an ACL with zoo.ErrInvalidACL, and a multi with
// zoo.ErrMarshalling. An identity, or too many watches of a reconnecting client, end the connection.
type Limits struct {
	Tree znode.Limits

	Watches        int // of all connections; a persistent one counts twice, since it is in both tables
	WatchesPerConn int
	WatchBytes     int // total length of the paths of all watches
	// WatchesKept is the number of watches that each connection can count on whatever the others do, if their paths
	// are no longer than the average limit. The last quarter of Watches and of WatchBytes is reserved for them.
	WatchesKept int

	IDs     int // of one connection, including its address
	IDBytes int // of one connection

	Parts int // of a multi or a multiRead
}

// tooLong reports whether a multi or a multiRead has too many parts.
func (l *Limits) tooLong(q *wire.Request) bool { return l.Parts > 0 && len(q.Ops) > l.Parts }

// admitsID reports whether the connection may add another identity.
func (l *Limits) admitsID(d *identity, q *wire.Request) bool {
	bytes := len(q.Scheme) + len(q.Auth) + d.bytes()
	return (l.IDs == 0 || len(d.ids) <= l.IDs) && (l.IDBytes == 0 || bytes <= l.IDBytes)
}
