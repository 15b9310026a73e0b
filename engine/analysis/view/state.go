// Package view folds a log of events into what can be shown: State.
//
// It is the only reader of events that keeps state for the screen. It decides nothing about pixels (engine/stage/scene
// does) and judges nothing (engine/analysis/check does).
//
// # Where to change what
//
//   - stores outside of ZooKeeper: store.go; their forms: sheet.go, numbers.go, task.go, document.go
//   - servers of an ensemble: server.go; their logs: tail.go; who waits for whom: silence.go; votes and catching up:
//     vote.go, sync.go; what messages something takes: cost.go
//   - nodes of other systems: remote.go
//   - what servers said about sessions when they were asked: said.go
//   - what a znode is to its siblings (inside, waiting, an item, a member): siblings.go, and package naming
//   - why something happened: why.go. A field that the fold adds is also named in packlists.go
package view

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// Keep is how long, in the run's time, something that has ended (a deleted znode, a fired watch, a message that arrived
// or was lost) stays in the State, so that its end can be shown. It may stay a little longer, because the fold clears
// in batches. It goes earlier when too many of its kind have ended: more than MaxOver plus one for each client.
const Keep = 2 * time.Second

// MaxOver is how many ended things of a kind survive a clearing, plus one for each client. A fast run ends
// thousands within Keep, more than anybody could see.
const MaxOver = 128

