// Package contend is a crowd of clients that queue for a lock on one znode, for as long as they are wanted: company
// for the clients that a reader connects. cmd/viz-server/internal/web puts it into the zoo.
//
// Its members are processes like the reader's own: each has a connection and a session, and speaks ZooKeeper's
// protocol through go-zookeeper. They follow recipes/predecessor_lock.go, but name their znodes as Apache Curator,
// go-zookeeper and static/join do, SOMETHING-lock-NUMBER, so that all of these stand in one queue. Faults are
// carried out on their connections, so the server itself ends a session that is silent for too long.
//
// It is not for runs that are judged: engine/host/live is.
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

// MaxMembers is the most that a Crowd may have, MaxLeaving how many more may be on their way out.
const (
	MaxMembers = 100
	MaxLeaving = 50
)

// Config describes a Crowd. The zero value of a field takes the default that is named at it.
type Config struct {
	// Dial opens a connection to the server; required.
	Dial func() (net.Conn, error)
	// Path is the znode to queue under. It is made if it is not there; required.
	Path string
	// SessionTimeout is asked for by every member; 6 s.
	SessionTimeout time.Duration
	// Hold is how long a member stays inside, 3 s; Rest how long, at least, it stays away afterwards, 2 s.
	Hold, Rest time.Duration
	// Pace is the pause before a member goes on after an answer, so that a person can follow; none.
	Pace time.Duration
	// Tell is told what a member does and believes: a ClientStarted when it has a new session, its phases, and
	// the faults. Which member is said by its session; Tell fills in Actor and Peer, and returns the number that
	// the event got, to be the cause of others. It may be nil. Members may call it at the same time.
	Tell func(session int64, e event.Event) event.Seq
	// Left is told how many are left when one has ended without being asked to. It may be nil.
	Left func(members int)
}

func (c Config) withDefaults() Config {
	c.SessionTimeout = cmp.Or(c.SessionTimeout, 6*time.Second)
	c.Hold = cmp.Or(c.Hold, 3*time.Second)
	c.Rest = cmp.Or(c.Rest, 2*time.Second)
	if c.Tell == nil {
		c.Tell = func(int64, event.Event) event.Seq { return 0 }
	}
	if c.Left == nil {
		c.Left = func(int) {}
	}
	return c
}

// Role is the Text of a member's ClientStarted.
const Role = program.Contender

// Crowd is the members that are there. Its methods may be called at any time from anywhere.
type Crowd struct {
	cfg Config

	mu      sync.Mutex
	members []*member // in the order in which they came
	alive   int       // of them and of those that are on their way out
	closed  bool
	all     sync.WaitGroup
}

// New is a Crowd without members. Close it in the end.
func New(cfg Config) *Crowd { return &Crowd{cfg: cfg.withDefaults()} }

// Resize lets members come until there are n, or sends away those that came last.
func (c *Crowd) Resize(n int) error {
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

// forget takes a member that has ended off the list, if it is still there.
func (c *Crowd) forget(m *member) {
	c.mu.Lock()
	c.alive--
	i := slices.Index(c.members, m)
	if i >= 0 {
		c.members = slices.Delete(c.members, i, i+1)
	}
	left := len(c.members)
	c.mu.Unlock()
	if i >= 0 {
		c.cfg.Left(left)
	}
}

// of is the member that has the session, or had it until it was lost; nil if none of the crowd does.
func (c *Crowd) of(session int64) *member {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range c.members {
		if session != 0 && m.has(session) {
			return m
		}
	}
	return nil
}

// ErrStranger is what Do says of a session that is none of the crowd's.
var ErrStranger = sentence.Error("refused.stranger")

// Do carries out a fault on the member with the session, now.
func (c *Crowd) Do(session int64, f fault.Fault) error {
	m := c.of(session)
	if m == nil {
		return ErrStranger
	}
	return m.suffer(f)
}

// Now is what the member with the session would tell if it told everything anew: that it is there, and what it
// believes. A log that begins late starts with this.
func (c *Crowd) Now(session int64) []event.Event {
	m := c.of(session)
	if m == nil {
		return nil
	}
	return m.now()
}

// Close sends everybody away and waits until they have gone.
func (c *Crowd) Close() {
	c.mu.Lock()
	c.closed = true
	for _, m := range c.members {
		m.leave()
	}
	c.members = nil
	c.mu.Unlock()
	c.all.Wait()
}

// makeFor is the longest that Make takes.
const makeFor = time.Minute

// Make makes the persistent znode at path, and those above it, if they are not there.
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
