package event

// Reason tells why something ended (a znode, a connection or the run), or what an observer leaves out. Each kind's
// comment says whether it has one.
type Reason uint8

const (
	NoReason Reason = iota

	// Reasons for a znode's deletion.

	ByOp
	BySessionClosed
	BySessionExpired
	ByTimer   // a container without children, or an expired TTL
	ByUnknown // a live observer saw it and can't tell why

	// Reasons for the end of a run.

	EndAllDone   // every client is done
	EndStuck     // every client waits, and nothing can wake one
	EndTime      // the run reached its time limit
	EndEvents    // the run reached its limit on events
	EndCancelled // the run was stopped
	EndSpin      // a client loops without time passing
	EndFailed    // an error, which is the Text

	// Reasons for a closed connection, as are BySessionClosed and BySessionExpired.

	ConnHungUp         // closed by the server, which gave the client no reason
	ConnSilent         // the client heard nothing for two thirds of the session's timeout
	ConnLost           // lost by the client or on the way
	ConnLostBefore     // likewise, before the log began
	ConnRefused        // the session is unknown or over, or has another password
	ConnSessions       // there are too many sessions
	ConnZxidAhead      // the client has seen a later zxid than the server has
	ConnTaken          // the session was resumed on another connection
	ConnAuthFailed     // the client could not authenticate
	ConnUnknownOp      // there is no such operation
	ConnTooManyIDs     // the client authenticated with too many identities or too long a secret
	ConnTooManyWatches // the client came back with too many watches

	// What an observer leaves out. Each change repeats the whole list.

	LeftNothing  // nothing is left out any more
	LeftMissing  // Path doesn't exist; the observer waits for it
	LeftNodes    // there are more than N znodes
	LeftLater    // there are too many znodes; the rest show up when they change
	LeftChildren // the children of Path and of N more znodes, which have too many
	LeftDeep     // the znodes below Path and N more znodes, which are too deep
	LeftData     // the data of Path and N more znodes, which may not be read
	LeftPaths    // znodes with paths of more than N bytes
	LeftUnread   // a znode that can't be read because of Code
	LeftOwners   // there are more than N owners of ephemeral znodes
	LeftSessions // there are too many sessions
	LeftWatches  // there are too many watches

	// How a server of an ensemble stopped, and why it gave up its leader or its leadership.

	ServerCrashed   // its process ended; its writes survive, on disk or not
	ServerPowerLost // its writes are lost unless they were on disk
	LostUnreachable // its leader could not be reached
	LostClosed      // the connection to its leader ended
	LostSilent      // nothing was heard from its leader for too long
	LostEpoch       // its leader offered a lower epoch than it has promised
	LostQuorum      // it heard from no quorum for too long
	LostNoEpoch     // no quorum joined it in time for an epoch
	LostNoAck       // no quorum acknowledged its epoch or NEWLEADER in time
	LostCounter     // the counter of its epoch is used up
	LostBroken      // its leader sent an illegal message
	ConnNotServing  // the server has no leader and serves nobody
	ConnMoved       // the session moved to another server

	// What is known from outside about a server of an ensemble.

	ServerReached   // it accepts connections
	ServerUnreached // it can't be reached, or doesn't answer
	ServerSays      // it says so when asked
	LeftRoles       // the servers refuse to say which of them leads

	// Why something ended at a node of another system, as ByOp, ByTimer and the connection reasons also tell.

	ByCommit    // its transaction was committed
	ByRollback  // its transaction was rolled back
	ByDeadlock  // it waited for a client that waited for it
	ByDuplicate // the entry that it waited to create exists
	ByIdleness  // its transaction was idle for too long
	ByLease     // its lease ended
	ByFailover  // the node that had it is no longer primary
	ByRestart   // the node had it only in memory

	ConnUnseen // the observer can't see this connection

	// More remarks of an observer.

	LeftMissed   // N changes of Path, or of its children, fell between two looks
	LeftReadOnly // it observes a server without a quorum, which may lag behind the others
	LeftWords    // a server's sessions, because it refuses an admin word; Text: server and word, see PlaceText
	LeftUnasked  // the sessions of a server that can't be asked; Text: the server
	LeftHidden   // unreadable znodes not found yet: the search has covered N of Code znodes

	// What an observer notices among an ensemble's servers, in a RecipeNote.

	LeaderNow  // a server leads now; Text: it and the one before, if known, see PlaceText, N: its epoch
	QuorumLost // no quorum is in sight
	QuorumBack // there is a quorum again; N: how long there was none at most, ns, or 0 if unknown
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
	LeaderNow: "leader-now", QuorumLost: "quorum-lost", QuorumBack: "quorum-back",
}

// String returns the reason's name, as in "session-expired".
//
//go:noinline
func (r Reason) String() string { return nameOf(reasonNames[:], uint8(r)) }

// ParseReason returns the reason with the given name.
func ParseReason(s string) (Reason, bool) {
	i, ok := indexOf(reasonNames[:], s)
	return Reason(i), ok
}

// Reasons returns all reasons except NoReason.
func Reasons() []Reason {
	all := make([]Reason, 0, reasons-1)
	for r := ByOp; r < reasons; r++ {
		all = append(all, r)
	}
	return all
}