// State is everything known after the event Seq. It holds no positions and no fading: they follow from its times
// and the time that is shown.
type State struct {
	Seq  event.Seq
	At   time.Duration // of the event Seq
	Zxid int64

	Header event.Header // of the log
	Root   string       // the znode that the recipe works under
	Ended  bool         // the run has ended
	Lost   bool         // ZooKeeper is out of reach
	// Unseen is when the observer lost sight of ZooKeeper; 0 while it sees it.
	Unseen time.Duration
	Led    bool // some client has led

	// Asked is when servers last reported who watches what, 0 for never; AskedPart means that not all reported.
	Asked     time.Duration
	AskedPart bool

	LeftOut event.Event // what an observer last said it leaves out, zero if it hasn't; see LeftOut

	Clients  []Client // Clients[i] is client i+1
	Nodes    []Node   // sorted by path after Order; includes those deleted less than Keep ago
	Watches  []Watch  // in the order they were set; includes those ended less than Keep ago
	Flights  []Flight // messages under way, and those that ended less than Keep ago
	Counts   Counters
	Releases []Release // every release so far, in order
	Servers  []Server  // Servers[i] is server i+1 of an ensemble; none without one
	Remotes  []Remote  // Remotes[i] is node i+1 of the systems that are not ZooKeeper
	// What these nodes hold, in order of arrival; includes what ended less than Keep ago.
	Entries []Entry
	Kept    []Kept // those that wait for one path are in the order of their requests
	Locks   []Lock
	Txs     []Tx
	Leases  []Lease
	// Committed holds the last transactions of an ensemble that are known to be committed.
	Committed Tail
	// agreed is the ensemble's last transaction that Nodes includes. teller is the server that had it first, or the
	// one that leads with it since.
	agreed  int64
	teller  event.Actor
	Costs   Costs         // messages between servers for the last writes
	Renewed time.Duration // when a leader, or the only server, last gave every session its full timeout
	Stores  []Store       // outside of ZooKeeper, in the order of their first writes

	made   arrivals      // the znodes created, to find out why a watch fired
	inside int           // clients that are Inside
	late   []event.Actor // clients that were woken after the end of the run

	gone int // gone Nodes

	// The lengths at which the lists are cleared; for Nodes, the number gone.
	fullGone, fullWatches, fullFlights int

	// A copy doesn't have these: they are rebuilt on demand.
	strays   strays             // nodes that aren't among Nodes yet
	index    *watchIndex        // nil until a client has many watches
	far      far                // its present content; an index where there is much
	families map[string]*family // by parent; see Kin
	permits  map[string]bool    // by parent, whether its children are permits of a semaphore; see opens
	insiders insiders           // nil until a znode goes while many clients could be inside by it
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
	Talks        event.Actor // the node to which it last opened a connection, 0 if it has none
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
	owner   event.Actor // see State.Owner
	ownedAt time.Duration

	waitsOn     string // the path of the first watch that it is blocked for
	armed       int32  // its latest standing watch: index in Watches plus 1; the others follow by before
	fired       int32  // likewise, its latest fired watch with an undelivered event
	woke        bool   // woken, with the outcome still open
	wokeRelease int32  // by this release: index in Releases plus 1
	wokeBy      cause
	asked       bool   // it was blocked when woken, or has sent a request since
	late        bool   // it is in State.late
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

// Node is a znode.
type Node struct {
	Path    string
	Mode    zoo.CreateMode
	Owner   int64       // session, 0 if not ephemeral
	Creator event.Actor // 0 if unknown
	Czxid   int64
	Mzxid   int64
	Version int32
	Bytes   int64  // of data
	Data    string // the start of the data
	Number  int64  // sequence number, -1 if its name ends in none
	Made    int64  // creation time in ms since 1970 by ZooKeeper's clock; 0 if Created says it
	Created time.Duration
	Changed time.Duration
	Untold  bool // it existed before the log began, so how, when and by whom it was made isn't known
	Gone    bool
	GoneAt  time.Duration
	Why     event.Reason // why it was deleted

	Children  int32         // the number of children
	ChildGone time.Duration // when the last child was deleted, 0 if none was
	Next      int64         // the number that the next sequential child gets, as far as the log shows
	Numbers   bool          // there has been a sequential child
	readers   bool          // its children are known to belong to a read-write lock, see naming.Recall
	Held      bool          // its client had got in by it before it became Overdue
}

// Watch is one watch on the server.
type Watch struct {
	Client event.Actor
	Path   string
	Kind   event.Watch
	Set    time.Duration
	Over   bool
	Fired  bool // it ended because it fired; otherwise it was removed
	OverAt time.Duration
	Flight time.Duration // how long its event takes to reach the client, 0 if unknown
	Type   zoo.EventType // the type of its event

	before  int32     // see Client.armed and Client.fired
	after   int32     // the watch whose before this is; 0 for the first of a list
	pending bool      // fired, its event not yet delivered
	by      cause     // why it fired
	release int32     // the release that fired it: index in Releases plus 1
	notice  event.Seq // the WatchFired
}

// Flight is one message on its way.
type Flight struct {
	Seq      event.Seq // the OpSent, MsgSent or WatchFired
	From, To event.Actor
	Op       event.Op
	Reply    bool
	Notify   bool // a watch event
	Path     string
	Code     int32
	Watch    event.Watch // the watch that a request asks for
	Text     string      // the value that a set writes
	If       bool        // the write is conditional on version Expects
	Expects  int32
	Sent     time.Duration
	Takes    time.Duration // 0 if unknown: then it is under way until Over
	Over     bool
	OverAt   time.Duration
	Dropped  bool
}

// Release is one release-over: a deletion, or the end of a session that removed a znode.
type Release struct {
	Seq    event.Seq // its first ZnodeDeleted
	At     time.Duration
	By     event.Actor
	Why    event.Reason
	Woken  int // delivered watch events that it caused
	Wasted int

	last  event.Seq // its last ZnodeDeleted
	cause event.Seq // the cause of its ZnodeDeleted
}

// Counters are the run's figures so far.
type Counters struct {
	Requests     int // without handshakes, pings and the creation of the parent
	WatchesSet   int
	WatchesFired int
	Acquisitions int // how often somebody got in, took or passed
	ByRelease    int // wakeups
	ByArrival    int
	Wasted       int
	Polls        int // tries that were refused and repeated
}
