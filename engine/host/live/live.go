// Package live runs the same recipes as engine/host/sim on a real ZooKeeper, and on nodes of other systems beside
// it, by engine/stores/remote/real.
//
// Each process has a connection of its own, and every frame that passes on it is seen by its link: that is where the
// log's facts about the server come from, and where a client is frozen, cut off or made to lose a reply. So the faults
// are real ones: the ensemble itself expires the session of a client that is frozen for too long.
//
// What the log says about ZooKeeper is what the run's own clients were told by it, plus the end of their sessions. What
// others do to the znodes of a run is noticed, but not who did it.
//
// What a run knows about the servers is in servers.go, which asks them through engine/zookeeper/admin. How a run's
// znodes are removed safely is in latch.go.
package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/event/window"
	"github.com/zkviz/zkviz/engine/stores/remote/real"
	"github.com/zkviz/zkviz/engine/stores/systems"
	"github.com/zkviz/zkviz/engine/zookeeper/access"
)

// Config is a run on a real ZooKeeper. The zero value of a field takes the default that is named at it.
type Config struct {
	Servers        []string      // host:port; required
	Access         access.Dialer // how connections are opened
	Root           string        // the znode that the recipe works under, from NewRoot; required
	Parents        []string      // more znodes that are there before anyone starts: Root or below
	SessionTimeout time.Duration // asked for by every client; 10 s
	Latency        time.Duration // that each message is held up for, one way, so that a person can follow; none
	Recipe         string        // its name, for the log
	Source         string        // the recipe's file: record which line of it each client waits in
	Faults         []fault.Fault
	Nodes          []real.Node    // of other systems, numbered as in event.Node
	MaxEvents      int            // 10 million
	ReachWithin    time.Duration  // how long it may take until a server has given the run a session; 30 s
	ForeignBase    bool           // the znode above Root may be one that was not made for runs
	Report         func(Leavings) // is told of znodes in the run that are not its own and were left; may be nil
}

// Limits of a Config.
const (
	MaxClients = 1000
	MaxServers = 100
	maxEvents  = 10_000_000
	maxLatency = 10 * time.Second

	reachWithin = 30 * time.Second
)

func (c Config) withDefaults() Config {
	c.SessionTimeout = cmp.Or(c.SessionTimeout, 10*time.Second)
	c.MaxEvents = cmp.Or(c.MaxEvents, maxEvents)
	c.ReachWithin = cmp.Or(c.ReachWithin, reachWithin)
	return c
}

func (c Config) validate(clients int) error {
	switch {
	case len(c.Servers) == 0:
		return errors.New("no server is named; name one like 127.0.0.1:2181")
	case len(c.Servers) > MaxServers:
		return fmt.Errorf("%d servers are named; a run takes up to %d", len(c.Servers), MaxServers)
	case clients < 1 || clients > MaxClients:
		return fmt.Errorf("%d clients; a run has from 1 to %d", clients, MaxClients)
	case !isRoot(c.Root):
		return fmt.Errorf("the root %q was not made by NewRoot", c.Root)
	case c.SessionTimeout < 0:
		return fmt.Errorf("the session timeout %v is negative", c.SessionTimeout)
	case c.Latency < 0 || c.Latency > maxLatency:
		return fmt.Errorf("the latency %v must be between 0s and %v", c.Latency, maxLatency)
	case c.MaxEvents < 0:
		return fmt.Errorf("the limit of %d events is negative", c.MaxEvents)
	case c.ReachWithin < 0:
		return fmt.Errorf("the limit of %v to reach a server is negative", c.ReachWithin)
	}
	for _, p := range c.Parents {
		if !window.Within(p, c.Root) {
			return fmt.Errorf("the znode %s is not under %s", p, c.Root)
		}
	}
	for _, f := range c.Faults {
		if f.Kind == fault.Restart {
			return sentence.Error("refused.restart", sentence.Quote(f.String()))
		}
		if err := f.Validate(fault.Scope{Clients: clients, Servers: 1, Nodes: len(c.Nodes)}); err != nil {
			return err
		}
		if !c.holds().Can(f.Kind) {
			return sentence.Error("refused.node", sentence.Quote(f.String()))
		}
	}
	return nil
}

// Run runs the processes until all have ended and their sessions with them, appends every event to sink, and removes
// what it has made and nothing else. Process i is client i+1. A fault that comes in on inject is carried out at once,
// whatever its time says; inject may be nil.
//
// While no server can be reached it keeps trying and says so with Disconnected; it gives up if there is none from the
// start. Of several servers the log says which clients are at which, and what each says that it is. Run returns an
// error for a Config that cannot be, for a server that refuses, and ctx's when that ends first. A process that does not
// return once its calls say zoo.ErrStopped is left behind.
func Run(ctx context.Context, cfg Config, procs []systems.Program, sink event.Sink, inject <-chan fault.Fault) error {
	cfg = cfg.withDefaults()
	if err := cfg.validate(len(procs)); err != nil {
		return fmt.Errorf("run %s live: %w", cfg.Recipe, err)
	}
	w := newWorld(ctx, cfg, procs, sink)
	w.locked(func() {
		w.emit(event.Event{Kind: event.RunStarted, Text: cfg.Recipe, Path: cfg.Root, N: time.Now().UnixMilli()})
		w.askServers()
	})
	conn, err := w.setUp(ctx)
	if err == nil {
		err = w.nodes.Reach()
	}
	if err == nil {
		w.play(ctx, conn, inject)
		w.locked(func() { err = w.err })
		if err == nil {
			err = ctx.Err()
		}
	} else {
		w.locked(func() { w.endWith(event.EndOf(err)) })
	}
	w.stopClients()
	if conn != nil {
		err = errors.Join(err, conn.leave(cfg.Root, cfg.Report))
	}
	w.finish()
	err = errors.Join(err, w.nodes.Remove())
	if err != nil {
		return fmt.Errorf("run %s live: %w", cfg.Recipe, err)
	}
	return nil
}
