package web

import "time"

// Limits of what a page may ask for. Reaching one is an error that says so, never a hang.
const (
	// MaxMessage is the longest message that a page may send, in bytes.
	MaxMessage = 4 << 10
	// MaxFrame is the longest frame that a page gets, in bytes.
	MaxFrame = 256 << 10
	// MaxOpenFaults is how many faults a run that a page opens may begin with.
	MaxOpenFaults = 64
	// MaxSockets is how many pages may be connected at once.
	MaxSockets = 2000
	// MessagesPerSecond is what a page may send in the long run, MessageBurst at once.
	MessagesPerSecond = 20
	MessageBurst      = 60
	// MaxRefusals is how many messages of a connection may be refused before it is closed.
	MaxRefusals = 100

	// MaxRooms is how many runs are kept, MaxKept how many events in all of them, at about 110 bytes each.
	MaxRooms = 1000
	MaxKept  = 2_000_000
	// MaxRunEvents is the longest log of one simulated run, MaxLiveEvents of one on a cluster. An
	// observation that gets longer goes on in a new log.
	MaxRunEvents  = 250_000
	MaxLiveEvents = 100_000
	// MaxLive is how many runs and observations use the cluster at once, MaxLiveClients how many sessions
	// one run may open there.
	MaxLive        = 16
	MaxLiveClients = 100
	// MaxZoos is how many subtrees of the embedded ZooKeeper are shown at once, MaxContenders how many
	// clients of ours contend in each.
	MaxZoos       = 16
	MaxContenders = 10
	// MaxBranchedEvents is how many events the branches of one run may keep in all.
	MaxBranchedEvents = 1_000_000
	// MaxPath is the longest path of a znode that a page may ask for or is told, in bytes.
	MaxPath = 1024
)

// Times, each the longest.
const (
	// KeepIdle is for how long a run that nobody watches can be resumed.
	KeepIdle = 10 * time.Minute
	// KeepLiveIdle is the same for a run or an observation that keeps a cluster busy.
	KeepLiveIdle = time.Minute
	// patience is how long a page may take to receive a frame or answer a ping before it is cut off.
	patience = 20 * time.Second
	// pingEvery finds out connections whose other end is gone.
	pingEvery = 30 * time.Second
	// computeTimeout is for one simulation that a page asked for. It is shorter than patience, because
	// meanwhile the page's answer to a ping is not read.
	computeTimeout = 15 * time.Second
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
