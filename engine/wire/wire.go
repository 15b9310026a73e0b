// Package wire is ZooKeeper's client protocol, as version 3.8.0 speaks it: its records, and their bytes in
// both directions.
//
// A frame is four bytes of length and a payload. The first frame each way is the handshake, ConnectRequest
// and ConnectResponse. From then on a client sends Requests, and the server answers with a Response each, in
// their order, and with Notifications in between. Integers are big endian.
//
// The package moves bytes and decides nothing: what a request does is engine/server's matter, where frames
// come from engine/embed's. Package peer is a bare client on top of it.
package wire

// MaxFrame is the longest payload in bytes, inclusive, that a server takes: ZooKeeper's jute.maxbuffer.
const MaxFrame = 0xfffff

// MaxAnswer is the longest payload in bytes that clients of ours take from a server, which has no such limit: lists of
// children may well be longer than MaxFrame.
const MaxAnswer = 64 << 20

// Xids that are not a client's own numbers.
const (
	XidNotification int32 = -1
	XidPing         int32 = -2 // of every answer to a ping, whatever was asked with
	XidAuth         int32 = -4 // by convention: the server echoes any
	XidSetWatches   int32 = -8 // by convention: the server echoes any
	// XidClose is what we number a request to end a session: any but 0, by which the ensemble's log tells an end that the
	// leader has decided on.
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

// StateSyncConnected is Notification.State: a server never sends another.
const StateSyncConnected int32 = 3

// PasswordBytes is the length of a session's password.
const PasswordBytes = 16
