// Package zoo is all that a recipe sees of ZooKeeper: a client, its watches, stats, modes and errors.
//
// The names follow github.com/go-zookeeper/zk, so learners can reuse what they learn here. The package contains no
// client: engine/host/sim and engine/host/live implement Client, and recipes call it.
package zoo

import (
	"time"

	"github.com/zkviz/zkviz/engine/event/program"
)

// Client is a ZooKeeper session and the process that owns it.
//
// Every method blocks until its outcome is known. A method that needs the server returns an error that wraps a Code.
// ErrConnectionLoss means that the outcome is unknown: the operation may have been applied. ErrSessionExpired means
// that the session is over and its ephemeral znodes are gone. ErrStopped means that the run has ended or the process
// has crashed, and that the recipe must return.
//
// Slices and data that a Client returns are shared: read them, but don't change them.
type Client interface {
	program.Process

	// SessionID returns the session's number. It never changes: a new session is a new Client.
	SessionID() int64

	// Create creates a znode and returns its path. A sequential mode adds ten digits to it.
	Create(path string, data []byte, mode CreateMode) (string, error)
	// Delete deletes the znode if version matches. AnyVersion always does.
	Delete(path string, version int32) error
	// Exists reports whether the znode exists. A missing znode is not an error.
	Exists(path string) (bool, Stat, error)
	// ExistsW does the same as Exists and sets a watch, also on a missing znode.
	ExistsW(path string) (bool, Stat, Watch, error)
	// Get returns the znode's data.
	Get(path string) ([]byte, Stat, error)
	// GetW does the same as Get and sets a watch, but not on a missing znode.
	GetW(path string) ([]byte, Stat, Watch, error)
	// Set replaces the znode's data if version matches. AnyVersion always does.
	Set(path string, data []byte, version int32) (Stat, error)
	// Children returns the names of the znode's children, in any order.
	Children(path string) ([]string, Stat, error)
	// ChildrenW does the same as Children and sets a watch, but not on a missing znode.
	ChildrenW(path string) ([]string, Stat, Watch, error)
	// Multi applies all ops or none, under one zxid. On failure, the error wraps the Code of the first op that failed.
	Multi(ops ...Op) ([]OpResult, error)
	// Sync returns once the connected server has everything that the leader had when it received the request.
	Sync(path string) error

	// Await blocks until one of the watches fires and returns its event. After timeout it returns ErrTimeout; a
	// timeout of 0 waits for as long as the session lives. A watch survives a reconnection within the session's
	// timeout.
	Await(timeout time.Duration, watches ...Watch) (WatchEvent, error)
}

// AnyVersion makes Set, Delete and CheckOp skip the version check.
const AnyVersion int32 = -1

// CreateMode tells how long a znode lives and how it is named.
type CreateMode uint8

// The modes have the wire protocol's numbers.
const (
	Persistent           CreateMode = 0
	Ephemeral            CreateMode = 1 // deleted with the session that created it
	PersistentSequential CreateMode = 2 // its name ends in the parent's counter
	EphemeralSequential  CreateMode = 3

	Container               CreateMode = 4 // deleted once it has had children and its last one is gone
	PersistentTTL           CreateMode = 5 // deleted if it has no child and was not set for its TTL
	PersistentSequentialTTL CreateMode = 6
)

// IsEphemeral reports whether a znode of this mode is deleted with its session.
func (m CreateMode) IsEphemeral() bool { return m == Ephemeral || m == EphemeralSequential }

// IsSequential reports whether the name gets the parent's counter.
func (m CreateMode) IsSequential() bool {
	return m == PersistentSequential || m == EphemeralSequential || m == PersistentSequentialTTL
}

// HasTTL reports whether a znode of this mode is deleted after enough time without use.
func (m CreateMode) HasTTL() bool { return m == PersistentTTL || m == PersistentSequentialTTL }

// Stat is a znode's metadata. See the ZooKeeper Programmer's Guide, "ZooKeeper Stat Structure".
type Stat struct {
	Czxid          int64 // zxid that created the znode
	Mzxid          int64 // zxid that last changed its data
	Ctime          int64 // ms since 1970, or since the start of a simulated run
	Mtime          int64 // ms, like Ctime
	Version        int32 // number of changes of the data
	Cversion       int32 // number of changes of the children
	Aversion       int32 // number of changes of the ACL
	EphemeralOwner int64 // session ID, 0 if not ephemeral
	DataLength     int32 // bytes
	NumChildren    int32
	Pzxid          int64 // zxid that last created or deleted a child
}

// Watch identifies a watch that this client set. It fires once.
type Watch int64

// EventType tells what a watch saw. The types have the wire protocol's numbers.
type EventType uint8

const (
	NodeCreated         EventType = 1
	NodeDeleted         EventType = 2
	NodeDataChanged     EventType = 3
	NodeChildrenChanged EventType = 4
)

// String returns the name that ZooKeeper's clients print.
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

// WatchEvent reports that something changed, but not the new state: read it again.
type WatchEvent struct {
	Type EventType
	Path string
}

// OpKind tells what one Op of a Multi does.
type OpKind uint8

const (
	OpCreate OpKind = iota + 1
	OpDelete
	OpSet
	OpCheck
)

// Op is one operation of a Multi.
type Op struct {
	Kind    OpKind
	Path    string
	Data    []byte
	Mode    CreateMode
	Version int32
}

// CreateOp returns an Op that creates a znode.
func CreateOp(path string, data []byte, mode CreateMode) Op {
	return Op{Kind: OpCreate, Path: path, Data: data, Mode: mode}
}

// DeleteOp returns an Op that deletes a znode.
func DeleteOp(path string, version int32) Op { return Op{Kind: OpDelete, Path: path, Version: version} }

// SetOp returns an Op that replaces a znode's data.
func SetOp(path string, data []byte, version int32) Op {
	return Op{Kind: OpSet, Path: path, Data: data, Version: version}
}

// CheckOp returns an Op that makes the Multi fail unless a znode has the version.
func CheckOp(path string, version int32) Op { return Op{Kind: OpCheck, Path: path, Version: version} }

// OpResult is the outcome of one Op. Code is 0 if it was applied.
type OpResult struct {
	Code Code
	Path string // for a create
	Stat Stat   // for a set
}
