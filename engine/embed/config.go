package embed

import (
	"cmp"
	"fmt"
	"io"
	"net"
	"time"
)

// Config describes a Server. Its zero value is a server as ZooKeeper's own configuration would have it, on
// a free port of this machine, that forgets everything when it is closed.
type Config struct {
	Addr string        // host:port to listen on; 127.0.0.1:0
	Tick time.Duration // 2 s. Sessions last 2 to 20 ticks, and expire within one after their timeout

	MaxTimeout time.Duration // the longest session timeout that a client gets; 20 ticks

	MaxSessions int // 0: any number

	// Of these 0 is the default, and less than 0 any number. What is beyond is refused, see server.Limits; of
	// connections the oldest without a session gives way, if there is one.
	MaxConns        int   // connections from all addresses; DefaultConns
	MaxConnsPerAddr int   // connections from one address; DefaultConnsPerAddr
	MaxZnodes       int   // DefaultZnodes
	MaxData         int64 // bytes of all paths, data and ACLs; DefaultData
	MaxWatches      int   // of all clients, one of which may have half of them; DefaultWatches

	GreetWithin     time.Duration // how long a connection may be without a handshake; 10 s, as with ZooKeeper
	ContainerCheck  time.Duration // how often containers and znodes with a TTL are looked for that are due; a minute
	NoExtendedTypes bool          // znodes with a TTL are refused, as ZooKeeper does unless it is configured otherwise

	Data          string        // the file that keeps tree and sessions across restarts; none if empty
	SnapshotEvery time.Duration // how often that is written if something changed; a minute. It is also written at the end

	Seed uint64    // of the sessions' passwords; 0 draws one
	Log  io.Writer // a line for each client that was turned away or cut off, and why; may be nil

	bounds bounds // of tests
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

// Validate says what is wrong with c, if anything, in a sentence.
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
