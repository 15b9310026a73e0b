// Package sim runs processes against a simulated ZooKeeper in virtual time, and logs what happens.
//
// The same Config and processes give the same log, byte for byte, natively and in WebAssembly: there is one clock,
// one agenda, one source of randomness, and the processes are coroutines that run one at a time. There is one
// server, or an ensemble of them, which fail only where a fault says so. The simulator keeps no pace: a caller that
// wants real time plays the log back.
package sim

import (
	"cmp"
	"fmt"
	"time"

	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/zookeeper/zab"
)

// Config describes a world. The zero value of a field takes the default named next to it.
type Config struct {
	Seed           uint64
	SessionTimeout time.Duration // that every client requests; 10 s
	Tick           time.Duration // the server's; 2 s. Sessions get from 2 to 20 ticks
	Latency        time.Duration // one way; 1 ms
	Jitter         time.Duration // either way around Latency, at most Latency; none
	Servers        int           // voters of an ensemble; 1, a standalone server
	Observers      int           // in addition to them
	Flaws          zab.Flaws     // of all servers of an ensemble
	NoZooKeeper    bool          // the processes talk only to Systems
	Systems        []System      // other than ZooKeeper
	Parents        []string      // znodes that exist before anyone starts
	FirstNumber    int32         // of the next child below each of these
	Faults         []fault.Fault
	Recipe         string        // its name, for the log
	Source         string        // the recipe's file: record the line in which each client waits
	MaxEvents      int           // 100 million
	MaxTime        time.Duration // 1 h
}

// Limits of a Config.
const (
	MaxClients = 10_000
	maxEvents  = 100_000_000
	// MaxTime is the greatest MaxTime of a Config, a hundred years: a third of what a time.Duration holds, so that
	// upcoming delays can be added to it.
	MaxTime = 100 * 365 * 24 * time.Hour
)

func (c Config) withDefaults() Config {
	c.SessionTimeout = cmp.Or(c.SessionTimeout, 10*time.Second)
	c.Tick = cmp.Or(c.Tick, 2*time.Second)
	c.Latency = cmp.Or(c.Latency, time.Millisecond)
	c.MaxTime = cmp.Or(c.MaxTime, time.Hour)
	c.MaxEvents = cmp.Or(c.MaxEvents, maxEvents)
	c.Servers = cmp.Or(c.Servers, 1)
	return c
}

func (c Config) validate(clients int) error {
	switch {
	case clients < 1 || clients > MaxClients:
		return fmt.Errorf("there must be from 1 to %d clients, not %d", MaxClients, clients)
	case c.Servers < 1 || c.Observers < 0 || c.Servers+c.Observers > zab.MaxServers:
		return fmt.Errorf("there must be from 1 to %d servers, observers among them, not %d and %d", zab.MaxServers,
			c.Servers,
			c.Observers)
	case c.Servers == 1 && c.Observers > 0:
		return fmt.Errorf("a server alone has no observers")
	case c.Latency < 0 || c.Jitter < 0 || c.Jitter > c.Latency:
		return fmt.Errorf("the jitter must be from 0 to the latency of %s, not %s", c.Latency, c.Jitter)
	case c.Tick < 0 || c.SessionTimeout < 0:
		return fmt.Errorf("the tick and the session timeout must not be negative")
	case c.MaxTime < 0 || c.MaxTime > MaxTime:
		return fmt.Errorf("the run's time limit must be from 0 to %s, not %s", MaxTime, c.MaxTime)
	case c.FirstNumber < 0:
		return fmt.Errorf("the first number must not be negative, like %d", c.FirstNumber)
	case c.MaxEvents < 0 || c.MaxEvents > maxEvents:
		return fmt.Errorf("the limit on events must be from 0 to %d, not %d", maxEvents, c.MaxEvents)
	}
	for _, f := range c.Faults {
		if err := f.Validate(c.scope(clients)); err != nil {
			return err
		}
	}
	return nil
}

// scope returns what faults can target.
func (c Config) scope(clients int) fault.Scope {
	s := fault.Scope{Clients: clients, Servers: c.Servers + c.Observers}
	if c.NoZooKeeper {
		s.Servers = 0
	}
	for _, system := range c.Systems {
		s.Nodes += system.Nodes
	}
	return s
}
