package event

import "strconv"

// These names are part of the trace format. Add names, but never change one.
var kindNames = [kinds]string{
	RunStarted:     "run.started",
	RunEnded:       "run.ended",
	ClientStarted:  "client.started",
	ClientExited:   "client.exited",
	ClientCrashed:  "client.crashed",
	ClientPaused:   "client.paused",
	ClientResumed:  "client.resumed",
	ClientBlocked:  "client.blocked",
	ConnOpened:     "conn.opened",
	ConnClosed:     "conn.closed",
	SessionCreated: "session.created",
	SessionExpired: "session.expired",
	SessionClosed:  "session.closed",
	OpSent:         "op.sent",
	OpDone:         "op.done",
	TxnApplied:     "txn.applied",
	WatchSet:       "watch.set",
	WatchFired:     "watch.fired",
	WatchDelivered: "watch.delivered",
	WatchRemoved:   "watch.removed",
	ZnodeCreated:   "znode.created",
	ZnodeChanged:   "znode.changed",
	ZnodeDeleted:   "znode.deleted",
	RecipePhase:    "recipe.phase",
	RecipeNote:     "recipe.note",
	MsgSent:        "msg.sent",
	MsgReceived:    "msg.received",
	MsgDropped:     "msg.dropped",
	FaultInjected:  "fault.injected",
	Disconnected:   "observer.disconnected",
	Reconnected:    "observer.reconnected",
	ServerStopped:  "server.stopped",
	ServerStarted:  "server.started",
	StoreWritten:   "store.written",
	StoreRefused:   "store.refused",
	ServerPhase:    "server.phase", VoteCast: "vote.cast", VoteFinal: "vote.final",
	EpochPromised: "epoch.promised", EpochAdopted: "epoch.adopted", SyncChosen: "sync.chosen",
	TxnProposed: "txn.proposed", TxnLogged: "txn.logged", LogSynced: "log.synced", LogTruncated: "log.truncated",
	SnapshotLoaded: "snapshot.loaded", SnapshotSaved: "snapshot.saved", TxnCommitted: "txn.committed",
	TxnDelivered: "txn.delivered", LeaderActivated: "leader.activated", ServerSynced: "server.synced",
	LeaderLost: "leader.lost", ServerPaused: "server.paused", ServerResumed: "server.resumed",
	LinkCut: "link.cut", LinkHealed: "link.healed",
	SessionTouched: "session.touched",
	ZnodeFound:     "znode.found",
	EntrySet:       "entry.set", EntryExpires: "entry.expires", EntryGone: "entry.gone",
	RequestWaits: "request.waits", RequestServed: "request.served", LockTaken: "lock.taken", LockFreed: "lock.freed",
	TxBegan: "tx.began", TxEnded: "tx.ended", LeaseGranted: "lease.granted", LeaseRenewed: "lease.renewed",
	LeaseEnded: "lease.ended", PushSent: "push.sent", PushDelivered: "push.delivered", RolePlayed: "role.played",
	ClockJumped: "clock.jumped", ProcessStalled: "process.stalled", ProcessMoves: "process.moves",
	ClientVanished: "client.vanished", TryFailed: "try.failed", SessionSeen: "session.seen",
	SessionLocated: "session.located", SessionSilent: "session.silent", SessionHeard: "session.heard",
	WatchesAsked: "watches.asked", OpRefused: "op.refused",
	Unknown: "event.unknown",
}

