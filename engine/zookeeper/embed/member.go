package embed

import (
	"net"
	"slices"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zookeeper/ensemble"
	"github.com/zkviz/zkviz/engine/zookeeper/replica"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
	"github.com/zkviz/zkviz/engine/zookeeper/zab"
)

// member is one server of an ensemble. Its process can stop and start again, and its port closes and opens with it.
type member struct {
	*Server
	e         *Ensemble
	id        zab.ID
	up        bool      // it listens
	stalled   bool      // it is paused or waits for its disk
	ready     sync.Cond // signals the end of stalled
	signalled status    // the state at the last Changed signal
}

// Limits on accepted requests that wait for other servers: for one connection, and for a whole server (ZooKeeper's
// globalOutstandingLimit).
const (
	mostWaiting     = 32
	mostOutstanding = 1000
)

// listenAgain is how long a server waits when another program took its port while it was down.
const listenAgain = time.Second

func newMember(e *Ensemble, id zab.ID, ln net.Listener) *member {
	m := &member{Server: newServer(e.cfg.Config, ln, e.shared, &e.log), e: e, id: id}
	m.member = m
	m.ready.L = &e.mu
	m.all.Go(func() { m.accept(ln) })
	m.up = true
	return m
}

// self returns the server in the ensemble.
func (m *member) self() *ensemble.Server { return m.e.group.Cluster.Server(m.id) }

// began handles the start of the process.
func (m *member) began(r *replica.Replica) {
	m.core = r.Core
	m.e.changed = true
}

// follow opens or closes the port after the process has started or stopped.
func (m *member) follow() {
	switch up := m.self().Up(); {
	case m.up && !up:
		m.up = false
		_ = m.ln.Close()
		m.disconnect(event.ServerCrashed)
	case !m.up && up && !m.closed:
		ln, err := m.e.cfg.listen(m.addr.String())
		if err != nil {
			m.log.printf("server %d cannot be reached: %v", m.id, listenError(m.addr.String(), err))
			m.e.agenda.Add(m.e.now+listenAgain, plan{listen: m.id})
			return
		}
		m.up, m.ln = true, ln
		m.all.Go(func() { m.accept(ln) })
	}
}

// disconnect closes all connections.
func (m *member) disconnect(why event.Reason) {
	for c := range m.conns.all {
		if !c.core.Closed() {
			c.core.Lost(m.now, 0)
			c.why = why
			m.observations.closed(c, why, 0)
		}
		c.end(connCut)
		c.wake()
	}
}

// resume wakes those that wait for a process that was stalled.
func (m *member) resume() {
	s := m.self()
	was := m.stalled
	if m.stalled = s.Up() && !s.Ready(); was && !m.stalled {
		m.ready.Broadcast()
	}
}

// enter takes the lock once the process can act.
func (s *Server) enter() {
	s.mu.Lock()
	for s.member != nil && s.member.stalled && !s.closed {
		s.member.ready.Wait()
	}
}

// settle lets the other servers of an ensemble see at once what this one has done.
func (s *Server) settle() {
	if s.ensemble != nil {
		s.ensemble.settle()
	}
}

// admits reports whether the server accepts a client's handshake. A server without a leader doesn't.
func (s *Server) admits(c *conn, hello *wire.ConnectRequest) bool {
	switch m := s.member; {
	case m == nil:
	case c.state.Load() != connOpen:
		return false
	case c.core.Closed() || !m.self().Serves():
		c.end(connCut)
		return false
	case hello.Session == 0:
		c.core.Name(nextActor(m.e))
	}
	return true
}

// serving reports whether clients are served.
func (s *Server) serving() bool { return s.member == nil || s.member.self().Serves() }

// listens reports whether a process accepts connections.
func (s *Server) listens() bool { return !s.closed && (s.member == nil || s.member.up) }

// actor returns the server's name in the log.
func (s *Server) actor() event.Actor {
	if s.member == nil {
		return event.ZooKeeper
	}
	return event.Server(int(s.member.id))
}

// kept returns a copy of a request whose memory is reused.
func clone(q *wire.Request) *wire.Request {
	k := *q
	k.Ops = slices.Clone(q.Ops)
	k.DataWatches, k.ExistWatches = slices.Clone(q.DataWatches), slices.Clone(q.ExistWatches)
	k.ChildWatches = slices.Clone(q.ChildWatches)
	k.PersistentWatches, k.RecursiveWatches = slices.Clone(q.PersistentWatches), slices.Clone(q.RecursiveWatches)
	return &k
}

// ring wakes the connection's reader if it waits for other servers.
func (c *conn) wake() {
	select {
	case c.answered <- struct{}{}:
	default:
	}
}

// await blocks while too many of the client's requests, or a long one, wait for other servers.
func (c *conn) await(long bool) {
	if c.s.member == nil {
		return
	}
	most := mostWaiting
	if long {
		most = 1
	}
	for c.waits(most) {
		select {
		case <-c.answered:
		case <-c.gone:
			return
		}
	}
}

func (c *conn) waits(most int) bool {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	if c.state.Load() != connOpen || c.core.Closed() {
		return false
	}
	n := c.core.Waiting()
	return c.core.Session() == 0 || n >= most || n > 0 && c.s.core.Member.Outstanding() >= mostOutstanding
}

// deliver schedules writing to a client when the answer comes from another client's request or another server.
func (c *conn) deliver() {
	if c.s.member == nil || c == c.s.current {
		return
	}
	c.wake()
	c.touch()
}
