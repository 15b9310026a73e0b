// Package event is the vocabulary of zkviz: one record for each fact that a host observed.
//
// A run is a log of events. Everything that is shown, checked or counted is computed from the log, and
// nothing writes to it but what observes: the hosts (engine/sim, engine/live), and those that look on or take part
// (engine/observe, engine/contend, engine/embed). Besides the standard library it imports engine/jsontext only.
package event

import (
	"errors"
	"time"
)

// Seq is an event's place in its log, from 1. As a cause, 0 means none.
type Seq uint32

// Kind is what happened.
type Kind uint8

// The comment of each kind says which fields it fills besides Seq, At, Cause, Actor and Kind.
const (
	_ Kind = iota
	// ZooKeeper; Text: the recipe, Path: the root, Zxid: the last one before, N: the time on the wall, in ms since 1970;
	// each if known
	RunStarted
	RunEnded       // ZooKeeper; Reason, Text: of EndFailed the error
	ClientStarted  // client; Text: its role in the recipe, or empty
	ClientExited   // client; Text: the error that ended it, or empty, Code: ZooKeeper's, if that was one
	ClientCrashed  // client
	ClientPaused   // client; N: for how long, ns
	ClientResumed  // client
	ClientBlocked  // client waits for watches; Path: of the first, N: timeout in ns or 0, Line
	ConnOpened     // client has a connection; Session, N: negotiated timeout, ns, Peer: the server of an ensemble
	ConnClosed     // client's view; Reason, Peer: the server of an ensemble that has not let it in, or 0
	SessionCreated // ZooKeeper; Peer: client, Session, Zxid, N: negotiated timeout, ns
	SessionExpired // ZooKeeper; Peer, Session, Zxid
	SessionClosed  // ZooKeeper; Peer, Session, Zxid
	// client; Op, Path, Mode, N: flight to the server in ns or 0 if unknown, Line, Watch: which it is to leave, as far as
	// the request tells; Code: of a write the version that it expects plus 1, 0 for any; Text: of a set the start of the
	// data. Of a Command also Peer: the node, Text: all of it; Watch is how it asks to be told later, if it does
	OpSent
	// client; Op, Path: result of a create, else the request's, Code, Zxid: the server's at the reply. Of a Command also
	// Peer: the node, Text: the answer; Code is 1 if that is an error
	OpDone
	TxnApplied     // ZooKeeper; Peer: who asked, Op, Path, Code, Zxid, Session. Failed writes too
	WatchSet       // ZooKeeper; Peer: the watcher, Path, Watch; Reason: ServerSays if it was there when servers were asked
	WatchFired     // ZooKeeper; Peer: the watcher, Path, Watch, Type, N: flight to the client in ns or 0
	WatchDelivered // client; Path, Type. A wakeup
	// ZooKeeper; Peer, Path, Watch. Gone without having fired, or, with ServerSays, however it went
	WatchRemoved
	// ZooKeeper; Peer: creator or 0, Path, Zxid, Session: the owner if ephemeral, Mode, Text: start of the data, N: bytes
	// of data
	ZnodeCreated
	ZnodeChanged // ZooKeeper; Peer, Path, Zxid, Text, N
	ZnodeDeleted // ZooKeeper; Peer, Path, Zxid, Reason
	// client; Text: a program.Phase, Path: its own znode or item, N: fencing number or 0, Code: how often it holds
	// what it may hold more than once, or 0
	RecipePhase
	RecipeNote // client; Text. Of ZooKeeper: Reason: what an observer leaves out, and Path, N or Code as it says
	// from Actor to Peer: pings, handshakes and the server's replies; Op, N: flight in ns, and of a reply Path and Code
	// Between servers of an ensemble also Zxid.
	MsgSent
	// by Actor from Peer: pings, handshakes, and what servers say to each other; Op. Of a notification also the vote in
	// it, which its sender may no longer have: Text: for whom, Zxid: the candidate's last, Code: its epoch, N: the round
	MsgReceived
	MsgDropped    // at Actor's side of the link to Peer; Op. Cause: the OpSent, WatchFired or MsgSent that was lost
	FaultInjected // ZooKeeper; Peer: the client, 0 for the server, Text: the fault as written
	// ZooKeeper is out of reach of the observer (live); Text: why, N: how many ms before that it was heard of last
	Disconnected
	Reconnected   // ZooKeeper is in reach again (live)
	ServerStopped // ZooKeeper, or one of its servers, takes no requests; Reason: of a server how it stopped, or was found
	ServerStarted // ZooKeeper, or one of its servers, takes requests again; Reason: how it was found, from outside
	// client's write was taken by a store outside of ZooKeeper; Path: the store, Text: what, N: fencing number or 0
	StoreWritten
	StoreRefused // it was refused for its fencing number; as StoreWritten
	// what an observer learns of a znode; Path, N: when it was made, in ms since 1970 by ZooKeeper's clock. Of one that
	// was there before the log began, and so has no ZnodeCreated, all else that this fills, with Code: bytes of data
	ZnodeFound
	Unknown // of a kind that this version does not know, or with a word that it does not; Text: the kind as written

	// The servers of an ensemble. Actor is a server; a zxid has its epoch in the upper 32 bits.

	// server enters a phase of ZAB; Text: election, discovery, synchronization or broadcast, and from outside not-serving,
	// Peer: whom it follows, itself if it leads, 0 in an election or if that is not known; Reason: how it was found, from
	// outside
	ServerPhase
	VoteCast // server; Peer: for whom, Zxid: the candidate's last, Code: its epoch, N: the round
	// server: a quorum agrees with its vote; N: how long it waits for a better one from now on, ns. Each vote that comes
	// meanwhile has it wait anew
	VoteFinal
	EpochPromised // server has written acceptedEpoch; Code: the epoch, Peer: to which leader
	EpochAdopted  // server has written currentEpoch; Code: the epoch, Peer: whose
	// leader; Peer: the learner, Op: DIFF, TRUNC or SNAP, Zxid: the learner's last, N: the last that it is left or sent,
	// Code: by which rule, from 1, Text: the bounds of the last transactions that the leader has at hand; see Window
	SyncChosen
	TxnProposed     // leader; Zxid, N: the transaction's digest, Op, Path, Session and Peer: whose
	TxnLogged       // server has written it to its log, which is not yet on disk; Zxid, N: the digest
	LogSynced       // server's log is on disk; Zxid: up to which
	LogTruncated    // server; Zxid: the last that is left
	SnapshotLoaded  // server has replaced all that it had by its leader's; Zxid: the last in it, Peer: the leader
	SnapshotSaved   // server's state is on disk; Zxid: the last in it
	TxnCommitted    // leader; Zxid
	TxnDelivered    // server has applied a committed transaction; Zxid, N: the digest, 0 from outside
	LeaderActivated // leader: a quorum follows it; Code: its epoch
	ServerSynced    // learner has heard that it is up to date, and serves; Code: the epoch, Zxid: its last
	LeaderLost      // server gives up its leader, or its leading; Reason
	ServerPaused    // server; N: for how long, ns
	ServerResumed   // server
	LinkCut         // between Actor, a server, and Peer, a server or a client: nothing gets through
	LinkHealed      // likewise: what waited there gets through
	// leader has heard of a session by another server, or given it to the server that its client has come to; Peer: the
	// client, Session, Code: the number of the server that has it by the leader's account, 0 for any
	SessionTouched

	// The nodes of a system that is not ZooKeeper. Actor is a node. An entry is a key of Redis or etcd, or a row.

	// node; Peer: whose request has written it, 0 for none, Path, Text: the start of its value, N: when it expires by the
	// node's clock, ns since the start of the run, 0 for never, Zxid: its version or revision, 0 for none, Session:
	// of what is not committed the transaction, else the lease, 0 for neither
	EntrySet
	EntryExpires   // node; Peer: whose request, Path, N: when it expires from now on, as EntrySet
	EntryGone      // node; Peer: whose request or 0, Path, Reason, Zxid and Session as EntrySet
	RequestWaits   // node gives a request no answer yet; Peer: whose, Path: what it waits for, Op
	RequestServed  // node has it wait no longer; Peer, Path, Reason: none if it has got it, else why it has not
	LockTaken      // node; Peer: whose, Path: the row or the name, Session: the transaction, 0 for the connection
	LockFreed      // node; Peer, Path, Session, Reason
	TxBegan        // node; Peer: whose, Session: the transaction
	TxEnded        // node; Peer, Session, Reason: committed, rolled back, or why it was
	LeaseGranted   // node; Peer: whose, Session: the lease, N: until when, ns since the start of the run
	LeaseRenewed   // node; likewise
	LeaseEnded     // node; Peer, Session, Reason
	PushSent       // node to Peer: what nobody has just asked for; Path: the channel, key or row, Text, N: flight in ns
	PushDelivered  // client; Peer: the node, Path, Text. A wakeup
	RolePlayed     // node; Text: primary or replica, Peer: of a replica its primary
	ClockJumped    // node; N: by how much, ns
	ProcessStalled // client's program is paused, its timers are not; N: for how long, ns
	ProcessMoves   // client's program goes on
	ClientVanished // client's machine is gone, and nobody is told
	TryFailed      // client was refused; N: in how long it tries again, ns. A poll
	// ZooKeeper; Peer: the client, Session, N: negotiated timeout, ns, or 0 if that is not known. An observer has learned
	// of a session that was there before, or that owns something
	SessionSeen

	// What an observer has learned by asking servers about sessions: changes, not each answer.

	// ZooKeeper; Peer: the client, Session, Text: from where it is connected and to which server, see PlaceText, empty if
	// to none, N: its timeout, ns, 0 if that is not known
	SessionLocated
	// ZooKeeper; Peer, Session, N: for how long nothing was heard of it, ns: longer than is usual; Reason:
	// BySessionExpired of an observer who isn't told how sessions end, if it may have expired by then
	SessionSilent
	SessionHeard // ZooKeeper; Peer, Session, N: how long ago something was heard of it again, ns
	// ZooKeeper: servers have said who watches what. For what has changed since there are WatchSet and WatchRemoved before
	// it, with ServerSays; N: how many watches there are, Code: 1 if not all was told
	WatchesAsked
	kinds
)

