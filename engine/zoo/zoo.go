// Package zoo is all that a recipe may see of ZooKeeper: a client, its watches, stats, modes and errors.
//
// The names follow github.com/go-zookeeper/zk, so that what is learned here carries over. It is not a
// client itself: engine/sim and engine/live implement Client, recipes call it.
package zoo

import (
	"time"

	"github.com/zkviz/zkviz/engine/program"
)

// Client is one ZooKeeper session and the process that owns it.
//
// Every method blocks until its outcome is known. A method that needs the server returns an error that
// wraps a Code: ErrConnectionLoss means that the outcome is unknown (the operation may have been applied),
// ErrSessionExpired that this session is over and everything ephemeral of it is gone, ErrStopped that the
// run has ended or the process has crashed, and that the recipe must return.
//
// Slices and data that a Client returns are shared: read them, do not change them.
type Client interface {
	program.Process

	// SessionID is the session's number. It never changes: a new session is a new Client.
	SessionID() int64

	// Create makes a znode and returns its path, which a sequential mode extends by ten digits.
	Create(path string, data []byte, mode CreateMode) (string, error)
	// Delete removes the znode if version matches; AnyVersion always does.
	Delete(path string, version int32) error
	// Exists reports whether the znode is there. A missing znode is not an error.
	Exists(path string) (bool, Stat, error)
	// ExistsW is Exists and leaves a watch, also on a znode that is not there.
	ExistsW(path string) (bool, Stat, Watch, error)
	// Get reads the znode's data.
	Get(path string) ([]byte, Stat, error)
	// GetW is Get and leaves a watch. No watch is left if the znode is not there.
	GetW(path string) ([]byte, Stat, Watch, error)
	// Set replaces the znode's data if version matches; AnyVersion always does.
	Set(path string, data []byte, version int32) (Stat, error)
	// Children lists the names of the znode's children, in no promised order.
	Children(path string) ([]string, Stat, error)
	// ChildrenW is Children and leaves a watch. No watch is left if the znode is not there.
	ChildrenW(path string) ([]string, Stat, Watch, error)
	// Multi applies all ops or none, under one zxid. On failure the error wraps the Code of the first op that failed.
	Multi(ops ...Op) ([]OpResult, error)
	// Sync returns when the connected server has caught up with what the leader had when it was asked.
	Sync(path string) error

	// Await blocks until one of the watches fires and returns its event. It returns ErrTimeout after
	// timeout, unless timeout is 0, which waits for as long as the session lives. A watch survives a
	// reconnection within the session's timeout.
	Await(timeout time.Duration, watches ...Watch) (WatchEvent, error)
}

// AnyVersion makes Set, Delete and CheckOp skip the version check.
const AnyVersion int32 = -1

// CreateMode says how long a znode lives and how it is named.
type CreateMode uint8

// The numbers are those of the wire protocol.
const (
	Persistent           CreateMode = 0
	Ephemeral            CreateMode = 1 // goes with the session that made it
	PersistentSequential CreateMode = 2 // its name ends in the parent's counter
	EphemeralSequential  CreateMode = 3

	Container               CreateMode = 4 // goes once it has had children and has none left
	PersistentTTL           CreateMode = 5 // goes once it has no child and was not set for its TTL
	PersistentSequentialTTL CreateMode = 6
)

// IsEphemeral reports whether a znode of this mode goes with its session.
func (m CreateMode) IsEphemeral() bool { return m == Ephemeral || m == EphemeralSequential }

// IsSequential reports whether the parent's counter is put at the end of the name.
func (m CreateMode) IsSequential() bool {
	return m == PersistentSequential || m == EphemeralSequential || m == PersistentSequentialTTL
}

// HasTTL reports whether a znode of this mode goes when it was left alone for long enough.
func (m CreateMode) HasTTL() bool { return m == PersistentTTL || m == PersistentSequentialTTL }

// Stat is a znode's metadata. See the ZooKeeper Programmer's Guide, "ZooKeeper Stat Structure".
type Stat struct {
	Czxid          int64 // zxid that created it
	Mzxid          int64 // zxid that last changed its data
	Ctime          int64 // ms since 1970, or since the start of a simulated run
	Mtime          int64 // ms, as Ctime
	Version        int32 // changes of the data
	Cversion       int32 // changes of the children
	Aversion       int32 // changes of the ACL
	EphemeralOwner int64 // session, 0 if not ephemeral
	DataLength     int32 // bytes
	NumChildren    int32
	Pzxid          int64 // zxid that last created or deleted a child
}

// Watch names a watch that this client has set. It fires once.
type Watch int64

// EventType says what a watch saw. The numbers are those of the wire protocol.
type EventType uint8

const (
	NodeCreated         EventType = 1
	NodeDeleted         EventType = 2
	NodeDataChanged     EventType = 3
	NodeChildrenChanged EventType = 4
)

// String is the name that ZooKeeper's clients print.
func (t EventType) String() string {
	switch t {
	case NodeCreated:
		return "NodeCreated"
	case NodeDeleted:
		return "NodeDeleted"
	case NodeDataChanged:
		return "NodeDataChanged"
	case NodeChildrenChanged:
		return "NodeChildrenChanged"
	}
	return "None"
}

// WatchEvent says that something changed, not what it is now: read again to know.
type WatchEvent struct {
	Type EventType
	Path string
}

// OpKind is what one Op of a Multi does.
type OpKind uint8

const (
	OpCreate OpKind = iota + 1
	OpDelete
	OpSet
	OpCheck
)

// Op is one part of a Multi.
type Op struct {
	Kind    OpKind
	Path    string
	Data    []byte
	Mode    CreateMode
	Version int32
}

// CreateOp is the part of a Multi that creates a znode.
func CreateOp(path string, data []byte, mode CreateMode) Op {
	return Op{Kind: OpCreate, Path: path, Data: data, Mode: mode}
}

// DeleteOp is the part that deletes one.
func DeleteOp(path string, version int32) Op { return Op{Kind: OpDelete, Path: path, Version: version} }

// SetOp is the part that writes its data.
func SetOp(path string, data []byte, version int32) Op {
	return Op{Kind: OpSet, Path: path, Data: data, Version: version}
}

// CheckOp is the part that fails all unless a znode has the version.
func CheckOp(path string, version int32) Op { return Op{Kind: OpCheck, Path: path, Version: version} }

// OpResult is the outcome of one Op: Code 0 if it was applied.
type OpResult struct {
	Code Code
	Path string // of a create
	Stat Stat   // of a set
}
