package room

import (
	"context"

	"github.com/zkviz/zkviz/engine/sentence"
)

// Viewer is the way to one who views runs: a page, by a websocket, or a program. One of its methods may be called while
// another is at work.
type Viewer interface {
	// Receive waits for the next request, as protocol.ParseRequest reads it. After ErrNotText there may be others.
	Receive(ctx context.Context) ([]byte, error)
	// Message sends a message, as protocol.ParseMessage reads it. It fails if nobody takes it.
	Message(ctx context.Context, text []byte) error
	// Frame sends events, as protocol.ParseFrame reads them. The bytes are the caller's again when it returns.
	Frame(ctx context.Context, frame []byte) error
	// Ping asks the other end whether it is still there.
	Ping(ctx context.Context) error
	// Close says why nothing more will come, as far as the other end listens.
	Close(why Reason, text string)
	// Cut ends everything at once, a Receive that waits, too.
	Cut()
}

// ErrNotText is the error of what is no request because it is binary.
var ErrNotText = sentence.Error("bad.binary")

// Reason is why a viewer is closed.
type Reason uint8

const (
	Leaving Reason = iota + 1 // all ends
	Policy                    // the viewer has broken a rule
)
