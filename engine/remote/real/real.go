// Package real runs recipes on real nodes of systems that are not ZooKeeper: the same programs as engine/sim, each in a
// goroutine, with connections of its own.
//
// It knows none of the systems. How a node is reached comes in, and so does a witness of each, which infers from the
// requests and answers of the run's own clients what there is at the node: that is all that the log says of it.
package real

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/fault"
	"github.com/zkviz/zkviz/engine/remote"
	"github.com/zkviz/zkviz/engine/systems"
)

// Dialer opens a network connection, as net.Dialer.DialContext does.
type Dialer func(ctx context.Context, network, addr string) (net.Conn, error)

// Wire is a connection to a node. One goroutine at a time sends, and one receives.
type Wire interface {
	Send(remote.Request) error
	// Receive waits for what comes next: the reply to the oldest request without one, or a push.
	Receive() (*remote.Reply, *remote.Push, error)
	Close() error
}

// Witness infers what there is at a node, and says so in events.
type Witness interface {
	// Saw takes a request that was sent at a time, and the reply that has come now. cause is the event of the request.
	Saw(from event.Actor, r remote.Request, sent time.Duration, reply remote.Reply, now time.Duration, cause event.Seq)
	// Tick says what has ended by itself by now.
	Tick(now time.Duration)
	// Ends reports whether something is there that ends by itself.
	Ends() bool
	// Left are the paths of what is still there, as far as it knows.
	Left() []string
}

// Node is one node.
type Node struct {
	Dial    func(ctx context.Context, dial Dialer) (Wire, error)
	Witness func(id event.Actor, emit func(event.Event) event.Seq) Witness
	// Begin has others know for MarkLasts that a run is at work there with this root, and removes what runs have left
	// that are dead: those of which nothing is known any more. It is called again and again while the run goes on.
	Begin func(ctx context.Context, root string) error
	// Remove removes what a run has left there.
	Remove func(ctx context.Context, root string, paths []string) error
}

// MarkLasts is for how long a mark of a run that dies stays.
const MarkLasts = time.Minute

// Config is a run. The zero value of a field takes the default that is named at it.
type Config struct {
	Nodes     []Node // numbered as in event.Node; required
	Root      string // what all that the run makes begins with; required
	Latency   time.Duration
	Recipe    string // its name, for the log
	Source    string // the recipe's file: record which line of it each client waits in
	Faults    []fault.Fault
	MaxEvents int // 10 million
}

// Holds is what a run here has a hold of.
const Holds = fault.Process | fault.Link | fault.Messages | fault.Threads

const (
	maxClients = 1000
	maxEvents  = 10_000_000
)

func (c Config) validate(clients int) error {
	switch {
	case clients < 1 || clients > maxClients:
		return fmt.Errorf("%d clients; a run has from 1 to %d", clients, maxClients)
	case len(c.Nodes) == 0:
		return errors.New("no node is named")
	case c.Root == "":
		return errors.New("the run has no root")
	}
	for _, f := range c.Faults {
		if !Holds.Can(f.Kind) {
			return fmt.Errorf("fault %q cannot be done to a system that is not ours: leave it out, or simulate the run", f)
		}
		if err := f.Validate(fault.Scope{Clients: clients, Nodes: len(c.Nodes)}); err != nil {
			return err
		}
	}
	return nil
}

// Run runs the programs until all have ended, appends every event to sink, and removes what they have left.
// Program i is client i+1. A fault that comes in on inject is carried out at once, whatever its time says; inject
// may be nil. Run returns an error for a Config that cannot be, for a node that cannot be reached at the start or
// refuses, and ctx's when that ends first.
func Run(ctx context.Context, cfg Config, programs []systems.Program, sink event.Sink,
	inject <-chan fault.Fault) error {
	cfg.MaxEvents = cmp.Or(cfg.MaxEvents, maxEvents)
	if err := cfg.validate(len(programs)); err != nil {
		return fmt.Errorf("run %s: %w", cfg.Recipe, err)
	}
	w := newWorld(ctx, cfg, programs, sink)
	if err := w.reach(ctx); err != nil {
		return err
	}
	w.play(ctx, inject)
	return errors.Join(w.err, ctx.Err(), w.remove())
}

// reach tries each node once, so that what is wrong with one is said before the run begins.
func (w *world) reach(ctx context.Context) error {
	for _, n := range w.cfg.Nodes {
		wire, err := n.Dial(ctx, (&net.Dialer{}).DialContext)
		if err != nil {
			return err
		}
		_ = wire.Close()
		if err := n.Begin(ctx, w.cfg.Root); err != nil {
			return err
		}
	}
	return nil
}

// keepMarks has others know that the run goes on. It takes mu.
func (w *world) keepMarks() {
	every := time.NewTicker(MarkLasts / 4)
	defer every.Stop()
	for {
		select {
		case <-w.over:
			return
		case <-every.C:
		}
		for _, n := range w.cfg.Nodes {
			_ = n.Begin(w.ctx, w.cfg.Root) // a node that is away now may be back before the mark is gone
		}
	}
}

// removing is how long it may take to remove what is left, also when the run was stopped.
const removing = 10 * time.Second

func (w *world) remove() error {
	ctx, cancel := context.WithTimeout(context.Background(), removing)
	defer cancel()
	var all error
	for i, n := range w.cfg.Nodes {
		if err := n.Remove(ctx, w.cfg.Root, w.witnesses[i].Left()); err != nil {
			all = errors.Join(all, fmt.Errorf("remove what the run has left: %w", err))
		}
	}
	return all
}
