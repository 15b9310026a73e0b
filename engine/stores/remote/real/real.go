// Package real defines what a real node of a system other than ZooKeeper is to a host: how to connect to it, what
// infers its state, and how what runs create there is named and removed.
//
// It knows none of the systems and starts nothing. The packages of the systems in engine/stores return a Node, and
// engine/host/realtime runs programs on Nodes.
package real

import (
	"context"
	"net"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stores/remote"
)

// Dialer opens a network connection, as net.Dialer.DialContext does.
type Dialer func(ctx context.Context, network, addr string) (net.Conn, error)

// Wire is a connection to a node. One goroutine sends, and one receives until that fails. Close may be called at any
// time: it doesn't wait, and makes Receive fail.
type Wire interface {
	Send(remote.Request) error
	// Receive waits for the next message: the reply to the oldest pending request, or a push.
	Receive() (*remote.Reply, *remote.Push, error)
	Close() error
}

// Node is one node.
type Node struct {
	At string // host:port, to show
	// Dial connects. Its error is a Refused if the node refuses, otherwise one of the network.
	Dial   func(ctx context.Context, dial Dialer) (Wire, error)
	Shadow func(id event.Actor, emit func(event.Event) event.Seq) remote.Shadow
	// Begin marks, for MarkLasts, that the run with this root is active on the node, and removes what dead runs left:
	// those without a mark. It is called repeatedly while the run lasts.
	Begin func(ctx context.Context, root string) error
	// Remove removes what a run left on the node.
	Remove func(ctx context.Context, root string, paths []string) error
}

// MarkLasts is how long the mark of a run that dies stays.
const MarkLasts = time.Minute

// Refused tells why a node that can be reached refuses the run. It ends the run, not just a connection.
type Refused string

// Error returns the text.
func (r Refused) Error() string { return string(r) }

// reach is the timeout of opening a connection.
const reach = 10 * time.Second

// Network opens a connection that belongs to no process.
func Network(ctx context.Context, network, addr string) (net.Conn, error) {
	return (&net.Dialer{Timeout: reach}).DialContext(ctx, network, addr)
}
