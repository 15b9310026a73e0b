// Package realtime carries out programs in real time: the same programs as engine/host/sim, each in a goroutine, with
// its own connections, on which faults act. Run runs them on real nodes of systems other than ZooKeeper, for
// engine/run/cluster. engine/host/live makes a World too, and adds sessions of ZooKeeper. engine/host/contend has no
// programs and no log, and uses only the Gate, on which faults act, and the Owner.
//
// It knows none of the systems. The caller provides the nodes, with how to connect and a shadow of each, which infers
// the node's state from the requests of the run's own clients and the replies: the log says nothing else about it.
package realtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/stores/remote/real"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// Config is the configuration of a run. A zero field has the default in its comment.
type Config struct {
	Nodes     []real.Node   // numbered as in event.Node; Run requires one
	Root      string        // the prefix of all names that the run creates; required
	Latency   time.Duration // by which every message is delayed
	Recipe    string        // its name, for the log
	Source    string        // the recipe's file: the log records in which line of it each client waits
	Faults    []fault.Fault
	MaxEvents int // 10 million
	// Connected opens a connection from each program to each node before the first program starts, so that slow
	// connecting delays none. It becomes the program's first connection to the node.
	Connected bool
}

// Holds are the targets of faults that such a run supports.
const Holds = fault.Process | fault.Link | fault.Messages | fault.Threads

// Limits of a run.
const (
	MaxClients = 1000
	MaxEvents  = 10_000_000
)

func (c Config) validate(clients int) error {
	switch {
	case clients < 1 || clients > MaxClients:
		return fmt.Errorf("clients must be between 1 and %[2]d, not %[1]d", clients, MaxClients)
	case len(c.Nodes) == 0:
		return errors.New("no node is given")
	case c.Root == "":
		return errors.New("no root is given")
	}
	for _, f := range c.Faults {
		if f.Kind.Target() == fault.ToMessage {
			return sentence.Error("refused.message", sentence.Quote(f.String()))
		}
		if !Holds.Can(f.Kind) {
			return sentence.Error("refused.node", sentence.Quote(f.String()))
		}
		if err := f.Validate(fault.Scope{Clients: clients, Nodes: len(c.Nodes)}); err != nil {
			return err
		}
	}
	return nil
}

// Run runs the programs until all have ended, appends every event to sink, and removes what they left. Program i is
// client i+1. A fault from inject happens at once, whatever its time; inject may be nil. Run returns an error for an
// invalid Config and for a node that is unreachable at the start or refuses, and ctx's error if that ends first.
func Run(ctx context.Context, cfg Config, programs []systems.Program, sink event.Sink,
	inject <-chan fault.Fault) error {
	cfg.MaxEvents = cmp.Or(cfg.MaxEvents, MaxEvents)
	if err := cfg.validate(len(programs)); err != nil {
		return fmt.Errorf("run %s: %w", cfg.Recipe, err)
	}
	w := NewWorld(ctx, cfg, programs, sink, nodesOnly{})
	err := w.Reach()
	if err == nil && cfg.Connected {
		err = w.connect()
	}
	if err != nil {
		return errors.Join(err, w.Remove())
	}
	w.Locked(w.Started)
	w.Go(w.keepLooking)
	w.Play(ctx, inject)
	w.Finish(0)
	return errors.Join(w.err, ctx.Err(), w.Remove())
}

// tick is how often the world checks what has expired, and whether anything can still happen.
const tick = 50 * time.Millisecond

// keepLooking looks until the run is over. It takes the lock.
func (w *World) keepLooking() {
	every := time.NewTicker(tick)
	defer every.Stop()
	for {
		select {
		case <-w.over:
			return
		case <-every.C:
			w.Locked(func() { w.Look(true) })
		}
	}
}

// nodesOnly is the System of a run that has only nodes.
type nodesOnly struct{}

func (nodesOnly) Suffer(t *Thread, f fault.Fault, cause event.Seq) { t.Suffer(f, cause) }
func (nodesOnly) Resumed(event.Actor, time.Duration)               {}
func (nodesOnly) Healed(event.Actor)                               {}
func (nodesOnly) Idle() bool                                       { return true }
