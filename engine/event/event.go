package event

import (
	"context"
	"errors"
	"time"
)

// Seq is an event's position in its log, from 1. As a cause, 0 means none.
type Seq uint32

// Kind tells what happened.
type Kind uint8

// Each kind's comment lists the fields that it fills in addition to Seq, At, Cause, Actor and Kind.
const (
	_ Kind = iota
	// ZooKeeper; Text: the recipe, Path: the root, Zxid: the last zxid before the run, N: the time of day in ms since
	// 1970; each if known
	RunStarted
	RunEnded       // ZooKeeper; Reason, Text: the error, if EndFailed
	ClientStarted  // client; Text: its role in the recipe, or empty
	ClientExited   // client; Text: the error that ended it, or empty, Code: ZooKeeper's error number, if it was one
	ClientCrashed  // client
	ClientPaused   // client; N: for how long, ns
	ClientResumed  // client
	ClientBlocked  // client waits for watches; Path: of the first, N: timeout in ns or 0, Line
	ConnOpened     // client has a connection; Session, N: negotiated timeout, ns, Peer: the server of an ensemble
	ConnClosed     // as the client sees it; Reason, Peer: the server of an ensemble that refused it, or 0
	SessionCreated // ZooKeeper; Peer: client, Session, Zxid, N: negotiated timeout, ns
	SessionExpired // ZooKeeper; Peer, Session, Zxid
	SessionClosed  // ZooKeeper; Peer, Session, Zxid
	// client; Op, Path, Mode, N: flight to the server in ns or 0 if unknown, Line, Watch: as far as the request tells,
	// Code: the version that a write expects plus 1, 0 for any; Text: the start of a set's data. For a Command, Peer:
	// the node, Text: the whole command, Watch: how it asks for later notice, if it does
	OpSent
	// client; Op, Path: the result of a create, else the request's path, Code, Zxid: the server's at the reply. For a
	// Command, Peer: the node, Text: the answer, Code: 1 if the answer is an error
	OpDone
	TxnApplied     // ZooKeeper; Peer: the client, Op, Path, Code, Zxid, Session. Includes failed writes
	WatchSet       // ZooKeeper; Peer: the watcher, Path, Watch; Reason: ServerSays if a server's report showed it
	WatchFired     // ZooKeeper; Peer: the watcher, Path, Watch, Type, N: flight to the client in ns or 0
	WatchDelivered // client; Path, Type. A wakeup
	// ZooKeeper; Peer, Path, Watch. Removed without firing, or, with ServerSays, in whatever way
	WatchRemoved
	// ZooKeeper; Peer: creator or 0, Path, Zxid, Session: the owner if ephemeral, Mode, Text: start of the data, N:
	// size of the data in bytes
	ZnodeCreated
	ZnodeChanged // ZooKeeper; Peer, Path, Zxid, Text, N
	ZnodeDeleted // ZooKeeper; Peer, Path, Zxid, Reason
	// client; Text: a program.Phase, Path: its own znode or item, N: fencing number or 0, Code: its hold count if it
	// may hold more than once, or 0
	RecipePhase
	RecipeNote // client; Text. From ZooKeeper, Reason: what an observer leaves out, with its Path, N or Code
	// from Actor to Peer: pings, handshakes and the server's replies; Op, N: flight in ns; for a reply also Path and
	// Code, between servers of an ensemble also Zxid
	MsgSent
	// by Actor from Peer: pings, handshakes and messages between servers; Op. A notification also has its vote as
	// sent: Text: the candidate, Zxid: the candidate's last, Code: its epoch, N: the round
	MsgReceived
	MsgDropped // on Actor's side of the link to Peer; Op. Cause: the lost OpSent, WatchFired or MsgSent
	// ZooKeeper; Peer: the client, 0 for the server, Text: the fault as written. If it strikes a message between servers,
	// Cause: the MsgSent, 0 if the message isn't on its way, N: how much later it comes, ns
	FaultInjected
	// the observer can't reach ZooKeeper (live); Text: why, N: ms since it last heard from ZooKeeper
	Disconnected
	// the observer reaches ZooKeeper again (live); Text: the server, Zxid: the last zxid before the log, if it is the
	// first time
	Reconnected
	ServerStopped // ZooKeeper, or one server, takes no requests; Reason: how a server stopped, or how that was found
	ServerStarted // ZooKeeper, or one server, takes requests again; Reason: how that was found, from outside
	// a store outside ZooKeeper accepted a client's write; Path: the store, Text: the write, N: fencing number or 0
	StoreWritten
	StoreRefused // the store refused the write because of its fencing number; fields as StoreWritten
	// an observer learns of a znode; Path, N: creation time, ms since 1970 by ZooKeeper's clock. A znode older than
	// the log has no ZnodeCreated, so here are all other fields of that kind too, with Code: bytes of data
	ZnodeFound
	Unknown // an event whose kind or one of whose words this version doesn't know; Text: the kind as written

	// Events of an ensemble's servers. Actor is a server; a zxid has its epoch in the upper 32 bits.

	// server enters a ZAB phase; Text: election, discovery, synchronization or broadcast, or not-serving as seen from
	// outside, Peer: its leader, itself if it leads, 0 in an election or if unknown; Reason: how that was found, from
	// outside
	ServerPhase
	VoteCast // server; Peer: the candidate, Zxid: the candidate's last, Code: its epoch, N: the round
	// server: a quorum agrees with its vote; N: how long from now it waits for a better one, ns. Each vote that
	// arrives in that time restarts the wait
	VoteFinal
	EpochPromised // server wrote acceptedEpoch; Code: the epoch, Peer: the leader
	EpochAdopted  // server wrote currentEpoch; Code: the epoch, Peer: its leader
	// leader; Peer: the learner, Op: DIFF, TRUNC or SNAP, Zxid: the learner's last, N: the last it keeps or gets,
	// Code: the rule, from 1, Text: the first and last transaction that the leader has at hand; see Window
	SyncChosen
	// leader; Zxid, N: the transaction's digest, Op, Path, Session and Peer: the client, Text: the start of the data,
	// Code: why it will fail, if the leader knows that already
	TxnProposed
	TxnLogged       // server wrote it to its log, which is not on disk yet; Zxid, N: the digest
	LogSynced       // server's log is on disk; Zxid: the last that is
	LogTruncated    // server; Zxid: the last one kept
	SnapshotLoaded  // server replaced all its data by its leader's; Zxid: the last in it, Peer: the leader
	SnapshotSaved   // server's state is on disk; Zxid: the last in it
	TxnCommitted    // leader; Zxid
	TxnDelivered    // server applied a committed transaction; Zxid, N: the digest, 0 from outside
	LeaderActivated // leader: a quorum follows it; Code: its epoch
	ServerSynced    // learner heard that it is up to date, and serves clients; Code: the epoch, Zxid: its last
	LeaderLost      // server gives up its leader or its leadership; Reason
	ServerPaused    // server; N: for how long, ns
	ServerResumed   // server
	LinkCut         // between Actor, a server, and Peer, a server or a client: nothing gets through
	LinkHealed      // likewise: held-up messages get through
	// leader heard about a session from another server, or assigned it to the server that its client moved to; Peer:
	// the client, Session, Code: number of the server that owns it according to the leader, 0 for any
	SessionTouched

	// Events of nodes of other systems. Actor is a node. An entry is a key of Redis or etcd, or a row.

	// node; Peer: the client whose request wrote it, or 0, Path, Text: start of the value, N: when it expires by the
	// node's clock, in ns since the start of the run, 0 for never, Zxid: version or revision, or 0, Session: the
	// transaction while uncommitted, else the lease, or 0
	EntrySet
	EntryExpires   // node; Peer: the client, Path, N: the new expiry time, as in EntrySet
	EntryGone      // node; Peer: the client or 0, Path, Reason, Zxid and Session as in EntrySet
	RequestWaits   // node delays its answer to a request; Peer: the client, Path: what it waits for, Op
	RequestServed  // node ends the wait; Peer, Path, Reason: none if the request succeeded, else why it didn't
	LockTaken      // node; Peer: the client, Path: the row or the name, Session: the transaction, 0 for the connection
	LockFreed      // node; Peer, Path, Session, Reason
	TxBegan        // node; Peer: the client, Session: the transaction
	TxEnded        // node; Peer, Session, Reason: committed, rolled back, or why it was
	LeaseGranted   // node; Peer: the client, Session: the lease, N: when it ends, ns since the start of the run
	LeaseRenewed   // node; likewise
	LeaseEnded     // node; Peer, Session, Reason
	PushSent       // node to Peer: an unsolicited message; Path: the channel, key or row, Text, N: flight in ns
	PushDelivered  // client; Peer: the node, Path, Text. A wakeup
	RolePlayed     // node; Text: primary or replica, Peer: a replica's primary
	ClockJumped    // node, or a server of ZooKeeper; N: by how much, ns
	ProcessStalled // client's program is paused, but its timers run; N: for how long, ns
	ProcessMoves   // client's program continues
	ClientVanished // client's machine is gone, and nobody is notified
	TryFailed      // client was refused; N: ns until it tries again. A poll
	// ZooKeeper; Peer: the client, Session, N: negotiated timeout, ns, or 0 if unknown. An observer learned of a
	// session that existed before, or that owns something
	SessionSeen

	// Changes that an observer found by polling servers about sessions. An unchanged answer has no event.

	// ZooKeeper; Peer: the client, Session, Text: the client's address and its server, see PlaceText, empty if it is
	// not connected, N: its timeout, ns, 0 if unknown
	SessionLocated
	// ZooKeeper; Peer, Session, N: how long it has been silent, ns, which is longer than usual; Reason:
	// BySessionExpired if it may have expired by now and the observer doesn't learn how sessions end
	SessionSilent
	SessionHeard // ZooKeeper; Peer, Session, N: how long ago it was heard from again, ns
	// ZooKeeper: servers reported who watches what. Each change precedes it as a WatchSet or WatchRemoved with
	// ServerSays; N: number of watches, Code: 1 if the report is incomplete
	WatchesAsked
	// client refused a request itself, since the connection that it's for has ended; Peer: the node, Op, Path, Text: the
	// whole command, Reason, Line. Nothing was sent
	OpRefused
	kinds
)

