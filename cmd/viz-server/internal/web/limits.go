package web

import "time"

// Limits of what a page may ask for. Reaching one is an error that says so, never a hang.
const (
	// MaxMessage is the longest message that a page may send, in bytes.
	MaxMessage = 4 << 10
	// MaxFrame is the longest frame that a page gets, in bytes.
	MaxFrame = 32 << 10
	// framesAtOnce is how many frames a page gets of a branch before it is looked whether there is other news.
	framesAtOnce = 8
	// MaxOpenFaults is how many faults a run that a page opens may begin with.
	MaxOpenFaults = 64
	// MaxSockets is how many pages may be connected at once, MaxSocketsOfAsker how many from one address: a lecture
	// hall may have only one.
	MaxSockets        = 2000
	MaxSocketsOfAsker = 1200
	// MessagesPerSecond is what a page may send in the long run, MessageBurst at once.
	MessagesPerSecond = 20
	MessageBurst      = 60
	// MaxAsks is how many messages of a page may wait until those before them are done, MaxAskBytes how many bytes.
	MaxAsks     = 64
	MaxAskBytes = 8 << 10
	// MaxRefusals is how many messages of a connection may be refused before it is closed.
	MaxRefusals = 100

	// MaxRooms is how many runs are kept, MaxRoomsOfAsker how many of them count for one address.
	MaxRooms        = 1000
	MaxRoomsOfAsker = 600
	// MaxKept is how many bytes their logs may take in all, at about 40 an event, MaxKeptOfAsker those of one address.
	MaxKept        = 256 << 20
	MaxKeptOfAsker = 128 << 20
	// MaxComputing is how many simulations are computed at once, however many processors there are: each takes memory
	// for what it simulates and, until it is kept, for its log.
	MaxComputing = 3
	// MaxRunEvents is the longest log of one simulated run, MaxLiveEvents of one on a cluster. An
	// observation that gets longer goes on in a new log, and so does one of more than MaxLiveBytes.
	MaxRunEvents  = 250_000
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
	// MaxContenders is how many clients of ours contend in each of them, MaxContendersInAll how many in all, and
	// MaxContendersOfAsker those that count for one address.
	MaxContenders        = 10
	MaxContendersInAll   = 60
	MaxContendersOfAsker = 40
	// MaxPath is the longest path of a znode that a page may ask for or is told, in bytes.
	MaxPath = 1024
)

// Times, each the longest.
const (
	// KeepIdle is for how long a run that nobody watches can be resumed.
	KeepIdle = 10 * time.Minute
	// spareIdle is for how long its memory is left to a run that somebody may come back to in a moment.
	spareIdle = 20 * time.Second
	// KeepLiveIdle is the same for a run or an observation that keeps a cluster busy.
	KeepLiveIdle = time.Minute
	// patience is how long a page may take to receive a frame or answer a ping before it is cut off.
	patience = 20 * time.Second
	// pingEvery finds out connections whose other end is gone.
	pingEvery = 30 * time.Second
	// computeTimeout is for one simulation that a page asked for, answerTimeout for what a page asks for, with the
	// wait for a turn to compute it.
	computeTimeout = 15 * time.Second
	answerTimeout  = 45 * time.Second
	// fairTurn is how long a computation may take while others wait who have computed less, lookEvery how often it is
	// looked from then on whether there are any.
	fairTurn  = 3 * time.Second
	lookEvery = 200 * time.Millisecond
	// slowFor is for how long nothing is tried again that took longer than computeTimeout.
	slowFor = 5 * time.Minute
	// askWithin is for how long a page may be connected and ask for nothing before it gives way to others.
	askWithin = 10 * time.Second
	// retryEvery is the pause before an unreachable cluster is tried again.
	retryEvery = 2 * time.Second
	// lookTimeout is how long a page waits to say that the cluster cannot be reached.
	lookTimeout = time.Second
	// sweepEvery is the pause between two looks for runs that nobody watches.
	sweepEvery = 15 * time.Second
	// goodbyeTimeout is for telling the pages that the server stops.
	goodbyeTimeout = 2 * time.Second
	// closeTimeout is for the clean-up of runs on a cluster when the server stops.
	closeTimeout = 15 * time.Second
)
