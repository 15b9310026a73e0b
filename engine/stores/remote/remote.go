// Package remote defines what a process and one node of a system other than ZooKeeper (Redis, a database, etcd)
// exchange. It knows none of them: a typed client turns calls into requests, and a node, simulated or real, replies.
//
// Hosts carry requests and replies. What they mean is in engine/stores/redis, engine/stores/sql and engine/stores/etcd.
package remote

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// Request is one request of a process.
type Request struct {
	Path string // the key or row that it is about, "" for none; for the log
	Text string // as one would type it, on one line; for the log
	Body any    // known only to the system's own client and node
	// Blocks says that the node may make it wait for another client. If that can't be seen, it counts as waiting.
	Blocks bool
	// Watch is the kind of watch that it sets, if it sets one: see Push.
	Watch event.Watch
	// On is the connection that it is for, as counted by Conn.Opened; 0 for any. If that one is closed, the request is
	// not sent, and Do returns program.ErrLost.
	On int
}

// Reply is the reply to one Request.
type Reply struct {
	Text   string // as a user would see it; for the log
	Failed bool   // it is an error; for the log
	Body   any
}

// Push is a message that a node sends without a request: a published message, a notification, an event of a watch.
type Push struct {
	Path string // the channel, key or row
	Text string
	Body any
}

// Conn is a connection of a process to a node, as typed clients use it. Only one process at a time may call it.
//
// If the connection breaks, the pending call returns program.ErrLost: the request may have been carried out or not. The
// next call opens a new connection, without what the node kept for the old one: no subscriptions, no transaction, no
// locks.
type Conn interface {
	// Do sends a request and waits for its reply, however long the node takes. A Reply that Failed is no error.
	Do(Request) (Reply, error)
	// Next waits for the next push, at most timeout, 0 for no limit; then it returns program.ErrTimeout. A process in
	// Next counts as waiting for others.
	Next(timeout time.Duration) (Push, error)
	// Close closes the connection. It doesn't wait.
	Close()
	// Opened returns how often the connection was opened, 1 after the first call: when it has grown, what the node kept
	// for the client is gone.
	Opened() int
}

// Node is one simulated node of a system: a state machine without clock, socket or goroutine. Its host provides the
// time and the locking.
type Node interface {
	// Connect opens a connection of a process. The node sends on link.
	Connect(link Link, from event.Actor, now time.Duration) Session
	// NextTick returns when the node next has something to do, false for nothing planned. Tick does what is due.
	NextTick() (time.Duration, bool)
	Tick(now time.Duration)
	// Stop stops the node, which loses what it has only in memory, and the pending requests of its connections: after
	// that it is told that these are lost. Start starts it again, with what it has on disk.
	Stop(now time.Duration, cause event.Seq)
	Start(now time.Duration, cause event.Seq)
}

// Session is a node's side of a connection.
type Session interface {
	// Handle carries out a request. The reply goes to the link at once or later, in the order of the connection's
	// requests. cause is the event of the request, and the cause of all events that follow from it.
	Handle(r Request, now time.Duration, cause event.Seq)
	// Lost tells the node that the connection was closed.
	Lost(now time.Duration, cause event.Seq)
}

// Link is the way back to the process. The node calls it while it changes its state, so it must not call the node.
type Link interface {
	// Reply replies to the oldest pending request. waited says whether the node made it wait for another client.
	Reply(r Reply, waited bool, cause event.Seq)
	Push(p Push, cause event.Seq)
	// Close tells that the node closed the connection.
	Close(why event.Reason, cause event.Seq)
}

// Effect is one change of a node, as it is sent to its replicas.
type Effect struct {
	By   event.Actor // the client that made the request, 0 for none
	Path string      // for the log, as in a Request
	Text string
	Body any
}

// Replicated is a node that can have replicas.
type Replicated interface {
	Node
	// Replicate makes the node send its changes from now on, in order. send must not call it.
	Replicate(send func(e Effect, cause event.Seq))
	// Follow makes the node a replica that begins with the state of its primary, and refuses writes. The pending
	// requests of its connections end.
	Follow(primary Replicated, now time.Duration, cause event.Seq)
	// Replay makes a replica apply a change of its primary.
	Replay(e Effect, now time.Duration, cause event.Seq)
	// Confirm tells the node how many of its changes a replica has applied since it follows the node.
	Confirm(replica event.Actor, n int, now time.Duration, cause event.Seq)
	// Promote makes a replica a primary.
	Promote(now time.Duration, cause event.Seq)
}

// Clocked is a node with a clock of its own, which can be set.
type Clocked interface {
	// Jump sets the node's clock forward or back by d.
	Jump(d time.Duration, now time.Duration, cause event.Seq)
}
