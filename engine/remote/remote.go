// Package remote is what passes between a process and one node of a system that is not ZooKeeper: Redis, a database,
// etcd. It knows none of them: a typed client of each makes requests of calls, and a node, simulated or real, answers.
//
// Hosts carry requests and replies. What they mean is in engine/redis, engine/sql and engine/etcd.
package remote

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// Request is one request of a process.
type Request struct {
	Path string // the key or row that it is about, "" for none; for the log
	Text string // as a person would write it, on one line; for the log
	Body any    // what the system's own client and node understand
	// Blocks is that the node may keep it waiting for somebody: where nobody sees whether it does, it counts as waiting.
	Blocks bool
	// Watch is how it asks to be told of something later, if it does: see Push.
	Watch event.Watch
	// On is which connection it is for, as Conn.Opened counts; 0 for whichever there is. If that is over, the request
	// is not sent, and Do returns program.ErrLost.
	On int
}

// Reply is the answer to one Request.
type Reply struct {
	Text   string // as a person would read it; for the log
	Failed bool   // it is an error; for the log
	Body   any
}

// Push is what a node sends that nobody has just asked for: a message, a notification, an event of a watch.
type Push struct {
	Path string // the channel, key or row
	Text string
	Body any
}

// Conn is a connection of a process to a node, as typed clients use it. One process at a time may call it.
//
// If the connection breaks, the call that is under way returns program.ErrLost: the request may have been carried
// out or not. The next call opens a new one, which has nothing of what the node kept for the old: no subscriptions, no
// transaction, no locks.
type Conn interface {
	// Do sends a request and waits for its reply, however long the node takes. A Reply that Failed is no error.
	Do(Request) (Reply, error)
	// Next waits for what the node sends unasked, at most timeout, unless that is 0: then it returns program.ErrTimeout.
	// Waiting in Next, a process counts as one that waits for others.
	Next(timeout time.Duration) (Push, error)
	// Close ends the connection. It waits for nothing.
	Close()
	// Opened counts how often the connection has been opened, from 1 with the first call: who keeps something at the node
	// can tell that it is gone.
	Opened() int
}

// Node is one simulated node of a system: a state machine without clock, socket or goroutine. Its host tells it
// the time and guards it.
type Node interface {
	// Connect begins a connection of a process. What the node has to say to it goes to link.
	Connect(link Link, from event.Actor, now time.Duration) Session
	// NextTick is when the node has something to do by itself, false if nothing is planned. Tick has it do what is due.
	NextTick() (time.Duration, bool)
	Tick(now time.Duration)
	// Stop takes the node down and forgets what it has only in memory, and what its connections have under way: that they
	// are lost it is told afterwards. Start has it up again, with what it had kept.
	Stop(now time.Duration, cause event.Seq)
	Start(now time.Duration, cause event.Seq)
}

// Session is a node's side of a connection.
type Session interface {
	// Handle carries a request out. Its reply goes to the link at once or later; requests of a connection are answered in
	// their order. cause is the event of the request, and what happens because of it refers to it.
	Handle(r Request, now time.Duration, cause event.Seq)
	// Lost is that the node has learnt of the connection's end.
	Lost(now time.Duration, cause event.Seq)
}

// Link is the way back to the process. Its methods are called while the node works, and must not call it.
type Link interface {
	// Reply answers the oldest request that is not answered. waited says that the node had kept it waiting for somebody.
	Reply(r Reply, waited bool, cause event.Seq)
	Push(p Push, cause event.Seq)
	// Close is that the node has ended the connection.
	Close(why event.Reason, cause event.Seq)
}

// Effect is one thing that a node has done, as it is handed to its replicas.
type Effect struct {
	By   event.Actor // whose request it was, 0 for nobody's
	Path string      // for the log, as of a Request
	Text string
	Body any
}

// Replicated is a node that others can follow.
type Replicated interface {
	Node
	// Replicate has the node hand out what it does from now on, in order. send must not call it.
	Replicate(send func(e Effect, cause event.Seq))
	// Follow makes the node a replica that begins with all that its primary has, and refuses writes. What connections to
	// it have under way is over.
	Follow(primary Replicated, now time.Duration, cause event.Seq)
	// Replay has a replica do what its primary has done.
	Replay(e Effect, now time.Duration, cause event.Seq)
	// Confirm is that a replica has replayed so many effects of this node since it follows it.
	Confirm(replica event.Actor, n int, now time.Duration, cause event.Seq)
	// Promote makes a replica a primary.
	Promote(now time.Duration, cause event.Seq)
}

// Clocked is a node that goes by a clock of its own, which can be set.
type Clocked interface {
	// Jump sets the node's clock forward by d, or back.
	Jump(d time.Duration, now time.Duration, cause event.Seq)
}
