// Package tap stands between the clients of a ZooKeeper and its servers: it passes bytes on as they come, in both
// directions, and tells what the clients ask, get and are told. viz-server tap runs it.
//
// What passes is never held up, changed or read by the path: each way is a goroutine that reads what there is, puts a
// copy into a bounded inbox, and writes it on. A goroutine beside them takes the copies, understands them through
// engine/capture, and tells of them: as Records, in Figures, and as a log of events to anyone who observes. If it is
// too far behind, copies are left out, which is told as a gap of that connection; the path counts the lengths of the
// frames, so that the next one that begins is understood again. A tap that ends, however it does, is a broken
// connection to those on both of its sides.
//
// It never writes anything of its own, and keeps no credentials: passwords of sessions and what clients prove who they
// are with are in no record, event or figure. It is not a load balancer, and understands nothing that is encrypted
// between a client and itself.
//
// The path is in pipe.go; hearing.go and talk.go understand it.
package tap

import (
	"time"

	"github.com/zkviz/zkviz/engine/wire"
)

// Limits. Reaching one is told, and delays nobody.
const (
	// MaxConns is how many clients may be connected at a time unless Config says otherwise. Beyond it a connection is
	// closed at once.
	MaxConns = 2048
	// MaxSessions is how many sessions are known at a time. The connections of further ones are passed on unseen.
	MaxSessions = 5000
	// MaxFrame is the longest frame in bytes that is understood. Of a longer one the connection is out of sight until it
	// is over.
	MaxFrame = wire.MaxFrame
	// MaxBehind is how many bytes may wait to be understood, with about a hundred more for each piece.
	MaxBehind = 16 << 20
	// MaxKept is how many bytes are kept of frames that are not whole, wait for others, or are not answered.
	MaxKept = 32 << 20
	// MaxOutstanding is how many requests of one connection may be without an answer, and how many frames may wait.
	MaxOutstanding = 20_000
)

const (
	smallBuffer = 4 << 10  // bytes that a way reads at once at first,
	largeBuffer = 16 << 10 // and at most
	pieceBytes  = 100      // what a piece takes in the inbox besides its bytes

	// patience is how long the log waits for what a watch event may have come of, once all writes are answered: facts on
	// different connections come out of order by microseconds.
	patience = 100 * time.Millisecond
	// lookEvery is how often it is looked whether something need not wait any longer.
	lookEvery = 50 * time.Millisecond
	// sweepEvery is how often it is looked which sessions must be over.
	sweepEvery = time.Second
	// silences is after how many of its timeouts without a connection a session is taken for expired, though nothing has
	// shown it: a server counts from its last word, and in ticks.
	silences = 2

	// maxHello is the longest first frame of a client, as ZooKeeper has it: anything longer is no handshake.
	maxHello = 1 << 10
	// dialWithin is how long a server may take to be reached.
	dialWithin = 5 * time.Second
)
