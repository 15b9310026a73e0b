package znode

import "github.com/zkviz/zkviz/engine/event/zoo"

// Kind tells what a transaction does.
type Kind uint8

const (
	// Failed only takes a zxid. It stands for a request that failed before it reached the tree, for instance because
	// its body was unreadable.
	Failed Kind = iota
	OpenSession
	CloseSession
	Create          // create and create2
	CreateContainer // creates a container, regardless of the mode
	CreateTTL       // the mode must satisfy HasTTL
	Delete
	DeleteContainer // see Due
	Set
	SetACL
	Check // only in a Multi
	Multi
)

// Txn is a write request on its way into the log. The tree keeps Data, so it must not change. All other slices may be
// reused.
type Txn struct {
	Kind    Kind
	Session int64
	Caller  Caller
	Path    string
	Data    []byte
	Mode    zoo.CreateMode
	TTL     int64 // ms, for CreateTTL
	ACL     []zoo.ACL
	Version int32 // of the data, or of the ACL for SetACL
	Ops     []Txn // for a Multi; their Session, Caller and TimeMS are ignored
	TimeMS  int64 // the leader's clock
}

// ModeOf returns the mode for a create's flags on the wire. For meaningless flags, it returns a mode that Apply
// refuses.
func ModeOf(flags int32) zoo.CreateMode {
	if flags < 0 || flags > int32(zoo.PersistentSequentialTTL) {
		return noMode
	}
	return zoo.CreateMode(flags)
}

const noMode zoo.CreateMode = 0xff

// Caller identifies a client for the ACLs.
type Caller struct {
	// IDs lists what the connection authenticated as, and its address under the scheme ip.
	IDs []zoo.ID
	// Known holds the same as a set, for connections with many identities. It may be nil.
	Known map[zoo.ID]struct{}
	// Trusted marks the host itself: no ACL restricts it, and what it creates without an ACL is open to all.
	Trusted bool
}

// Result is the answer to a transaction.
type Result struct {
	Zxid int64
	Code zoo.Code       // for a failed Multi, the code of the failed part
	Path string         // for a create
	Stat zoo.Stat       // for a create, Set or SetACL
	Ops  []zoo.OpResult // for a Multi; nil if it was unreadable, so that the whole request failed with Code
}

// Change is one change of the tree, for watchers. A new ACL is not a change.
type Change struct {
	Type  zoo.EventType // NodeCreated, NodeDeleted or NodeDataChanged
	Path  string
	Mode  zoo.CreateMode
	Owner int64 // session, 0 if not ephemeral
	Data  []byte
	ACL   []zoo.ACL // the znode's; nil grants everybody everything. See Caller.Sees
	Above []zoo.ACL // its parent's
}
