package znode

import "github.com/zkviz/zkviz/engine/zoo"

// Kind is what a transaction does.
type Kind uint8

const (
	// Failed takes a zxid and does nothing else: a request that went wrong before it reached the tree,
	// with a body that cannot be read for instance.
	Failed Kind = iota
	OpenSession
	CloseSession
	Create          // create and create2
	CreateContainer // makes a container, whatever the mode says of its life
	CreateTTL       // the mode must be one that HasTTL
	Delete
	DeleteContainer // see Due
	Set
	SetACL
	Check // for a Multi
	Multi
)

// Txn is a write request on its way into the log. Data is kept by the tree and must not change; all other
// slices may be used again.
type Txn struct {
	Kind    Kind
	Session int64
	Caller  Caller
	Path    string
	Data    []byte
	Mode    zoo.CreateMode
	TTL     int64 // ms, of CreateTTL
	ACL     []zoo.ACL
	Version int32 // of the data, or, for SetACL, of the ACL
	Ops     []Txn // of a Multi; of these Session, Caller and TimeMS are not looked at
	TimeMS  int64 // the leader's clock
}

// ModeOf is the mode that a create's flags on the wire ask for. Flags that mean nothing become a mode that
// Apply refuses.
func ModeOf(flags int32) zoo.CreateMode {
	if flags < 0 || flags > int32(zoo.PersistentSequentialTTL) {
		return noMode
	}
	return zoo.CreateMode(flags)
}

const noMode zoo.CreateMode = 0xff

// Caller is who asks, for the ACLs.
type Caller struct {
	// IDs is what the connection has shown of itself, the scheme ip with its address included.
	IDs []zoo.ID
	// Known is the same as a set, for a connection that has shown much; it may be nil.
	Known map[zoo.ID]struct{}
	// Trusted is the host itself: no ACL stops it, and what it creates without an ACL is open to all.
	Trusted bool
}

// Result answers a transaction.
type Result struct {
	Zxid int64
	Code zoo.Code       // of a Multi that failed: of the part that failed
	Path string         // of a create
	Stat zoo.Stat       // of a create, Set or SetACL
	Ops  []zoo.OpResult // of a Multi, nil if it cannot be read: the request itself then failed with Code
}

// Change is one thing that a transaction did to the tree, for anyone who watches. A new ACL is none.
type Change struct {
	Type  zoo.EventType // NodeCreated, NodeDeleted or NodeDataChanged
	Path  string
	Mode  zoo.CreateMode
	Owner int64 // session, 0 if not ephemeral
	Data  []byte
	ACL   []zoo.ACL // of the znode; nil lets everybody do everything. See Caller.Sees
	Above []zoo.ACL // of its parent
}
