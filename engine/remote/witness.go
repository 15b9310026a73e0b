package remote

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// Exchange is a request to a real node, and its reply.
type Exchange struct {
	From    event.Actor
	Conn    int // the connection, counted over all of a run
	Request Request
	Sent    time.Duration
	Cause   event.Seq // the event of the request

	// The reply, and when it came.
	Reply Reply
	Now   time.Duration
}

// Witness infers what there is at a real node from what passes between it and the clients of a run, and says so in
// events, so that they can be read as those of a simulated one. What it cannot know it does not say.
type Witness interface {
	// Asked takes a request, Answered also its reply.
	Asked(Exchange)
	Answered(Exchange)
	// Over is that the node knows of the end of a connection. A request on it that was not replied to was carried out or
	// not.
	Over(conn int, now time.Duration, cause event.Seq)
	// Tick says what has ended by itself by now.
	Tick(now time.Duration)
	// Ends reports whether something is there that ends by itself. What a client can keep from ending does not, while
	// lives reports true of that client.
	Ends(lives func(event.Actor) bool) bool
	// Left are the paths of what may still be there.
	Left() []string
}
