// Package view folds a log of events into what can be shown: State.
//
// It is the only reader of events that keeps state for the screen. It decides nothing about pixels (engine/stage/scene
// does) and judges nothing (engine/analysis/check does).
//
// # Where to change what
//
//   - znodes: tree.go, children.go; what a znode is to its siblings (inside, waiting, an item, a member): siblings.go,
//     and package naming
//   - watches: watch.go; whom they woke, and in vain: wake.go; messages under way: flight.go, message.go
//   - what clients do and learn: client.go, learnt.go; who is inside: inside.go, remoteinside.go
//   - stores outside of ZooKeeper: store.go; their forms: sheet.go, numbers.go, task.go, document.go
//   - servers of an ensemble: ensemble.go, server.go; their logs: tail.go, txn.go, commits.go; who waits for whom:
//     silence.go; votes and catching up: vote.go, sync.go; what messages something takes: cost.go
//   - nodes of other systems: remotes.go, remote.go
//   - what servers said about sessions when they were asked: said.go
//   - why something happened: why.go. A field that the fold adds is also named in packlists.go
package view

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
)

// Keep is how long, in the run's time, something that has ended (a deleted znode, a fired watch, a message that arrived
// or was lost) stays in the State, so that its end can be shown. It may stay a little longer, because the fold clears
// in batches. It goes earlier when too many of its kind have ended: more than MaxOver plus one for each client.
const Keep = 2 * time.Second

// MaxOver is how many ended things of a kind survive a clearing, plus one for each client. A fast run ends
// thousands within Keep, more than anybody could see.
const MaxOver = 128

// State is everything known after the event Seq. It holds no positions and no fading: they follow from its times
// and the time that is shown. Each of its parts folds what concerns it alone; what concerns several is composed here.
type State struct {
	Seq  event.Seq
	At   time.Duration // of the event Seq
	Zxid int64

	Header event.Header // of the log
	Root   string       // the znode that the recipe works under
	Ended  bool         // the run has ended
	Lost   bool         // ZooKeeper is out of reach
	// Ahead is how far the only server's clock was set forward, minus how far back.
	Ahead time.Duration
	// Unseen is when the observer lost sight of ZooKeeper; 0 while it sees it.
	Unseen time.Duration
	Led    bool // some client has led
	// FaultAt is when the last fault began; 0 for none.
	FaultAt time.Duration

	LeftOut event.Event // what an observer last said it leaves out, zero if it hasn't; see LeftOut

	Clients  Clients
	Tree     Tree
	Watches  Watches
	Flights  Flights
	Wakeups  Wakeups
	Counts   Counters
	Ensemble Ensemble
	Remotes  Remotes
	Stores   Stores
	insiders insiders
}

// Belief is what a client believes about itself, from its own reports alone.
type Belief struct {
	Phase program.Phase // empty before the first report
	Since time.Duration // when it made that report
	Term  time.Duration // since when it has been inside by that znode without a break
	Path  string        // its own znode or item
	Fence int64         // fencing number, 0 if none
	Times int           // how often it holds a reentrant lock, 0 if not reported
}

// Incomparable prevents comparison by == as a struct's first field. Otherwise the page's program would contain
// code for it even if nobody compares, and twice if a function for any type takes the struct.
type Incomparable [0]func()

