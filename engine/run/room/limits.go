package room

import (
	"time"

	"github.com/zkviz/zkviz/engine/run"
)

// Limits for viewers, in addition to those of the protocol. Reaching one is an error that says so, never a hang.
const (
	// framesAtOnce is how many frames of a branch a viewer gets before the server looks for other news.
	framesAtOnce = 8
	// MaxSockets is how many viewers may be connected at once, and MaxSocketsPerClient how many from one address. A
	// lecture hall may have only one address.
	MaxSockets          = 2000
	MaxSocketsPerClient = 1200
	// MaxAsks is how many messages of a viewer may wait for earlier ones, and MaxAskBytes how many bytes.
	MaxAsks     = 64
	MaxAskBytes = 8 << 10
	// MaxRefusals is how many refused messages close a connection.
	MaxRefusals = 100

	// MaxRooms is how many runs are kept, and MaxRoomsPerClient how many of them count for one address.
	MaxRooms          = 1000
	MaxRoomsPerClient = 600
	// MaxKept is how many bytes their logs may take in total, at 10 to 20 an event, and MaxKeptPerClient those of one
	// address.
	MaxKept          = 256 << 20
	MaxKeptPerClient = 128 << 20
	// MaxComputing is how many simulations are computed at once, however many processors there are. Each takes
	// memory for its state and, until it is kept, for its log.
	MaxComputing = 3
	// MaxLong is how many simulations of more than QuickEvents events are computed in addition.
	MaxLong     = 1
	QuickEvents = 250_000
	// MaxRunEvents is the length of the longest log of a simulated run: a herd of 1,000 clients takes up to five
	// million events. MaxRunBytes is its memory limit. MaxLiveEvents is the length of the longest log of a run on a
	// cluster. A longer observation continues in a new log, and so does one above MaxLiveBytes.
	MaxRunEvents  = run.KeptEvents
	MaxRunBytes   = 96 << 20
	MaxLiveEvents = 100_000
	MaxLiveBytes  = 32 << 20
	// MaxFile is the size of the largest trace file that is opened, in bytes, and MaxFileEvents its most events.
	MaxFile       = 64 << 20
	MaxFileEvents = 250_000
	// MaxLive is how many runs and observations use the cluster at once, MaxLivePerClient how many of them count for
	// one address, and MaxLiveClients how many sessions one run may open there.
	MaxLive          = 16
	MaxLivePerClient = 12
	MaxLiveClients   = 100
	// MaxZoos is how many subtrees of the embedded ZooKeeper are shown at once, and MaxZoosPerClient how many of them
	// to one address.
	MaxZoos          = 16
	MaxZoosPerClient = 12
	// MaxContendersInAll is how many contenders all of them have, and MaxContendersPerClient how many count for one
	// address.
	MaxContendersInAll     = 60
	MaxContendersPerClient = 40
)

// Time limits.
const (
	// KeepIdle is how long a run without viewers can be resumed.
	KeepIdle = 10 * time.Minute
	// spareIdle is how long its memory is safe from others, because a viewer may be back in a moment.
	spareIdle = 20 * time.Second
	// KeepLiveIdle replaces KeepIdle for a run on a cluster, and KeepSeenIdle for an observation, whose viewer can
	// read everything again.
	KeepLiveIdle = time.Minute
	KeepSeenIdle = 10 * time.Second
	// verdictEvery is the shortest time between two verdicts on a log that grows.
	verdictEvery = 250 * time.Millisecond
	// PingEvery is the interval of pings, which detect dead connections.
	PingEvery = 30 * time.Second
	// computeTimeout limits one simulation. answerTimeout limits a viewer's request, including the wait for a turn.
	computeTimeout = 30 * time.Second
	answerTimeout  = 45 * time.Second
	// pageTimeout is computeTimeout in a page, which computes for its one reader and says how far it is.
	pageTimeout = 3 * time.Minute
	// fairTurn is how long a computation may run while clients wait that have computed less. lookEvery is the
	// interval of checks for such clients from then on.
	fairTurn = 3 * time.Second
	// longTurn is fairTurn for a turn for long computations.
	longTurn  = 12 * time.Second
	lookEvery = 200 * time.Millisecond
	// slowFor is how long a computation is refused that exceeded computeTimeout.
	slowFor = 5 * time.Minute
	// askWithin is how long a connected viewer may request nothing before it gives way to others.
	askWithin = 10 * time.Second
	// RetryEvery is the pause before another attempt to reach a cluster.
	RetryEvery = 2 * time.Second
	// sweepEvery is the interval of checks for runs without viewers.
	sweepEvery = 5 * time.Second
	// CloseTimeout limits the clean-up of runs on a cluster at the end.
	CloseTimeout = 15 * time.Second
)
