// Package view folds a log of events into what can be shown: State.
//
// It is the only reader of events that keeps state for the screen. It decides nothing about pixels
// (wasm/scene does) and judges nothing (engine/check does).
package view

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/program"
	"github.com/zkviz/zkviz/engine/zoo"
)

// Keep is how long, in the run's time, a thing that is over (a deleted znode, a fired watch, a message
// that arrived or was lost) stays in the State, so that its end can be shown. Its times say when it ended.
// It may stay a little longer, because the fold clears up in batches, and it goes earlier when too many of its
// sort are over: more than MaxOver and one for each client.
const Keep = 2 * time.Second

// MaxOver is how many ended things of a sort outlast a clearing up, besides one for each client. A fast run
// ends thousands in the time of Keep, more than anybody could see.
const MaxOver = 128

// State is everything known after the event Seq. Positions and fading are not in it: they follow from
// the times in it and the time that is shown.
type State struct {
	Seq  event.Seq
	At   time.Duration // of the event Seq
	Zxid int64

	Header event.Header // of the log
	Root   string       // the znode that the recipe works under
	Ended  bool         // the run
	Lost   bool         // ZooKeeper is out of reach
	// Unseen is since when the observer can't see anything of ZooKeeper; 0 while it can.
	Unseen time.Duration
	Led    bool // some client has led

	// Asked is when servers have last said who watches what, 0 if they were not asked, and AskedPart that not all did.
	Asked     time.Duration
	AskedPart bool

	LeftOut event.Event // what an observer has said last of what it leaves out, zero if it has not; see LeftOut

	Clients  []Client // Clients[i] is client i+1
	Nodes    []Node   // sorted by path, once Order is called; includes those deleted less than Keep ago
	Watches  []Watch  // in the order they were set; includes those ended less than Keep ago
	Flights  []Flight // messages under way, and those that ended less than Keep ago
	Counts   Counters
	Releases []Release // every release so far, in order
	Servers  []Server  // Servers[i] is server i+1 of an ensemble; none without one
	Remotes  []Remote  // Remotes[i] is node i+1 of the systems that are not ZooKeeper
	// What there is at these nodes, in the order in which it came; includes what has been over for less than Keep.
	Entries []Entry
	Kept    []Kept // of each path those who wait for it stand in the order of their requests
	Locks   []Lock
	Txs     []Tx
	Leases  []Lease
	// Committed are the transactions of an ensemble of which it is known, the last ones.
	Committed Tail
	// agreed is the last transaction of the ensemble that Nodes have, and teller the server that had it first, or that
	// leads since with what it has.
	agreed  int64
	teller  event.Actor
	Costs   Costs         // between servers, of the last writes
	Renewed time.Duration // when a leader, or the only server, has last given every session its whole time
	Stores  []Store       // outside of ZooKeeper, in the order in which they were first written to

	made   arrivals      // the znodes created, to tell what a watch fired for
	inside int           // clients that are Inside
	late   []event.Actor // who was woken after the end of the run

	gone int // of Nodes

	// How long the lists grow before they are cleared up; of Nodes, those gone.
	fullGone, fullWatches, fullFlights int

	// What a copy does not have: it is made anew when it is needed.
	strays   strays             // nodes that are not among Nodes yet
	index    *watchIndex        // nil until a client has many watches
	far      far                // as of now; an index of it where there is much
	families map[string]*family // by the parent; see Kin
	insiders insiders           // nil until a znode goes while many clients could be inside by it
}

// Belief is what a client believes about itself, from its own reports alone.
type Belief struct {
	Phase program.Phase // empty before the first report
	Since time.Duration // of that report
	Term  time.Duration // since when it is inside by that znode, one report after the other
	Path  string        // its own znode or item
	Fence int64         // fencing number, 0 if none
	Times int           // how often it holds what it may hold more than once, 0 if that is not told
}

// Incomparable, as the first field of a struct, keeps it from being compared by ==. The page's program would have code
// for that even if nobody does it, twice if a function for any type takes the struct.
type Incomparable [0]func()

