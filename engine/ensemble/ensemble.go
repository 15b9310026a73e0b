// Package ensemble runs the servers of a ZooKeeper ensemble: a zab.Node for each, the links between them, their disks,
// and what can happen to all of these. It tells what happens as events.
//
// It has no clock and no goroutine of its own. Its host gives it a plan to put things into, and calls it when they are
// due; so engine/sim runs it in virtual time. What transactions mean, and the servers' clients, are the host's: see
// App.
package ensemble

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zab"
)

// Config is an ensemble.
type Config struct {
	Voters, Observers int

	Tick                 time.Duration // as in zab.Config
	InitLimit, SyncLimit int
	Window               int
	Flaws                zab.Flaws
	Fsync                time.Duration // how long a disk takes for one; 0.5 ms if it is 0, no time if it is negative
	// Turn is how long a process takes to begin to look for a leader, to lead, to catch up or to serve as a leader: in
	// Java some 50 ms when it does so for the first time. Until it leads nobody reaches its quorum port.
	Turn time.Duration

	// Keep bounds a log, in transactions and in bytes: a server that has more writes a snapshot, and drops the older half
	// of its log. Neither is bounded by 0.
	Keep      int
	KeepBytes int64

	// Now is the time.
	Now func() time.Duration
	// Plan has Do called with this step at that time.
	Plan func(at time.Duration, s Step)
	// Flight is how long the next message between two servers takes.
	Flight func() time.Duration
	// Emit appends a fact to the log; nil if nobody listens.
	Emit func(event.Event) event.Seq
	// App makes the state of a server, which is empty.
	App func(id zab.ID) App
	// Agreed is told of each transaction once, in order, when the first server applies it as committed. It returns the
	// event that it has told of it by.
	Agreed func(e zab.Entry, cause event.Seq) event.Seq
}

// App is what a server keeps in memory, and its clients.
type App interface {
	// Restore makes the state that of a snapshot; of an empty one with no bytes that of a fresh server.
	Restore(s zab.Snapshot)
	// Snapshot is the state.
	Snapshot() []byte
	// Apply is the next transaction. It may turn out later that it was none, if the server does not serve: then Restore
	// is called.
	Apply(e zab.Entry, cause event.Seq)
	// Serve lets clients come; Stop sends all away.
	Serve(cause event.Seq)
	Stop(why event.Reason, cause event.Seq)
	// Asked is a REQUEST or a REVALIDATE of a server that follows, or of this one; Answered the answer to what this one
	// has asked. TouchedBy says from which sessions a learner has heard.
	Asked(from zab.ID, m *zab.Message, cause event.Seq)
	Answered(m *zab.Message, cause event.Seq)
	TouchedBy(list []zab.Touch, cause event.Seq)
}

// Cluster is the ensemble.
type Cluster struct {
	cfg     Config
	voters  []zab.ID
	viewers []zab.ID  // observers
	servers []*Server // by zab.ID; the first is nil
	fences  [zab.MaxServers + 1][zab.MaxServers + 1]int
	healed  uint32   // how often all was healed
	agreed  zab.Zxid // the last that any server has applied as committed
	waiting []Step   // behind fences, in the order in which they were to arrive
}

// defaultFsync is what a disk takes for one.
const defaultFsync = 500 * time.Microsecond

// New is an ensemble whose servers have not been started.
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
			c.viewers = append(c.viewers, id)
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

// Server is the server with that number, nil if there is none.
func (c *Cluster) Server(id zab.ID) *Server {
	if id < 1 || int(id) >= len(c.servers) {
		return nil
	}
	return c.servers[id]
}

// Servers are all servers, in the order of their numbers.
func (c *Cluster) Servers() []*Server { return c.servers[1:] }

// Size is how many servers there are, voters and observers.
func (c *Cluster) Size() int { return len(c.servers) - 1 }

// Agreed is the last transaction that any server has applied as committed.
func (c *Cluster) Agreed() zab.Zxid { return c.agreed }

// Log sends the facts from now on to emit, or nowhere if that is nil.
func (c *Cluster) Log(emit func(event.Event) event.Seq) { c.cfg.Emit = emit }

func (c *Cluster) emit(e event.Event) event.Seq {
	if c.cfg.Emit == nil {
		return 0
	}
	return c.cfg.Emit(e)
}

// stepKind is what a Step does.
type stepKind uint8

const (
	wake stepKind = iota
	notified
	dialArrives
	dialAnswered
	arrives
	closes
	flushed
	written
	begins
	resumes
	heals
	quickens
)

// Step is one thing that is planned. It is the ensemble's own; a host keeps it and gives it back.
type Step struct {
	kind    stepKind
	ok      bool
	to      zab.ID
	from    zab.ID
	life    uint32 // of the process that it is for; of one that heals, how often all was healed before
	conn    *conn
	nth     uint32 // of what was sent on conn in its direction, from 1
	message *zab.Message
	note    zab.Notification
	cause   event.Seq
	zxid    zab.Zxid
	fence   Sides
}

// Do is a step that is due.
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
		s.writtenAt(x.life)
		return
	case quickens:
		s.slow--
		return
	case dialArrives:
		c.dialArrives(x)
		return
	case notified, arrives, closes:
		if c.fenced(x.from, x.to) { // it was on its way when the fence came
			c.hold(x)
			return
		}
		if k := x.conn; k != nil {
			from := k.end(x.from)
			if x.nth > k.came[from]+1 { // what was sent before has waited at a fence, and is to arrive by then
				c.cfg.Plan(k.after[from], x)
				return
			}
			k.came[from] = x.nth
			if k.lost[from] {
				c.lose(x)
				return
			}
		}
	}
	if !s.up || x.life != 0 && x.life != s.life {
		c.lostAtDead(s, x)
		return
	}
	s.Hold(func() { s.take(x) })
}

// Quiet reports whether all that is proposed has come to all who serve.
func (c *Cluster) Quiet() bool {
	for _, s := range c.servers[1:] {
		if s.Serves() && (s.busy || s.node.Outstanding() > 0 || s.delivered < c.agreed) {
			return false
		}
	}
	return true
}

// Well reports whether every server serves, and everything gets through.
func (c *Cluster) Well() bool {
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