// Client is one client, as the server knows it and as it knows itself.
type Client struct {
	_      Incomparable
	Name   string      // client-1
	Role   string      // producer, consumer, or empty
	Server event.Actor // the ensemble's server that it is connected to; 0 for none
	// SentAway is the server that last hung up on it because it had seen more than that server.
	SentAway   event.Actor
	SentAwayAt time.Duration

	Belief Belief
	// Inside is the truth: the client believes that it is inside, and by the server's account its session hasn't
	// ended since.
	Inside bool

	Started, Exited, Crashed bool
	Err                      string        // the error that ended it, or empty
	Paused                   bool          // nothing of it runs
	PausedAt                 time.Duration // valid while Paused
	PausedFor                time.Duration
	Linked                   bool          // it believes that it has a connection
	Cut                      bool          // it had one and lost it
	Closed                   event.Reason  // why it last lost one to ZooKeeper
	BackAt                   time.Duration // when it last reconnected with the same session

	Session int64
	Timeout time.Duration // negotiated
	Heard   time.Duration // when the server, or an ensemble's leader, last heard from the session; see LeaderHeard
	// Address is the host:port from which the session is or was last connected, Where that of its server, as
	// servers said when asked. Both are empty if unknown, and Where if the session isn't connected.
	Address, Where string
	Silent         bool          // nothing has been heard from it since Heard, longer than usual
	Overdue        bool          // likewise, for its whole timeout: its session may have expired unreported
	Ended          Ending        // how the server ended the session
	EndedAt        time.Duration // or when its process ended, if that was earlier

	Op      event.Op // the request it waits for, or NoOp
	OpPath  string
	OpSince time.Duration
	Blocked bool // it waits for a watch
	// BlockedAt is when it began to wait, and Patience how long it will wait, 0 for no limit; valid while Blocked.
	BlockedAt, Patience time.Duration
	CutUntil            time.Duration // a fault stops its messages both ways until then
	SlowUntil           time.Duration // a fault delays them until then

	// KeptAt is the node that keeps its request waiting, for what and since when; 0 for none.
	KeptAt    event.Actor
	KeptFor   string
	KeptSince time.Duration
	Asks      string        // the full text of its pending request to a system other than ZooKeeper
	Answer    string        // the result of the last such request
	Failed    bool          // that result was an error
	Polls     int           // refused tries, after which it waited and tried again
	TriedAt   time.Duration // when the last try was refused
	TryAt     time.Duration // when it tries again, as last reported
	Stalled   bool          // its program is paused, its timers are not
	Vanished  bool          // its machine is gone, and nobody was notified
	// Listens is what it asked a node to notify it of, since when and at which node. Some subscriptions end with
	// the first notification.
	Listens      string
	ListensSince time.Duration
	ListensAt    event.Actor
	Talks        event.Actor // the node to which it last opened a connection, 0 for none
	lapsed       string      // the path of the last watch that it lost with its connection, until it sets another

	Learnt  Learnt // from its last read
	Value   Learnt // from its last read or write of data
	Refused Refused
	Line    int // the recipe's source line that it waits in, 0 if not recorded
	Note    string

	Woken   int           // watch events delivered to it, unless it is inside or they report its own action
	WokenAt time.Duration // of the last
	Wasted  int           // wakeups that didn't let it in
	Holds   int           // how often it got in, took or passed

	// Seen is the last transaction that an answer has shown to the client.
	Seen    int64
	owner   event.Actor // see Ensemble.Owner
	ownedAt time.Duration

	waitsOn     string // the path of the first watch that it is blocked for
	armed       int32  // its latest standing watch: index in Watches.List plus 1; the others follow by before
	fired       int32  // likewise, its latest fired watch with an undelivered event
	woke        bool   // woken, with the outcome still open
	wokeRelease int32  // by this release: index in Releases plus 1
	wokeBy      cause
	asked       bool   // it was blocked when woken, or has sent a request since
	late        bool   // it is in Wakeups.late
	listen      string // what it asks to be notified of
	listenAs    event.Watch
	lines       int           // connections to nodes of systems other than ZooKeeper
	byLock      bool          // it is inside by a lock, not by an entry
	robbed      bool          // by an entry that another client deleted, so that somebody can get in too,
	robbedTo    time.Duration // until the entry would have expired, 0 for never
	request     event.Seq
	reply       event.Seq
	answer      Learnt // under way to it
}

// Ending tells how a session ended.
type Ending uint8

const (
	Alive Ending = iota // or not begun yet: then Session is 0
	Expired
	Closed
)

// Counters are the run's figures so far.
type Counters struct {
	Requests     int // without handshakes, pings and the creation of the parent
	WatchesSet   int
	WatchesFired int
	Acquisitions int // how often somebody got in, took or passed
	Polls        int // tries that were refused and repeated
}
