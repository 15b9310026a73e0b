// Package wire encodes and decodes ZooKeeper's client protocol as version 3.8.0 uses it, in both directions.
//
// A frame is a length of four bytes and a payload. The first frame in each direction is the handshake, ConnectRequest
// and ConnectResponse. From then on a client sends Requests. The server answers each with a Response, in their order,
// and sends Notifications in between. Integers are big endian.
//
// The package only converts bytes. engine/zookeeper/server executes requests, and engine/zookeeper/embed handles
// connections. Package peer is a bare client on top of this package.
package wire

// MaxFrame is the longest payload that a server accepts, in bytes: ZooKeeper's jute.maxbuffer.
const MaxFrame = 0xfffff

// MaxAnswer is the longest payload that our own clients accept from a server, in bytes. Servers have no such limit:
// lists of children may well be longer than MaxFrame.
const MaxAnswer = 64 << 20

// Special xids, which clients don't use as numbers of their own.
const (
	XidNotification int32 = -1
	XidPing         int32 = -2 // in the answer to every ping, whatever the request's xid
	XidAuth         int32 = -4 // by convention: the server echoes any
	XidSetWatches   int32 = -8 // by convention: the server echoes any
	// XidClose is our number for a request to end a session. Any number but 0 tells it, in the ensemble's log, from an
	// end that the leader decided on.
	XidClose int32 = 1<<31 - 1
)

// Modes of addWatch.
const (
	WatchPersistent          int32 = 0
	WatchPersistentRecursive int32 = 1
)

// Types of watches, for checkWatches and removeWatches.
const (
	WatcherChildren int32 = 1
	WatcherData     int32 = 2 // set by getData or exists
	WatcherAny      int32 = 3
)

// StateSyncConnected is the only value of Notification.State that a server sends.
const StateSyncConnected int32 = 3

// PasswordBytes is the length of a session's password.
const PasswordBytes = 16
