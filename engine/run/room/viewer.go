package room

import (
	"context"

	"github.com/zkviz/zkviz/engine/event/sentence"
)

// Viewer is the connection to a viewer of runs: a page, by a websocket, or a program. Its methods may be called
// concurrently.
type Viewer interface {
	// Receive waits for the next request, in the form of protocol.ParseRequest. After ErrNotText there may be others.
	Receive(ctx context.Context) ([]byte, error)
	// Message sends a message, in the form of protocol.ParseMessage. It fails if nobody accepts it. The caller may
	// reuse the bytes when it returns, also those of Frame.
	Message(ctx context.Context, text []byte) error
	// Frame sends events, in the form of protocol.ParseFrame.
	Frame(ctx context.Context, frame []byte) error
	// Ping checks that the other end is still there.
	Ping(ctx context.Context) error
	// Close says why nothing more will come, if the other end still listens.
	Close(why Reason, text string)
	// Cut ends everything at once, even a waiting Receive.
	Cut()
}

// ErrNotText refuses a binary message.
var ErrNotText = sentence.Error("bad.binary")

// Reason says why a viewer is closed.
type Reason uint8

const (
	Leaving Reason = iota + 1 // the server stops
	Policy                    // the viewer has broken a rule
)