// Op is the operation of a request.
type Op uint8

const (
	NoOp Op = iota
	Connect
	Ping
	Create
	Delete
	Exists
	Get
	Set
	Children
	Multi
	Sync
	Check
	CloseSession
	SetWatches
	GetACL
	SetACL
	Ephemerals
	AllChildren
	MultiRead
	AddWatch
	RemoveWatches
	CheckWatches
	Auth
	WhoAmI
	Reconfig

	// Messages between servers of an ensemble.

	Notification // a vote; its cause, a VoteCast, names the candidate in Peer
	FollowerInfo
	ObserverInfo
	LeaderInfo
	AckEpoch
	Diff
	Trunc
	Snap
	NewLeader
	UpToDate
	Proposal
	Ack
	Commit
	Inform
	Forward // a REQUEST: a write that a learner forwards to its leader
	Revalidate
	ServerPing
	ServerSync

	// Messages to and between nodes of other systems. The request is the Text of the OpSent.

	Command
	Replicate
	ops
)

// Watch tells how a watch was set, and so which table it belongs to. See the ZooKeeper Programmer's Guide, "ZooKeeper
// Watches".
type Watch uint8

const (
	NoWatch         Watch = iota
	DataWatch             // set by get, and by exists on an existing znode
	ExistWatch            // set by exists on a missing znode
	ChildWatch            // set by children
	PersistentWatch       // set by addWatch: is in both tables, and stays when it fires
	RecursiveWatch        // likewise, and covers all znodes below, but not lists of children
	watches
)