// Client is one client, as the server knows it and as it knows itself.
type Client struct {
	_      Incomparable
	Name   string      // client-1
	Role   string      // producer, consumer, or empty
	Server event.Actor // of an ensemble, that it is connected to; 0 for none
	// SentAway is by which server it has last been hung up on: it has seen more than that server.
	SentAway   event.Actor
	SentAwayAt time.Duration

	Belief Belief
	// Inside is the truth: the client believes that it is inside and its session, as the server knows
	// it, has not ended since.
	Inside bool

	Started, Exited, Crashed bool
	Err                      string        // the error that ended it, or empty
	Paused                   bool          // nothing of it runs
	PausedAt                 time.Duration // valid while Paused
	PausedFor                time.Duration
	Linked                   bool          // it believes that it has a connection
	Cut                      bool          // it had one, and has none now
	BackAt                   time.Duration // when it last got one again with the session that it had

	Session int64
	Timeout time.Duration // negotiated
	Heard   time.Duration // when the server, of an ensemble the leader, last heard from the session; see LeaderHeard
	// Address is from where the session is connected, or was last, and Where the server that it is connected to, each
	// host:port, as servers have said that were asked; empty if that is not known, or Where if it is connected to none.
	Address, Where string
	Silent         bool          // nothing has been heard of it since Heard, which is longer than is usual
	Overdue        bool          // likewise, for all of its timeout: its session may have expired, though nobody tells
	Ended          Ending        // how the server ended the session
	EndedAt        time.Duration // or when its process ended before that

	Op      event.Op // the request it waits for, or NoOp
	OpPath  string
	OpSince time.Duration
	Blocked bool // it waits for a watch
	// BlockedAt is since when, and Patience for how long, 0 for as long as it takes; valid while Blocked.
	BlockedAt, Patience time.Duration
	CutUntil            time.Duration // nothing gets through to it or from it until then, by a fault

	// KeptAt is the node that keeps its request waiting, for what and since when; 0 for none.
	KeptAt    event.Actor
	KeptFor   string
	KeptSince time.Duration
	Asks      string        // all of the request that it waits for, of a system that is not ZooKeeper
	Answer    string        // what the last such request came to
	Failed    bool          // that was an error
	Polls     int           // tries that were refused, after which it waited and tried again
	TriedAt   time.Duration // when the last of these was refused
	TryAt     time.Duration // when it tries again, as it said last
	Stalled   bool          // its program is paused, its timers are not
	Vanished  bool          // its machine is gone, and nobody was told
	// Listens is what it has asked a node to tell it of, since when and at which node. Some stop by themselves once they
	// have told it.
	Listens      string
	ListensSince time.Duration
	ListensAt    event.Actor
	Talks        event.Actor // the node that it has last opened a connection to, 0 if it has none
	lapsed       string      // the path of the last watch that it lost with its connection, until it sets another

	Learnt  Learnt // by its last read
	Value   Learnt // by its last read or write of data
	Refused Refused
	Line    int // the recipe's source line that it waits in, 0 if not recorded
	Note    string

	Woken   int           // wakeups: watch events delivered to it, unless it is inside or they tell of its own doing
	WokenAt time.Duration // of the last
	Wasted  int           // of these, the ones that did not let it in
	Holds   int           // times that it got in, took or passed

	// Seen is the last transaction that an answer has told the client of.
	Seen    int64
	owner   event.Actor // see State.Owner
	ownedAt time.Duration

	waitsOn     string // the path of the first watch that it is blocked for
	armed       int32  // its latest standing watch: index in Watches plus 1; the others follow by before
	fired       int32  // likewise, its latest fired watch whose event is still to be delivered
	woke        bool   // woken, and not yet known what for
	wokeRelease int32  // by this release: index in Releases plus 1
	wokeBy      cause
	asked       bool   // it was blocked when it was woken, or has sent a request since
	late        bool   // it is in State.late
	listen      string // what it asks to be told of
	listenAs    event.Watch
	lines       int           // connections to nodes of systems that are not ZooKeeper
	byLock      bool          // it is inside by a lock, not by an entry
	robbed      bool          // by an entry that another has deleted, which lets somebody in beside it,
	robbedTo    time.Duration // up to when it would have had that, 0 for ever
	request     event.Seq
	reply       event.Seq
	answer      Learnt // under way to it
}

// Ending is how a session ended.
type Ending uint8

const (
	Alive Ending = iota // or not yet begun: then Session is 0
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
	Made    int64  // when it was made, in ms since 1970 by ZooKeeper's clock; 0 if Created says it
	Created time.Duration
	Changed time.Duration
	Untold  bool // it was there before the log began, which doesn't tell how, when or by whom it was made
	Gone    bool
	GoneAt  time.Duration
	Why     event.Reason // of its deletion

	Children  int32         // how many there are
	ChildGone time.Duration // when one has last gone, 0 if none has
	Next      int64         // the number that the next sequential child gets, as far as the log tells
	Numbers   bool          // there has been a sequential child
	readers   bool          // they are known to be those of a read-write lock, see naming.Recall
	Held      bool          // its client had got in by it when it became Overdue
}

// Watch is one watch on the server.
type Watch struct {
	Client event.Actor
	Path   string
	Kind   event.Watch
	Set    time.Duration
	Over   bool
	Fired  bool // over because it fired, else removed
	OverAt time.Duration
	Flight time.Duration // how long its event takes to the client, 0 if unknown
	Type   zoo.EventType // of its event

	before  int32     // see Client.armed and Client.fired
	after   int32     // the watch whose before this is; 0 for the first of a list
	pending bool      // fired, its event not yet delivered
	by      cause     // what fired it
	release int32     // the release that fired it: index in Releases plus 1
	notice  event.Seq // the WatchFired
}

// Flight is one message on its way.
type Flight struct {
	Seq      event.Seq // of the OpSent, MsgSent or WatchFired
	From, To event.Actor
	Op       event.Op
	Reply    bool
	Notify   bool // a watch event
	Path     string
	Code     int32
	Watch    event.Watch // that a request is to leave
	Text     string      // what a set writes
	If       bool        // a write is conditional on the version that Expects says
	Expects  int32
	Sent     time.Duration
	Takes    time.Duration // 0 if unknown: then it is under way until Over
	Over     bool
	OverAt   time.Duration
	Dropped  bool
}

// Release is one release-over: a deletion, or the end of a session that removed a znode.
type Release struct {
	Seq    event.Seq // of the first ZnodeDeleted of it
	At     time.Duration
	By     event.Actor
	Why    event.Reason
	Woken  int // watch events that it caused and that were delivered
	Wasted int

	last  event.Seq // the last ZnodeDeleted of it
	cause event.Seq // of its ZnodeDeleted
}

// Counters are the run's figures so far.
type Counters struct {
	Requests     int // without handshakes, pings and the set-up of the parent
	WatchesSet   int
	WatchesFired int
	Acquisitions int // times that somebody got in, took or passed
	ByRelease    int // wakeups
	ByArrival    int
	Wasted       int
	Polls        int // tries that were refused and made again
}