// Op is a request's operation.
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

	// What servers of an ensemble say to each other.

	Notification // a vote; Peer of the candidate is in the VoteCast that is its cause
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
	Forward // a REQUEST: a write that a learner hands to its leader
	Revalidate
	ServerPing
	ServerSync

	// What is said to and between nodes of a system that is not ZooKeeper. The Text of the OpSent is the request.

	Command
	Replicate
	ops
)

// Watch is how a watch was set, and so the table that it stands in. See the ZooKeeper Programmer's Guide, "ZooKeeper
// Watches".
type Watch uint8

const (
	NoWatch         Watch = iota
	DataWatch             // set by get, and by exists on a znode that is there
	ExistWatch            // set by exists on a znode that is not there
	ChildWatch            // set by children
	PersistentWatch       // set by addWatch: stands in both tables, and stays when it fires
	RecursiveWatch        // likewise, and hears of all znodes below, but not of lists of children
	watches
)

// Stays reports whether a watch of that kind is not spent when it fires.
func (w Watch) Stays() bool { return w == PersistentWatch || w == RecursiveWatch }

// Event is one fact. Which fields a kind fills is said at the kind; the others are zero.
type Event struct {
	At      time.Duration // since the start of the run
	Zxid    int64
	Session int64
	N       int64
	Path    string
	Text    string
	Seq     Seq
	Cause   Seq // the event that made this one happen, always smaller than Seq; 0 for none
	Actor   Actor
	Peer    Actor
	Code    int32  // ZooKeeper's error number, 0 for success; see OpSent and RecipePhase
	Line    uint16 // line of the recipe's source file that is waiting for this, 0 if not recorded
	Kind    Kind
	Op      Op
	Watch   Watch
	Reason  Reason
	Type    uint8 // a zoo.EventType
	Mode    uint8 // a zoo.CreateMode
}

// Introduces reports whether a ZnodeFound is the first that a log says of its znode. The one at the top has no zxid.
func (e Event) Introduces() bool { return e.Kind == ZnodeFound && (e.Zxid != 0 || e.Path == "/") }

// MaxText is the longest Text, in bytes, that a host puts into an event.
const MaxText = 256

// ErrLogFull is what an observer returns when its log is as long as it may get: observe into a new one, which begins
// with what is there by then.
var ErrLogFull = errors.New("the log is full; it goes on in a new one")

// Sink takes a log's events one after the other, in order.
type Sink interface {
	Append(Event)
}

// Log is a log in memory. Its zero value is empty and ready to use.
type Log struct {
	Header Header
	Events []Event
}

// Append adds e, which must carry the next sequence number.
func (l *Log) Append(e Event) { l.Events = append(l.Events, e) }
