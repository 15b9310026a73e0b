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
	"github.com/zkviz/zkviz/engine/remote"
)

// Dialer opens a network connection, as net.Dialer.DialContext does.
type Dialer func(ctx context.Context, network, addr string) (net.Conn, error)

// Wire is a connection to a node. One goroutine at a time sends, and one receives, until that fails. Close may be
// called meanwhile: it waits for nothing, and has Receive fail.
type Wire interface {
	Send(remote.Request) error
	// Receive waits for what comes next: the reply to the oldest request without one, or a push.
	Receive() (*remote.Reply, *remote.Push, error)
	Close() error
}

// Node is one node.
type Node struct {
	At string // host:port, to show
	// Dial connects. Where the network gives way, the error says so; a node that refuses is a Refused.
	Dial    func(ctx context.Context, dial Dialer) (Wire, error)
	Witness func(id event.Actor, emit func(event.Event) event.Seq) remote.Witness
	// Begin has others know for MarkLasts that a run is at work there with this root, and removes what runs have left
	// that are dead: those of which nothing is known any more. It is called again and again while the run goes on.
	Begin func(ctx context.Context, root string) error
	// Remove removes what a run has left there.
	Remove func(ctx context.Context, root string, paths []string) error
}

// MarkLasts is for how long a mark of a run that dies stays.
const MarkLasts = time.Minute

// Refused is that a node can be reached and does not let the run in, and why. It is the run's end, not a connection's.
type Refused string

// Error is the whole text.
func (r Refused) Error() string { return string(r) }

// Host is the run that connections are part of. Its lock guards them: its methods are called while it is held.
type Host interface {
	sync.Locker
	Now() time.Duration
	Emit(event.Event) event.Seq
	// After has f called, with the lock held, once d has passed, unless the run is over by then.
	After(d time.Duration, f func())
	// Go calls f in a goroutine that the end of the run waits for.
	Go(f func())
	// Fail ends the run with an error.
	Fail(error)
}

// Nodes are the nodes of a run, with what is known of each.
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

// NewNodes are the nodes of a run whose root is what all that it makes begins with. Every message is held up for
// latency. Connections are opened until ctx ends.
func NewNodes(ctx context.Context, nodes []Node, root string, latency time.Duration, host Host) *Nodes {
	n := &Nodes{nodes: nodes, root: root, latency: latency, host: host, ctx: ctx}
	for i, node := range nodes {
		n.witnesses = append(n.witnesses, node.Witness(event.Node(i+1), host.Emit))
	}
	return n
}

// Reach begins the run at each node, so that what is wrong with one is said before. The lock is not held.
func (n *Nodes) Reach() error {
	for _, node := range n.nodes {
		if err := node.Begin(n.ctx, n.root); err != nil {
			return err
		}
		n.begun++
	}
	return nil
}

// Open opens a connection of each process to each node, for when its program asks for one. The lock is not held.
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

// KeepMarks has others know that the run goes on, until it is over. The lock is not held.
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
			_ = node.Begin(n.ctx, n.root) // a node that is away now may be back before the mark is gone
		}
	}
}

// Tick says what has ended by itself by now.
func (n *Nodes) Tick() {
	for _, x := range n.witnesses {
		x.Tick(n.host.Now())
	}
}

// Ends reports whether something is there that ends by itself, and that no client keeps from it of which lives reports
// true.
func (n *Nodes) Ends(lives func(event.Actor) bool) bool {
	return slices.ContainsFunc(n.witnesses, func(w remote.Witness) bool { return w.Ends(lives) })
}

// removing is how long it may take to remove what is left, also when the run was stopped.
const removing = 10 * time.Second

// Remove removes what the run has left, once nothing of it goes on. The lock is not held.
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
