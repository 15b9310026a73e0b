package embed

import (
	"cmp"
	"sync/atomic"
	"time"

	"github.com/zkviz/zkviz/engine/server"
	"github.com/zkviz/zkviz/engine/znode"
)

// What clients may keep in a server, unless its Config says otherwise. All together take less than 500 MB.
const (
	DefaultConns   = 2048
	DefaultZnodes  = 300_000
	DefaultData    = 64 << 20 // bytes
	DefaultWatches = 200_000

	maxDepth     = 256 // names in a path
	maxACL       = 64  // entries of an ACL that is asked for; those for "auth" become several
	maxIDs       = 64  // of one connection, besides its address
	maxIDBytes   = 16 << 10
	maxParts     = 5000 // of a multi or a multiRead
	maxHandshake = 4 << 10
)

// MaxReply is the longest reply in bytes. A request whose reply would be longer is answered with zoo.ErrMarshalling.
const MaxReply = 16 << 20

// bounds are on what the server holds for connections at a time: bytes that clients do not read, or do not finish to
// send. Tests have smaller ones.
type bounds struct {
	reply        int           // the longest reply
	replies      int64         // of all replies that are longer than shortReply, together
	huge         int64         // of all that are longer than hugeReply, which are not counted in that
	requests     int64         // of all requests that are longer than wire.FrameReader takes without asking
	hugeRequests int64         // of all that are longer than hugeRequest, which are not counted in that
	encoded      int64         // of all watch events and short replies
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

// limits are those of the tree and of watches and identities.
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

// watchBytes is how long a watch's path may be on the average.
const watchBytes = 128

// pressure is what all connections together have to write in short frames, and how many connections there are.
type pressure struct {
	most  int64 // bytes
	bytes atomic.Int64
	conns atomic.Int64
}

// scarce reports whether a connection whose client has not read its last replies gets no more until it has.
func (p *pressure) scarce() bool { return p.bytes.Load() > p.most/2 }

// over reports whether somebody has to give way.
func (p *pressure) over() bool { return p.bytes.Load() > p.most }

// Buffers that a connection keeps for the next time, in bytes, and how many connections make a crowd.
const (
	keepBuffer  = 64 << 10
	crowdBuffer = 4 << 10
	crowd       = 128
)

// keep is the longest buffer that is kept.
func (p *pressure) keep() int {
	if p.conns.Load() > crowd {
		return crowdBuffer
	}
	return keepBuffer
}
