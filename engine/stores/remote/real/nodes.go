package real

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
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
	Dial    func(ctx context.Context, dial Dialer) (Wire, error)
	Witness func(id event.Actor, emit func(event.Event) event.Seq) remote.Witness
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

// Host is the run that connections belong to. Its lock guards them: its methods are called with the lock held.
type Host interface {
	sync.Locker
	Now() time.Duration
	Emit(event.Event) event.Seq
	// After calls f, with the lock held, after d, unless the run is over by then.
	After(d time.Duration, f func())
	// Go calls f in a goroutine. The run ends only after it.
	Go(f func())
	// Fail ends the run with an error.
	Fail(error)
}

// Nodes are the nodes of a run, each with its witness.
type Nodes struct {
	nodes     []Node
	root      string
	latency   time.Duration
	host      Host
	ctx       context.Context
	witnesses []remote.Witness
	sockets   []*Sockets
	conns     int // so far
	begun     int // the nodes at which the run has begun
}

// NewNodes returns the nodes of a run. The names of all that the run creates begin with its root. Every message is
// delayed by latency. Connections can be opened until ctx ends.
func NewNodes(ctx context.Context, nodes []Node, root string, latency time.Duration, host Host) *Nodes {
	n := &Nodes{nodes: nodes, root: root, latency: latency, host: host, ctx: ctx}
	for i, node := range nodes {
		n.witnesses = append(n.witnesses, node.Witness(event.Node(i+1), host.Emit))
	}
	return n
}

// Reach begins the run at each node, so that errors show before it starts. The lock is not held.
func (n *Nodes) Reach() error {
	for _, node := range n.nodes {
		if err := node.Begin(n.ctx, n.root); err != nil {
			return err
		}
		n.begun++
	}
	return nil
}

// Open opens a connection from each process to each node, for its program to use later. The lock is not held.
func (n *Nodes) Open() error {
	for _, s := range n.sockets {
		for _, node := range n.nodes {
			w, err := node.Dial(n.ctx, s.gate.dial)
			if err != nil {
				return err
			}
			s.early = append(s.early, w)
		}
	}
	return nil
}

// KeepMarks renews the marks of the run until it is over. The lock is not held.
func (n *Nodes) KeepMarks(over <-chan struct{}) {
	every := time.NewTicker(MarkLasts / 4)
	defer every.Stop()
	for {
		select {
		case <-over:
			return
		case <-every.C:
		}
		for _, node := range n.nodes {
			_ = node.Begin(n.ctx, n.root) // a node that can't be reached now may be back before the mark expires
		}
	}
}

// Tick reports what has expired by now.
func (n *Nodes) Tick() {
	for _, x := range n.witnesses {
		x.Tick(n.host.Now())
	}
}

// Ends reports whether something at the nodes will expire that no client keeps alive for which lives is true.
func (n *Nodes) Ends(lives func(event.Actor) bool) bool {
	return slices.ContainsFunc(n.witnesses, func(w remote.Witness) bool { return w.Ends(lives) })
}

// removing is the limit for removing what is left, even if the run was stopped.
const removing = 10 * time.Second

// Remove removes what the run left, after everything else has ended. The lock is not held.
func (n *Nodes) Remove() error {
	for _, s := range n.sockets {
		s.spare()
		s.gate.release()
	}
	ctx, cancel := context.WithTimeout(context.Background(), removing)
	defer cancel()
	var all error
	for i, node := range n.nodes[:n.begun] {
		if err := node.Remove(ctx, n.root, n.witnesses[i].Left()); err != nil {
			all = errors.Join(all, fmt.Errorf("remove what the run has left: %w", err))
		}
	}
	return all
}
