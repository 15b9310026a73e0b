package event

// Reason is why something ended (a znode, a connection or the run), or what an observer leaves out. The comment of each
// kind says whether it has one.
type Reason uint8

const (
	NoReason Reason = iota

	// Why a znode was deleted.

	ByOp
	BySessionClosed
	BySessionExpired
	ByTimer   // a container without children, a TTL that is over
	ByUnknown // seen by a live observer, which is not told

	// Why a run ended.

	EndAllDone   // every client is done
	EndStuck     // every client waits, and nothing is left to wake one
	EndTime      // the time limit is reached
	EndEvents    // the limit on events is reached
	EndCancelled // it was stopped
	EndSpin      // a client goes round and round in no time
	EndFailed    // an error; Text is it

	// Why a connection was closed. BySessionClosed and BySessionExpired are others.

	ConnHungUp         // by the server, the client is not told why
	ConnSilent         // the client has heard nothing for two thirds of the session's timeout
	ConnLost           // by the client or in between
	ConnLostBefore     // likewise, before the log began
	ConnRefused        // the session is unknown, over, or has another password
	ConnSessions       // there are too many sessions
	ConnZxidAhead      // the client has seen a later zxid than the server has
	ConnTaken          // the session was asked for on another connection
	ConnAuthFailed     // the client did not prove who it is
	ConnUnknownOp      // there is no such operation
	ConnTooManyIDs     // the client has proved to be too many, or with too long a secret
	ConnTooManyWatches // it came back with more watches than there is room for

	// What an observer leaves out. Whenever that has changed, all of it is said again.

	LeftNothing  // any more
	LeftMissing  // Path is not there; it is waited for
	LeftNodes    // there are more than N
	LeftLater    // there are more znodes than there is room for until they change
	LeftChildren // those of Path, which are too many, and of N znodes more
	LeftDeep     // what is too deep, below Path and N znodes more
	LeftData     // Path and N znodes more may not be read
	LeftPaths    // znodes with paths of more than N bytes
	LeftUnread   // a znode that cannot be read, since Code
	LeftOwners   // there are more than N owners of ephemeral znodes
	LeftSessions // there are more
	LeftWatches  // there are more

	// How a server of an ensemble stopped, and why it gave up its leader or its leading.

	ServerCrashed   // its process ended; what it had written is there, on disk or not
	ServerPowerLost // what was not on disk is gone
	LostUnreachable // its leader could not be reached
	LostClosed      // the connection to its leader ended
	LostSilent      // nothing was heard from its leader for too long
	LostEpoch       // its leader offered an epoch lower than one that it has promised
	LostQuorum      // it heard from no quorum for too long
	LostNoEpoch     // no quorum came to it in time for an epoch
	LostNoAck       // no quorum acknowledged its epoch or NEWLEADER in time
	LostCounter     // the counter of its epoch is used up
	LostBroken      // its leader said what it must not say
	ConnNotServing  // the server has no leader and serves nobody
	ConnMoved       // the session has moved to another server

	// What is known of a server of an ensemble from outside.

	ServerReached   // it takes connections
	ServerUnreached // it cannot be reached, or does not answer
	ServerSays      // it says so when it is asked
	LeftRoles       // the servers do not say which of them leads: they refuse to answer

	// Why something ended at a node of a system that is not ZooKeeper. ByOp, ByTimer and the reasons of connections are
	// others.

	ByCommit    // its transaction was committed
	ByRollback  // its transaction was rolled back
	ByDeadlock  // it waited for somebody who waited for it
	ByDuplicate // what it waited to make is there
	ByIdleness  // its transaction was left alone for too long
	ByLease     // its lease is over
	ByFailover  // the node that had it is primary no more
	ByRestart   // the node had it in memory only

	ConnUnseen // what passes on it is out of the observer's sight

	// What else an observer says of what it sees.

	LeftMissed   // N changes of Path, or of its children, came between two looks at it
	LeftReadOnly // it looks at a server without a quorum, of which it may know less than the others
	LeftWords    // what a server would tell of sessions to a word that it does not answer; Text: both, see PlaceText
	LeftUnasked  // what a server would tell of sessions, which cannot be asked; Text: which
	LeftHidden   // what may not be read and has not been found yet: N of Code znodes have been looked through for that
	reasons
)

var reasonNames = [reasons]string{
	NoReason: "none",
	ByOp:     "op", BySessionClosed: "session-closed", BySessionExpired: "session-expired", ByTimer: "timer",
	ByUnknown:  "unknown",
	EndAllDone: "all-done", EndStuck: "stuck", EndTime: "time-limit", EndEvents: "event-limit", EndCancelled: "cancelled",
	EndSpin: "spin", EndFailed: "failed",
	ConnHungUp: "hung-up", ConnSilent: "silent", ConnLost: "lost", ConnLostBefore: "lost-before", ConnRefused: "refused",
	ConnSessions: "too-many-sessions", ConnZxidAhead: "zxid-ahead", ConnTaken: "taken", ConnAuthFailed: "auth-failed",
	ConnUnknownOp: "unknown-op", ConnTooManyIDs: "too-many-ids", ConnTooManyWatches: "too-many-watches",
	LeftNothing: "left-nothing", LeftMissing: "left-missing", LeftNodes: "left-nodes", LeftLater: "left-later",
	LeftChildren: "left-children", LeftDeep: "left-deep", LeftData: "left-data", LeftPaths: "left-paths",
	LeftUnread: "left-unread", LeftOwners: "left-owners", LeftSessions: "left-sessions", LeftWatches: "left-watches",
	ServerCrashed: "crashed", ServerPowerLost: "power-lost", LostUnreachable: "unreachable", LostClosed: "leader-closed",
	LostSilent: "leader-silent", LostEpoch: "lower-epoch", LostQuorum: "no-quorum", LostNoEpoch: "no-epoch-quorum",
	LostNoAck: "no-ack-quorum", LostCounter: "counter-used-up", LostBroken: "illegal-message",
	ConnNotServing: "not-serving", ConnMoved: "session-moved",
	ByCommit: "commit", ByRollback: "rollback", ByDeadlock: "deadlock", ByDuplicate: "duplicate", ByIdleness: "idleness",
	ByLease: "lease-over", ByFailover: "failover", ByRestart: "restart", ConnUnseen: "unseen",
	ServerReached: "reached", ServerUnreached: "unreached", ServerSays: "says-so", LeftRoles: "left-roles",
	LeftMissed: "left-missed", LeftReadOnly: "left-read-only",
	LeftWords: "left-words", LeftUnasked: "left-unasked", LeftHidden: "left-hidden",
}

// String returns the reason's name, as in "session-expired".
func (r Reason) String() string { return nameOf(reasonNames[:], uint8(r)) }

// ParseReason finds the reason with that name.
func ParseReason(s string) (Reason, bool) {
	i, ok := indexOf(reasonNames[:], s)
	return Reason(i), ok
}

// Reasons lists all reasons but NoReason.
func Reasons() []Reason {
	all := make([]Reason, 0, reasons-1)
	for r := ByOp; r < reasons; r++ {
		all = append(all, r)
	}
	return all
}
