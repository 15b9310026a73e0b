// Package contend runs a pool of clients that queue for a lock on one znode, beside the clients that a reader
// connects. cmd/viz-server/internal/web puts it into the zoo.
//
// Its members are processes like the reader's own: each has a connection and a session, and speaks ZooKeeper's
// protocol through go-zookeeper. They follow recipes/predecessor_lock.go or recipes/children_lock.go, but name their
// znodes SOMETHING-lock-NUMBER, as Apache Curator, go-zookeeper and static/join do, so that all of these share one
// queue. Faults act on their connections, so the server itself ends a session that is silent for too long.
//
// A Pool's members come and go by themselves. Those of a Crowd are moved by persons: see crowd.go.
//
// Runs that are judged use engine/host/live instead.
package contend

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// MaxMembers limits the members of a Pool. MaxLeaving limits how many more may still be leaving.
const (
	MaxMembers = 100
	MaxLeaving = 50
)

// Config describes a Pool. The zero value of a field means the default named next to it.
type Config struct {
	// Dial opens a connection to the server; required.
	Dial func() (net.Conn, error)
	// Path is the znode to queue under, created if it is missing; required.
	Path string
	// Way is how members wait; Queue.
	Way Way
	// Data is the data of a member's znode; none.
	Data []byte
	// SessionTimeout is what every member asks for; 6 s.
	SessionTimeout time.Duration
	// Hold is how long a member holds the lock, 3 s. Rest is how long, at least, it stays away afterwards, 2 s.
	Hold, Rest time.Duration
	// Pace is how long a member pauses after each answer, so that a person can follow; none.
	Pace time.Duration
	// Emit receives what a member does and believes: a ClientStarted for each new session, its phases, and the
	// faults. The session identifies the member: Emit fills in Actor and Peer, and returns the event's number, to be
	// the cause of later events. It may be nil. Members may call it concurrently.
	Emit func(session int64, e event.Event) event.Seq
	// Ended receives the number of remaining members when one has ended without being asked to. It may be nil.
	Ended func(members int)
}

// Way is how members wait for the lock.
type Way string

// The ways.
const (
	Queue Way = "queue" // each watches the one just ahead, as in recipes/predecessor_lock.go
	Herd  Way = "herd"  // all watch the queue, as in recipes/children_lock.go
)

func (c Config) withDefaults() Config {
	c.Way = cmp.Or(c.Way, Queue)
	c.SessionTimeout = cmp.Or(c.SessionTimeout, 6*time.Second)
	c.Hold = cmp.Or(c.Hold, 3*time.Second)
	c.Rest = cmp.Or(c.Rest, 2*time.Second)
	if c.Emit == nil {
		c.Emit = func(int64, event.Event) event.Seq { return 0 }
	}
	if c.Ended == nil {
		c.Ended = func(int) {}
	}
	return c
}

// Role is the Text of a member's ClientStarted.
const Role = program.Contender

// Pool is a pool of members. Its methods are safe for concurrent use.
type Pool struct {
	cfg Config

	mu      sync.Mutex
	members []*member // in the order of their arrival
	alive   int       // members and those still leaving
	closed  bool
	all     sync.WaitGroup
}

// New returns a Pool without members. Call Close in the end.
func New(cfg Config) *Pool { return &Pool{cfg: cfg.withDefaults()} }

// Resize starts members until there are n, or sends away those that came last.
func (c *Pool) Resize(n int) error {
	if n < 0 || n > MaxMembers {
		return sentence.Error("bad.contenders", sentence.Number(MaxMembers), sentence.Number(n))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return sentence.Error("refused.contenders.over")
	}
	if n > len(c.members) && c.alive > len(c.members)+MaxLeaving {
		return sentence.Error("refused.contenders.leaving")
	}
	for len(c.members) > n {
		last := len(c.members) - 1
		c.members[last].leave()
		c.members = c.members[:last]
	}
	for len(c.members) < n {
		m := newMember(c.cfg)
		c.members = append(c.members, m)
		c.alive++
		c.all.Go(func() {
			m.live()
			c.forget(m)
			m.finish()
		})
	}
	return nil
}

// forget removes a member that has ended from the list, if it is still there.
func (c *Pool) forget(m *member) {
	c.mu.Lock()
	c.alive--
	i := slices.Index(c.members, m)
	if i >= 0 {
		c.members = slices.Delete(c.members, i, i+1)
	}
	left := len(c.members)
	c.mu.Unlock()
	if i >= 0 {
		c.cfg.Ended(left)
	}
}

// memberOf returns the member that has the session, or had it before; nil if no member did.
func (c *Pool) memberOf(session int64) *member {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.members {
		if session != 0 && m.has(session) {
			return m
		}
	}
	return nil
}

// ErrNoMember reports that a session belongs to no member.
var ErrNoMember = sentence.Error("refused.stranger")

// Do carries out a fault on the member with the session at once.
func (c *Pool) Do(session int64, f fault.Fault) error {
	m := c.memberOf(session)
	if m == nil {
		return ErrNoMember
	}
	return m.suffer(f)
}

// Now returns the events with which a log that begins late must start: the member's ClientStarted and its present
// belief.
func (c *Pool) Now(session int64) []event.Event {
	m := c.memberOf(session)
	if m == nil {
		return nil
	}
	return m.now()
}

// Close sends all members away and waits until they have ended.
func (c *Pool) Close() {
	c.mu.Lock()
	c.closed = true
	for _, m := range c.members {
		m.leave()
	}
	c.members = nil
	c.mu.Unlock()
	c.all.Wait()
}

// makeFor limits the time that Make takes.
const makeFor = time.Minute

// Make creates the persistent znode at path, and those above it, where they are missing.
func Make(ctx context.Context, dial func() (net.Conn, error), path string) error {
	ctx, cancel := context.WithTimeout(ctx, makeFor)
	defer cancel()
	m := newMember(Config{Dial: dial, Path: path}.withDefaults())
	defer context.AfterFunc(ctx, m.stop)()
	_, states, err := m.dial()
	if err != nil {
		return fmt.Errorf("make %s: %w", path, err)
	}
	defer m.finish()
	m.all.Go(func() { m.follow(states) })
	if err = m.connected(); err == nil {
		err = m.makeQueue(path)
	}
	if err != nil {
		return fmt.Errorf("make %s: %w", path, err)
	}
	return nil
}
