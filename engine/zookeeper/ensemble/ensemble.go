// Package ensemble runs the servers of a ZooKeeper ensemble: a zab.Node for each, the links between them, their
// disks, and the faults of all these. It emits events about everything that happens.
//
// It has no clock and no goroutine of its own. It plans steps with its host, which calls it when they are due. So
// engine/host/sim runs it in virtual time. The host also provides the meaning of transactions and the servers' clients.
// See App.
package ensemble

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/zookeeper/zab"
)

// Config describes an ensemble and what it needs of its host.
type Config struct {
	Voters, Observers int

	Tick                 time.Duration // as in zab.Config
	InitLimit, SyncLimit int
	Window               int
	Flaws                zab.Flaws
	Fsync                time.Duration // how long one fsync takes; 0 means 0.5 ms, a negative value no time
	// PhaseDelay is how long a process takes to begin an election, to lead, to catch up or to serve as a leader. In Java
	// the first time takes about 50 ms. Until a server leads, nobody reaches its quorum port.
	PhaseDelay time.Duration

	// Keep and KeepBytes bound a log, in transactions and in bytes. A server above a bound writes a snapshot and
	// drops the older half of its log. 0 means no bound.
	Keep      int
	KeepBytes int64

	// Now returns the current time.
	Now func() time.Duration
	// Plan makes the host call Do with this step at that time.
	Plan func(at time.Duration, s Step)
	// Flight returns how long the next message between two servers takes.
	Flight func() time.Duration
	// Emit appends an event to the log; nil for no log.
	Emit func(event.Event) event.Seq
	// App returns the empty state of a server.
	App func(id zab.ID) App
	// Agreed receives each transaction once, in order, when the first server applies it as committed. It returns
	// the event that reported it.
	Agreed func(e zab.Entry, cause event.Seq) event.Seq
}

// App is a server's state in memory and its clients.
type App interface {
	// Restore replaces the state with a snapshot. A snapshot without bytes means the state of a fresh server.
	Restore(s zab.Snapshot)
	// Snapshot returns the state.
	Snapshot() []byte
	// Apply applies the next transaction. On a server that doesn't serve, the transaction may turn out not to be
	// committed. Restore is then called.
	Apply(e zab.Entry, cause event.Seq)
	// Serve lets clients connect. Stop disconnects all of them.
	Serve(cause event.Seq)
	Stop(why event.Reason, cause event.Seq)
	// Asked receives a REQUEST or a REVALIDATE from a follower or from this server. Answered receives the answer to
	// this server's own question. TouchedBy lists the sessions that a learner has heard from.
	Asked(from zab.ID, m *zab.Message, cause event.Seq)
	Answered(m *zab.Message, cause event.Seq)
	TouchedBy(list []zab.Touch, cause event.Seq)
}

// Cluster is the ensemble.
type Cluster struct {
	cfg       Config
	voters    []zab.ID
	observers []zab.ID
	servers   []*Server // by zab.ID; the first is nil
	fences    [zab.MaxServers + 1][zab.MaxServers + 1]int
	healed    uint32        // how many times Heal was called
	agreed    zab.Zxid      // the last transaction that any server has applied as committed
	late      time.Duration // until then, some message is delayed
	waiting   []Step        // steps held back by partitions, in the order of their planned arrival
	// by sender and receiver, what is on its way on their connections, in the order of sending
	way [zab.MaxServers + 1][zab.MaxServers + 1][]Step
	// by two servers, the lower one first, their connection for notifications
	lines [zab.MaxServers + 1][zab.MaxServers + 1]*conn
}

// defaultFsync is the time of one fsync unless Config says otherwise.
const defaultFsync = 500 * time.Microsecond