var opNames = [ops]string{
	NoOp: "none", Connect: "connect", Ping: "ping", Create: "create", Delete: "delete", Exists: "exists",
	Get: "get", Set: "set", Children: "children", Multi: "multi", Sync: "sync", Check: "check",
	CloseSession: "closeSession", SetWatches: "setWatches", GetACL: "getACL", SetACL: "setACL",
	Ephemerals: "getEphemerals", AllChildren: "getAllChildrenNumber", MultiRead: "multiRead",
	AddWatch: "addWatch", RemoveWatches: "removeWatches", CheckWatches: "checkWatches",
	Auth: "auth", WhoAmI: "whoAmI", Reconfig: "reconfig",
	Notification: "notification", FollowerInfo: "FOLLOWERINFO", ObserverInfo: "OBSERVERINFO",
	LeaderInfo: "LEADERINFO", AckEpoch: "ACKEPOCH", Diff: "DIFF", Trunc: "TRUNC", Snap: "SNAP",
	NewLeader: "NEWLEADER", UpToDate: "UPTODATE", Proposal: "PROPOSAL", Ack: "ACK", Commit: "COMMIT",
	Inform: "INFORM", Forward: "REQUEST", Revalidate: "REVALIDATE", ServerPing: "PING", ServerSync: "SYNC",
	Command: "command", Replicate: "replicate",
}

var watchNames = [watches]string{
	NoWatch: "none", DataWatch: "data", ExistWatch: "exist", ChildWatch: "child",
	PersistentWatch: "persistent", RecursiveWatch: "recursive",
}

// Names of zoo.EventType and zoo.CreateMode in the written forms. This package knows only their numbers.
var typeNames = [...]string{1: "created", 2: "deleted", 3: "changed", 4: "children"}

var modeNames = [...]string{
	"persistent", "ephemeral", "persistent-sequential", "ephemeral-sequential",
	"container", "persistent-ttl", "persistent-sequential-ttl",
}

// String returns the kind's dotted name, as in "op.sent".
func (k Kind) String() string { return nameOf(kindNames[:], uint8(k)) }

// Valid reports whether k is a known kind.
func (k Kind) Valid() bool { return k > 0 && k < kinds }

// ParseKind returns the kind with the given dotted name.
func ParseKind(s string) (Kind, bool) {
	i, ok := indexOf(kindNames[:], s)
	return Kind(i), ok
}

// String returns the operation's name in ZooKeeper, as in "create".
//
//go:noinline
func (o Op) String() string { return nameOf(opNames[:], uint8(o)) }

// ParseOp returns the operation with the given name.
func ParseOp(s string) (Op, bool) {
	i, ok := indexOf(opNames[:], s)
	return Op(i), ok
}

// String returns the watch's name: data, exist, child, persistent or recursive.
func (w Watch) String() string { return nameOf(watchNames[:], uint8(w)) }

// ParseWatch returns the watch with the given name.
func ParseWatch(s string) (Watch, bool) {
	i, ok := indexOf(watchNames[:], s)
	return Watch(i), ok
}

// TypeName returns the name of a watch event's type (created, deleted, changed, children), or its number.
func TypeName(t uint8) string { return nameOf(typeNames[:], t) }

// ParseType returns the type of watch event with the given name.
func ParseType(s string) (uint8, bool) { return indexOf(typeNames[:], s) }

// ModeName returns the name of a create mode, or its number.
func ModeName(m uint8) string { return nameOf(modeNames[:], m) }

// ParseMode returns the create mode with the given name.
func ParseMode(s string) (uint8, bool) { return indexOf(modeNames[:], s) }

// nameOf returns names[i], or i in digits if it has no name.
func nameOf(names []string, i uint8) string {
	if int(i) < len(names) && names[i] != "" {
		return names[i]
	}
	return strconv.Itoa(int(i))
}

func indexOf(names []string, s string) (uint8, bool) {
	for i, n := range names {
		if n == s && s != "" {
			return uint8(i), true
		}
	}
	return 0, false
}

// Roles of a node: the Text of a RolePlayed.
const (
	RolePrimary = "primary"
	RoleReplica = "replica"
)

// ServerPhaseName is a phase of a server of an ensemble: the Text of a ServerPhase.
type ServerPhaseName string

// The phases of ZAB.
const (
	Electing      ServerPhaseName = "election"
	Discovering   ServerPhaseName = "discovery"
	Synchronizing ServerPhaseName = "synchronization"
	Broadcasting  ServerPhaseName = "broadcast"

	NotServing ServerPhaseName = "not-serving" // any phase but broadcast: from outside they look alike
)
