package remote

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// RoundTrip is a request to a real node, and its reply.
type RoundTrip struct {
	From    event.Actor
	Conn    int // the connection's number, counted over the run
	Request Request
	Sent    time.Duration
	Cause   event.Seq // the event of the request

	// Reply came at Now.
	Reply Reply
	Now   time.Duration
}

// Shadow keeps the shadow state of a real node. It infers the state from the messages between the node and the clients
// of a run, and logs the events that a simulated node would. It logs nothing that it can't know.
type Shadow interface {
	// Asked is called with a request, Answered also with its reply.
	Asked(RoundTrip)
	Answered(RoundTrip)
	// Closed records that the node knows that a connection is closed. A request on it without a reply may have been
	// carried out or not.
	Closed(conn int, now time.Duration, cause event.Seq)
	// Tick reports what has expired by now.
	Tick(now time.Duration)
	// Ends reports whether something at the node will expire. It doesn't count what a client keeps alive for which
	// lives is true.
	Ends(lives func(event.Actor) bool) bool
	// Left returns the paths that may still exist.
	Left() []string
}