// Stays reports whether a watch of kind w remains set when it fires.
func (w Watch) Stays() bool { return w == PersistentWatch || w == RecursiveWatch }

// Event is one fact. Each kind's comment lists the fields that it fills; the others are zero.
type Event struct {
	At      time.Duration // since the start of the run
	Zxid    int64
	Session int64
	N       int64
	Path    string
	Text    string
	Seq     Seq
	Cause   Seq // the event that caused this one, always smaller than Seq; 0 for none
	Actor   Actor
	Peer    Actor
	Code    int32  // ZooKeeper's error number, 0 for success; see OpSent and RecipePhase
	Line    uint16 // line of the recipe's source file that waits for this, 0 if not recorded
	Kind    Kind
	Op      Op
	Watch   Watch
	Reason  Reason
	Type    uint8 // a zoo.EventType
	Mode    uint8 // a zoo.CreateMode
}

// Introduces reports whether e is a ZnodeFound that first mentions its znode. The root znode has no zxid.
func (e Event) Introduces() bool { return e.Kind == ZnodeFound && (e.Zxid != 0 || e.Path == "/") }

// MaxText is the longest Text, in bytes, that a host puts into an event.
const MaxText = 256

// ErrLogFull reports that an observer's log has reached its maximum length. Continue in a new log, which begins with
// the state at that time.
var ErrLogFull = errors.New("the log is full; it goes on in a new one")

// Sink receives a log's events in order, one at a time.
type Sink interface {
	Append(Event)
}

// Source writes a log to a sink, until ctx ends or there is no more. It returns the reason.
type Source func(ctx context.Context, sink Sink) error

// Log is a log in memory. Its zero value is an empty log, ready to use.
type Log struct {
	Header Header
	Events []Event
}

// Append adds e, whose sequence number must be the next one.
func (l *Log) Append(e Event) { l.Events = append(l.Events, e) }
