package main

import (
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/zkviz/zkviz/engine/base/escape"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
)

// zookeeperCmd runs the embedded server or an ensemble, without pages.
type zookeeperCmd struct {
	Addr            string        `default:"127.0.0.1:2181" placeholder:"HOST:PORT" help:"Where to listen (default: ${default}). Port 0 picks a free one."`
	Tick            time.Duration `default:"2s" placeholder:"D" help:"ZooKeeper's tickTime: session timeouts are 2 to 20 ticks (default: ${default})."`
	Servers         int           `default:"1" placeholder:"N" help:"How many servers vote (default: ${default}). Two or more form an ensemble: they listen on consecutive ports, the address's first, and you can type faults for them; 'help' lists these."`
	Observers       int           `default:"0" placeholder:"N" help:"How many observers the ensemble has, which don't vote (default: ${default})."`
	Latency         time.Duration `default:"0s" placeholder:"D" help:"How long a message between two servers of the ensemble takes (default: ${default})."`
	Fsync           time.Duration `default:"0s" placeholder:"D" help:"How long the simulated disk of an ensemble's server takes to write (default: ${default})."`
	Data            string        `placeholder:"FILE" help:"Keep the znodes and sessions in this file. The server reads it at the start, and writes it at the end and every minute if something has changed. All clients wait while it takes the snapshot: a tenth of a second with 100,000 znodes. FILE.lock keeps other servers from using the file meanwhile. Without a file, the server forgets everything when it stops, and clients that were connected must start again: like ZooKeeper, it turns away clients that have seen more than it has."`
	MaxSessions     int           `default:"20000" placeholder:"N" help:"The maximum number of open sessions, 0 for no limit (default: ${default})."`
	MaxConns        int           `default:"2048" placeholder:"N" help:"The maximum number of connections from all addresses, 0 for no limit (default: ${default}). Beyond that, the server closes the oldest one without a session."`
	MaxConnsPerAddr int           `default:"60" placeholder:"N" help:"The maximum number of connections from one address, 0 for no limit (default: ${default})."`
	MaxZnodes       int           `default:"300000" placeholder:"N" help:"The maximum number of znodes, 0 for no limit (default: ${default}). Each takes about 300 bytes of memory plus its data."`
	MaxData         int64         `default:"64" placeholder:"MIB" help:"How many MiB all paths, data and ACLs may take in total, 0 for no limit (default: ${default})."`
	MaxWatches      int           `default:"200000" placeholder:"N" help:"The maximum number of watches, half of them for one client, 0 for no limit (default: ${default}). Each takes about 250 bytes of memory."`
	ExtendedTypes   bool          `default:"true" negatable:"" help:"Accept znodes with a TTL (default: yes)."`
}

func (c *zookeeperCmd) Run(term *terminal) error {
	cfg := embed.Config{
		Addr: c.Addr, Tick: c.Tick, Data: c.Data, MaxSessions: c.MaxSessions,
		MaxConns: limitOrNone(c.MaxConns), MaxConnsPerAddr: limitOrNone(c.MaxConnsPerAddr),
		MaxZnodes: limitOrNone(c.MaxZnodes), MaxData: limitOrNone(c.MaxData << 20), MaxWatches: limitOrNone(c.MaxWatches),
		NoExtendedTypes: !c.ExtendedTypes, Log: term.log(),
	}
	if err := c.check(); err != nil {
		return err
	}
	if c.Servers > 1 {
		return c.ensemble(cfg, term)
	}
	s, err := embed.Listen(cfg)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("%w with --addr", err)
	}
	if err != nil {
		return err
	}
	at := s.Addr().String()
	if !embed.Loopback(at) {
		term.say("warning: anyone who can reach %s can read and write every znode that no ACL protects", at)
	}
	fmt.Fprintf(term.out, "ZooKeeper-compatible server on %s, tick %v, %s. Ctrl-C stops it.\n", at, c.Tick, c.durability())
	<-term.ctx.Done()
	return s.Close()
}

// limitOrNone converts a limit to embed.Config's form: 0 becomes -1, no limit.
func limitOrNone[T int | int64](n T) T {
	if n == 0 {
		return -1
	}
	return n
}

// maxMiB is the maximum of --max-data.
const maxMiB = 1 << 30

// check returns an error for an impossible flag.
func (c *zookeeperCmd) check() error {
	if err := embed.ValidateServers(c.Servers, c.Observers); err != nil {
		return fmt.Errorf("--servers, --observers: %w", err)
	}
	switch {
	case c.Servers > 1 && c.Data != "":
		return fmt.Errorf("--data: the servers of an ensemble keep what they have in memory; leave it out, or use one server")
	case c.Tick <= 0:
		return fmt.Errorf("--tick: %v is not a tick time; 2s is usual", c.Tick)
	case c.MaxConns < 0:
		return fmt.Errorf("--max-conns: %d connections are not possible; use 0 for no limit", c.MaxConns)
	case c.MaxConnsPerAddr < 0:
		return fmt.Errorf("--max-conns-per-addr: %d connections are not possible; use 0 for no limit", c.MaxConnsPerAddr)
	case c.MaxZnodes < 0:
		return fmt.Errorf("--max-znodes: %d znodes are not possible; use 0 for no limit", c.MaxZnodes)
	case c.MaxData < 0 || c.MaxData > maxMiB:
		return fmt.Errorf("--max-data: %d MiB are not possible; use 0 for no limit", c.MaxData)
	case c.MaxWatches < 0:
		return fmt.Errorf("--max-watches: %d watches are not possible; use 0 for no limit", c.MaxWatches)
	}
	return nil
}

// durability describes what happens to the data.
func (c *zookeeperCmd) durability() string {
	if c.Data == "" {
		return "keeping its data only until it stops"
	}
	return "keeping its data in " + escape.Line(c.Data)
}
