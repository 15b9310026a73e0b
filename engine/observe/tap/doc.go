// Package tap stands between the clients of a ZooKeeper and its servers. It passes bytes on in both directions, and
// reports what the clients request and receive. viz-server tap runs it.
//
// The path never delays, changes or interprets bytes. Each direction has a goroutine that reads what is there, puts
// a copy into a bounded inbox, and writes it on. Another goroutine decodes the copies with engine/observe/capture. It
// reports them as Records, in Figures, and as a log of events to observers. If it falls too far behind, copies are
// dropped, which it reports as a gap of that connection. The path keeps counting frame lengths, so decoding resumes
// with the next frame. When a tap ends, in whatever way, both sides see a broken connection.
//
// The tap never writes anything of its own, and keeps no credentials: no record, event or figure contains session
// passwords or authentication data. It is not a load balancer, and cannot decode anything encrypted between a
// client and itself.
//
// The path is in pipe.go; decoder.go and talk.go decode.
package tap

import (
	"time"

	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// Limits. Reaching one is reported and delays nobody.
const (
	// MaxConns is the default limit of connected clients. Connections beyond it are closed at once.
	MaxConns = 2048
	// MaxSessions is how many sessions are known at a time. The connections of further ones pass undecoded.
	MaxSessions = 5000
	// MaxFrame is the longest decoded frame in bytes. After a longer one, its connection is no longer decoded.
	MaxFrame = wire.MaxFrame
	// MaxBehind is how many bytes may wait to be decoded, including about a hundred for each piece.
	MaxBehind = 16 << 20
	// MaxKept is how many bytes are kept of frames that are incomplete, wait for others, or have no answer yet.
	MaxKept = 32 << 20
	// MaxOutstanding is how many requests of one connection may lack an answer, and how many of its frames may wait.
	MaxOutstanding = 20_000
)

const (
	smallBuffer = 4 << 10  // bytes that a direction reads at once at first,
	largeBuffer = 16 << 10 // and at most
	pieceBytes  = 100      // what a piece counts for in addition to its bytes

	// patience is how long the log waits for the cause of a watch event once all writes have answers. Data on
	// different connections arrives out of order by microseconds.
	patience = 100 * time.Millisecond
	// lookEvery is the interval of checks for waits that can end.
	lookEvery = 50 * time.Millisecond
	// sweepEvery is the interval of checks for sessions that must be over.
	sweepEvery = time.Second
	// silences is after how many timeouts without a connection a session counts as expired, even without evidence:
	// a server counts from its own last message, and in ticks.
	silences = 2

	// maxHello is ZooKeeper's limit on a client's first frame. Anything longer is no handshake.
	maxHello = 1 << 10
	// dialWithin is the time limit for connecting to a server.
	dialWithin = 5 * time.Second
)