// New returns an ensemble whose servers are not started.
func New(cfg Config) *Cluster {
	switch {
	case cfg.Fsync == 0:
		cfg.Fsync = defaultFsync
	case cfg.Fsync < 0:
		cfg.Fsync = 0
	}
	c := &Cluster{cfg: cfg, servers: make([]*Server, 1, 1+cfg.Voters+cfg.Observers)}
	for i := range cfg.Voters + cfg.Observers {
		id := zab.ID(i + 1)
		if i < cfg.Voters {
			c.voters = append(c.voters, id)
		} else {
			c.observers = append(c.observers, id)
		}
		c.servers = append(c.servers, newServer(c, id))
	}
	return c
}

// Start starts all servers.
func (c *Cluster) Start() {
	for _, s := range c.servers[1:] {
		s.start(0)
	}
}

// Server returns the server with that number, or nil.
func (c *Cluster) Server(id zab.ID) *Server {
	if id < 1 || int(id) >= len(c.servers) {
		return nil
	}
	return c.servers[id]
}

// Servers returns all servers, in the order of their numbers.
func (c *Cluster) Servers() []*Server { return c.servers[1:] }

// Size returns the number of servers, voters and observers.
func (c *Cluster) Size() int { return len(c.servers) - 1 }

// Agreed returns the last transaction that any server has applied as committed.
func (c *Cluster) Agreed() zab.Zxid { return c.agreed }

// Log sends all further events to emit. nil drops them.
func (c *Cluster) Log(emit func(event.Event) event.Seq) { c.cfg.Emit = emit }

func (c *Cluster) emit(e event.Event) event.Seq {
	if c.cfg.Emit == nil {
		return 0
	}
	return c.cfg.Emit(e)
}

// stepKind says what a Step does.
type stepKind uint8

const (
	wake stepKind = iota
	notified
	dialArrives
	dialAnswered
	arrives
	closes
	breaks
	flushed
	written
	begins
	resumes
	heals
	quickens
)

// Step is one planned action. A host stores it and gives it back to Do.
type Step struct {
	kind    stepKind
	ok      bool // of a dial: it has worked; of a notification: it opens its connection
	to      zab.ID
	from    zab.ID
	life    uint32 // of the process that it is for; for a heal step, the count of earlier Heal calls
	conn    *conn
	nth     uint32        // its number among the steps on conn in its direction, from 1
	due     time.Duration // when a step on conn would arrive if none were delayed
	name    fault.Message // of a message that has one
	message *zab.Message
	note    zab.Notification
	cause   event.Seq
	zxid    zab.Zxid
	fence   Sides
}

// Do carries out a step that is due.
func (c *Cluster) Do(x Step) {
	s := c.Server(x.to)
	switch x.kind {
	case begins:
		s.start(x.cause)
		return
	case resumes:
		s.resume()
		return
	case heals:
		if x.life == c.healed {
			c.heal(x.fence)
		}
		return
	case written:
		s.written(x.life)
		return
	case quickens:
		s.slow--
		return
	case dialArrives:
		c.dialArrives(x)
		return
	case notified, arrives, closes:
		if c.fenced(x.from, x.to) { // it was on its way when the partition began
			c.hold(x)
			return
		}
		if x.conn != nil && !c.comes(x) {
			return
		}
		if x.kind == notified && c.replaced(x.conn) {
			c.lose(x)
			return
		}
	}
	if !s.up || x.life != 0 && x.life != s.life {
		c.lostAtDead(s, x)
		return
	}
	s.Hold(func() { s.take(x) })
}

// Quiet reports whether every proposal has reached every server that serves.
func (c *Cluster) Quiet() bool {
	for _, s := range c.servers[1:] {
		if s.Serves() && (s.busy || s.node.Outstanding() > 0 || s.delivered < c.agreed) {
			return false
		}
	}
	return true
}

// Well reports whether every server serves, and no pause, slow disk, partition or delay is active.
func (c *Cluster) Well() bool {
	if c.cfg.Now() < c.late {
		return false
	}
	for _, s := range c.servers[1:] {
		if !s.Serves() || s.paused > 0 || s.slow > 0 {
			return false
		}
		for _, other := range c.servers[1:] {
			if c.fenced(s.id, other.id) {
				return false
			}
		}
	}
	return true
}
