package embed

import (
	"cmp"
	"sync/atomic"
	"time"

	"github.com/zkviz/zkviz/engine/zookeeper/server"
	"github.com/zkviz/zkviz/engine/zookeeper/znode"
)

// Default limits for what clients keep in a server. All together take less than 500 MB.
const (
	DefaultConns   = 2048
	DefaultZnodes  = 300_000
	DefaultData    = 64 << 20 // bytes
	DefaultWatches = 200_000

	maxDepth     = 256 // names in a path
	maxACL       = 64  // entries of a requested ACL; entries for "auth" expand to several
	maxIDs       = 64  // of one connection, apart from its address
	maxIDBytes   = 16 << 10
	maxParts     = 5000 // of a multi or a multiRead
	maxHandshake = 4 << 10
)

// MaxReply is the longest reply in bytes. A request whose reply would be longer is answered with zoo.ErrMarshalling.
const MaxReply = 16 << 20

// bounds limits what the server holds for all connections: bytes that clients don't read or don't finish sending.
// Tests use smaller ones.
type bounds struct {
	reply        int           // the longest reply
	replies      int64         // all replies longer than shortReply, together
	huge         int64         // all replies longer than hugeReply, which don't count in replies
	requests     int64         // all requests longer than wire.FrameReader takes without asking
	hugeRequests int64         // all requests longer than hugeRequest, which don't count in requests
	encoded      int64         // all watch events and short replies
	stall        time.Duration // see budget
}

func (b bounds) withDefaults() bounds {
	b.reply = cmp.Or(b.reply, MaxReply)
	b.replies = cmp.Or(b.replies, 16<<20)
	b.huge = cmp.Or(b.huge, 2*MaxReply)
	b.requests = cmp.Or(b.requests, 8<<20)
	b.hugeRequests = cmp.Or(b.hugeRequests, 16<<20)
	b.encoded = cmp.Or(b.encoded, 32<<20)
	b.stall = cmp.Or(b.stall, time.Second)
	return b
}

// limits returns the limits on the tree, watches and identities.
func (c Config) limits() server.Limits {
	return server.Limits{
		Tree: znode.Limits{
			Nodes: max(c.MaxZnodes, 0), Owned: max(c.MaxZnodes, 0) / 4, Bytes: max(c.MaxData, 0), ACL: maxACL, Depth: maxDepth,
		},
		Watches:        max(c.MaxWatches, 0),
		WatchesPerConn: max(c.MaxWatches, 0) / 2,
		WatchBytes:     max(c.MaxWatches, 0) * watchBytes,
		WatchesKept:    max(c.MaxWatches, 0) / 4 / cmp.Or(max(c.MaxConns, 0), DefaultConns),
		IDs:            maxIDs,
		IDBytes:        maxIDBytes,
		Parts:          maxParts,
	}
}

// watchBytes is how long a watch's path may be on average.
const watchBytes = 128

// pressure counts what all connections together have to write in short frames, and the connections.
type pressure struct {
	most  int64 // bytes
	bytes atomic.Int64
	conns atomic.Int64
}

// scarce reports whether clients with unread replies get no more for now.
func (p *pressure) scarce() bool { return p.bytes.Load() > p.most/2 }

// over reports whether a connection has to give way.
func (p *pressure) over() bool { return p.bytes.Load() > p.most }

// Sizes in bytes of the buffers that a connection keeps, and the number of connections from which they are smaller.
const (
	keepBuffer  = 64 << 10
	crowdBuffer = 4 << 10
	crowd       = 128
)

// keep returns the size of the longest buffer to keep.
func (p *pressure) keep() int {
	if p.conns.Load() > crowd {
		return crowdBuffer
	}
	return keepBuffer
}
