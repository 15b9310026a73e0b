// Package live runs the same recipes as engine/host/sim on a real ZooKeeper. What a run on any real system needs is in
// engine/host/realtime: processes, their faults, the log, and connections to nodes of other systems.
//
// Each process has its own connection to ZooKeeper, and the link sees every frame that passes on it. There the log's
// facts about the server come from, and there a client is frozen, cut off or loses a reply. So the faults are real: the
// ensemble itself expires the session of a client that is frozen for too long.
//
// The log records what ZooKeeper told the run's own clients, and the end of their sessions. It notices changes by
// others to the run's znodes, but not who made them.
//
// servers.go asks the servers about themselves through engine/zookeeper/admin. guard.go explains how a run's znodes
// are removed safely.
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
	"github.com/zkviz/zkviz/engine/host/realtime"
	"github.com/zkviz/zkviz/engine/stores/remote/real"
	"github.com/zkviz/zkviz/engine/stores/systems"
	"github.com/zkviz/zkviz/engine/zookeeper/access"
)

// Config configures a run on a real ZooKeeper. The zero value of a field means the default named next to it.
type Config struct {
	Servers        []string      // host:port; required
	Access         access.Dialer // opens connections
	Root           string        // the znode that the recipe works under, from NewRoot; required
	Parents        []string      // further znodes to create before anyone starts: Root or below
	SessionTimeout time.Duration // that every client asks for; 10 s
	Latency        time.Duration // one-way delay of each message, so that a person can follow; none
	Recipe         string        // its name, for the log
	Source         string        // the recipe's file: record the line of it in which each client waits
	Faults         []fault.Fault
	Nodes          []real.Node     // nodes of other systems, numbered as in event.Node
	MaxEvents      int             // 10 million
	ReachWithin    time.Duration   // how long it may take until a server has given the run a session; 30 s
	ForeignBase    bool            // the znode above Root may exist for other purposes than runs
	Report         func(Leftovers) // receives the foreign znodes in the run that were left; may be nil
}

// Limits of a Config.
const (
	MaxServers = 100
	maxLatency = 10 * time.Second

	reachWithin = 30 * time.Second
)

func (c Config) withDefaults() Config {
	c.SessionTimeout = cmp.Or(c.SessionTimeout, 10*time.Second)
	c.MaxEvents = cmp.Or(c.MaxEvents, realtime.MaxEvents)
	c.ReachWithin = cmp.Or(c.ReachWithin, reachWithin)
	return c
}

func (c Config) validate(clients int) error {
	switch {
	case len(c.Servers) == 0:
		return errors.New("no server is given; name one, like 127.0.0.1:2181")
	case len(c.Servers) > MaxServers:
		return fmt.Errorf("servers must be at most %[2]d, not %[1]d", len(c.Servers), MaxServers)
	case clients < 1 || clients > realtime.MaxClients:
		return fmt.Errorf("clients must be between 1 and %[2]d, not %[1]d", clients, realtime.MaxClients)
	case !isRoot(c.Root):
		return fmt.Errorf("the root %q was not made by NewRoot", c.Root)
	case c.SessionTimeout < 0:
		return fmt.Errorf("the session timeout must not be negative, but is %v", c.SessionTimeout)
	case c.Latency < 0 || c.Latency > maxLatency:
		return fmt.Errorf("the latency must be between 0s and %[2]v, not %[1]v", c.Latency, maxLatency)
	case c.MaxEvents < 0:
		return fmt.Errorf("the limit of events must not be negative, but is %d", c.MaxEvents)
	case c.ReachWithin < 0:
		return fmt.Errorf("the time to reach a server must not be negative, but is %v", c.ReachWithin)
	}
	for _, p := range c.Parents {
		if !window.Within(p, c.Root) {
			return fmt.Errorf("the znode %s is not under %s", p, c.Root)
		}
	}
	for _, f := range c.Faults {
		switch f.Kind {
		case fault.Restart:
			return sentence.Error("refused.restart", sentence.Quote(f.String()))
		case fault.SetClock:
			return sentence.Error("refused.clock", sentence.Quote(f.String()))
		}
		if err := f.Validate(fault.Scope{Clients: clients, Servers: 1, Nodes: len(c.Nodes)}); err != nil {
			return err
		}
		if f.Kind.Target() == fault.ToMessage {
			return sentence.Error("refused.message", sentence.Quote(f.String()))
		}
		if !c.holds().Can(f.Kind) {
			return sentence.Error("refused.node", sentence.Quote(f.String()))
		}
	}
	return nil
}

// Run runs the processes until all have ended and their sessions too, appends every event to sink, and removes only
// what it has created. Process i is client i+1. A fault from inject is carried out at once, whatever its time says;
// inject may be nil.
//
// While no server is in reach, Run keeps trying and emits Disconnected; it gives up if none is from the start. With
// several servers the log says which client is at which server, and what each server says it is. Run returns an
// error for an invalid Config or a server that refuses, and ctx's error when that ends first. It leaves behind a
// process that doesn't return once its calls return zoo.ErrStopped.
func Run(ctx context.Context, cfg Config, procs []systems.Program, sink event.Sink, inject <-chan fault.Fault) error {
	cfg = cfg.withDefaults()
	if err := cfg.validate(len(procs)); err != nil {
		return fmt.Errorf("run %s live: %w", cfg.Recipe, err)
	}
	w := newWorld(ctx, cfg, procs, sink)
	w.Locked(func() {
		w.Started()
		w.pollServers()
	})
	conn, err := w.setUp(ctx)
	if err == nil {
		err = w.Reach()
	}
	if err == nil {
		w.Go(func() { w.keepLooking(conn) })
		w.Play(ctx, inject)
		w.Locked(func() { err = w.Err() })
		if err == nil {
			err = ctx.Err()
		}
	} else {
		w.Locked(func() { w.EndWith(event.EndOf(err)) })
	}
	w.stopClients()
	if conn != nil {
		err = errors.Join(err, conn.leave(cfg.Root, cfg.Report))
	}
	w.hangUp()
	w.Finish(stopGrace)
	err = errors.Join(err, w.Remove())
	if err != nil {
		return fmt.Errorf("run %s live: %w", cfg.Recipe, err)
	}
	return nil
}
