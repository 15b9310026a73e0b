package embed

import (
	"cmp"
	"fmt"
	"io"
	"net"
	"time"
)

// Config describes a Server. Its zero value matches ZooKeeper's own defaults, on a free port of this machine, and
// keeps nothing when it closes.
type Config struct {
	Addr string        // host:port to listen on; 127.0.0.1:0
	Tick time.Duration // 2 s. Sessions last 2 to 20 ticks, and expire within a tick after their timeout

	MaxTimeout time.Duration // the longest session timeout that a client gets; 20 ticks

	MaxSessions int // 0: any number

	// For each of these, 0 is the default, and a negative value means no limit. The server refuses what exceeds a
	// limit; see server.Limits. When connections exceed theirs, the oldest without a session gives way, if there is
	// one.
	MaxConns        int   // connections from all addresses; DefaultConns
	MaxConnsPerAddr int   // connections from one address; DefaultConnsPerAddr
	MaxZnodes       int   // DefaultZnodes
	MaxData         int64 // bytes of all paths, data and ACLs; DefaultData
	MaxWatches      int   // of all clients, and half of them for one client; DefaultWatches

	GreetWithin     time.Duration // how long a connection may last without a handshake; 10 s, as with ZooKeeper
	ContainerCheck  time.Duration // how often to delete containers and znodes with a TTL that are due; a minute
	NoExtendedTypes bool          // refuse znodes with a TTL, as ZooKeeper does by default

	Data          string        // the file that keeps tree and sessions across restarts; empty for none
	SnapshotEvery time.Duration // how often to write it if something changed; a minute. It is also written at the end

	Seed uint64    // for the sessions' passwords; 0 draws one
	Log  io.Writer // one line, with the reason, for each client that was refused or disconnected; may be nil

	bounds bounds // for tests
}

// Defaults of a Config.
const (
	DefaultTick         = 2 * time.Second
	DefaultConnsPerAddr = 60
	DefaultSnapshot     = time.Minute
	DefaultGreet        = 10 * time.Second
)

// Limits of a Config.
const (
	minTick = 10 * time.Millisecond
	maxTick = time.Hour
)

// Validate returns a sentence that says what is wrong with c, or nil.
func (c Config) Validate() error {
	switch {
	case c.Tick != 0 && (c.Tick < minTick || c.Tick > maxTick):
		return fmt.Errorf("a tick is %v to %v, not %v", minTick, maxTick, c.Tick)
	case c.Tick%time.Millisecond != 0:
		return fmt.Errorf("a tick has whole milliseconds, and %v has not", c.Tick)
	case c.MaxSessions < 0:
		return fmt.Errorf("the limit of sessions must not be negative, and is %d; 0 is any number", c.MaxSessions)
	case c.SnapshotEvery < 0:
		return fmt.Errorf("the time between snapshots must not be negative, and is %v", c.SnapshotEvery)
	}
	return nil
}

func (c Config) withDefaults() Config {
	if c.Addr == "" {
		c.Addr = "127.0.0.1:0"
	}
	if c.Tick == 0 {
		c.Tick = DefaultTick
	}
	c.MaxConns = cmp.Or(c.MaxConns, DefaultConns)
	c.MaxConnsPerAddr = cmp.Or(c.MaxConnsPerAddr, DefaultConnsPerAddr)
	c.MaxZnodes = cmp.Or(c.MaxZnodes, DefaultZnodes)
	c.MaxData = cmp.Or(c.MaxData, DefaultData)
	c.MaxWatches = cmp.Or(c.MaxWatches, DefaultWatches)
	if c.GreetWithin <= 0 {
		c.GreetWithin = DefaultGreet
	}
	if c.SnapshotEvery == 0 {
		c.SnapshotEvery = DefaultSnapshot
	}
	return c
}

// Loopback reports whether only programs on this machine can reach a server that listens at addr.
func Loopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
