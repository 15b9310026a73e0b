package room

import (
	"time"

	"github.com/zkviz/zkviz/engine/run"
)

// Limits of what viewers may ask for, besides those of the protocol. Reaching one is an error that says so, never a
// hang.
const (
	// framesAtOnce is how many frames a viewer gets of a branch before it is looked whether there is other news.
	framesAtOnce = 8
	// MaxSockets is how many viewers may be connected at once, MaxSocketsOfAsker how many from one address: a lecture
	// hall may have only one.
	MaxSockets        = 2000
	MaxSocketsOfAsker = 1200
	// MaxAsks is how many messages of a viewer may wait until those before them are done, MaxAskBytes how many bytes.
	MaxAsks     = 64
	MaxAskBytes = 8 << 10
	// MaxRefusals is how many messages of a connection may be refused before it is closed.
	MaxRefusals = 100

	// MaxRooms is how many runs are kept, MaxRoomsOfAsker how many of them count for one address.
	MaxRooms        = 1000
	MaxRoomsOfAsker = 600
	// MaxKept is how many bytes their logs may take in all, at 10 to 20 an event, MaxKeptOfAsker those of one address.
	MaxKept        = 256 << 20
	MaxKeptOfAsker = 128 << 20
	// MaxComputing is how many simulations are computed at once, however many processors there are: each takes memory
	// for what it simulates and, until it is kept, for its log.
	MaxComputing = 3
	// MaxLong is how many simulations are computed besides, of those that have more than QuickEvents.
	MaxLong     = 1
	QuickEvents = 250_000
	// MaxRunEvents is the longest log of one simulated run: a herd of 1,000 clients takes up to five million events to
	// its end. MaxRunBytes is how much memory it may take. MaxLiveEvents is the longest of one on a cluster. An
	// observation that gets longer goes on in a new log, and so does one of more than MaxLiveBytes.
	MaxRunEvents  = run.KeptEvents
	MaxRunBytes   = 96 << 20
	MaxLiveEvents = 100_000
	MaxLiveBytes  = 32 << 20
	// MaxLive is how many runs and observations use the cluster at once, MaxLiveOfAsker how many of them count for one
	// address, MaxLiveClients how many sessions one run may open there.
	MaxLive        = 16
	MaxLiveOfAsker = 12
	MaxLiveClients = 100
	// MaxZoos is how many subtrees of the embedded ZooKeeper are shown at once, MaxZoosOfAsker how many of them to
	// one address.
	MaxZoos        = 16
	MaxZoosOfAsker = 12
	// MaxContendersInAll is how many clients of ours contend in all of them, MaxContendersOfAsker those that count for
	// one address.
	MaxContendersInAll   = 60
	MaxContendersOfAsker = 40
)

// Times, each the longest.
const (
	// KeepIdle is for how long a run that nobody watches can be resumed.
	KeepIdle = 10 * time.Minute
	// spareIdle is for how long its memory is left to a run that somebody may come back to in a moment.
	spareIdle = 20 * time.Second
	// KeepLiveIdle is the same for a run that keeps a cluster busy, KeepSeenIdle for an observation of one: a viewer that
	// comes back has it all read again.
	KeepLiveIdle = time.Minute
	KeepSeenIdle = 10 * time.Second
	// PingEvery finds out connections whose other end is gone.
	PingEvery = 30 * time.Second
	// computeTimeout is for one simulation that a viewer asked for, answerTimeout for what a viewer asks for, with the
	// wait for a turn to compute it.
	computeTimeout = 30 * time.Second
	answerTimeout  = 45 * time.Second
	// fairTurn is how long a computation may take while others wait who have computed less, lookEvery how often it is
	// looked from then on whether there are any.
	fairTurn = 3 * time.Second
	// longTurn is the same for one that has a turn for long ones.
	longTurn  = 12 * time.Second
	lookEvery = 200 * time.Millisecond
	// slowFor is for how long nothing is tried again that took longer than computeTimeout.
	slowFor = 5 * time.Minute
	// askWithin is for how long a viewer may be connected and ask for nothing before it gives way to others.
	askWithin = 10 * time.Second
	// RetryEvery is the pause before an unreachable cluster is tried again.
	RetryEvery = 2 * time.Second
	// sweepEvery is the pause between two looks for runs that nobody watches.
	sweepEvery = 5 * time.Second
	// CloseTimeout is for the clean-up of runs on a cluster when all ends.
	CloseTimeout = 15 * time.Second
)
