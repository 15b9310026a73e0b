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
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/fault"
	"github.com/zkviz/zkviz/engine/sentence"
	"github.com/zkviz/zkviz/engine/systems"
)

// Config is a run. The zero value of a field takes the default that is named at it.
type Config struct {
	Nodes     []Node // numbered as in event.Node; required
	Root      string // what all that the run makes begins with; required
	Latency   time.Duration
	Recipe    string // its name, for the log
	Source    string // the recipe's file: record which line of it each client waits in
	Faults    []fault.Fault
	MaxEvents int // 10 million
	// Connected opens a connection of each program to each node before the first starts, so that none is late because a
	// node takes its time for that. A program's first connection to the node is this one.
	Connected bool
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
			return sentence.Error("refused.node", sentence.Quote(f.String()))
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
	err := w.nodes.Reach()
	if err == nil && cfg.Connected {
		err = w.nodes.Open()
	}
	if err != nil {
		return errors.Join(err, w.nodes.Remove())
	}
	w.play(ctx, inject)
	return errors.Join(w.err, ctx.Err(), w.nodes.Remove())
}
