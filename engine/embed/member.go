package embed

import (
	"net"
	"slices"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/ensemble"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/replica"
	"github.com/zkviz/zkviz/engine/wire"
	"github.com/zkviz/zkviz/engine/zab"
)

// member is one server of an ensemble. Its process can end and begin again, and with it its port closes and opens.
type member struct {
	*Server
	e       *Ensemble
	id      zab.ID
	up      bool      // it listens
	stalled bool      // it is paused, or waits for its disk
	ready   sync.Cond // it is not, any more
	told    standing  // what Changed has told of
}

// Of all requests of a connection that wait for other servers, so many are taken before the first is answered; and of
// all of a server. ZooKeeper's globalOutstandingLimit is the latter.
const (
	mostWaiting     = 32
	mostOutstanding = 1000
)

// listenAgain is how long a server waits whose port somebody else has taken while it was away.
const listenAgain = time.Second

func newMember(e *Ensemble, id zab.ID, ln net.Listener) *member {
	m := &member{Server: newServer(e.cfg.Config, ln, e.shared, &e.log), e: e, id: id}
	m.member = m
	m.ready.L = &e.mu
	m.all.Go(func() { m.accept(ln) })
	m.up = true
	return m
}

// self is the server in the ensemble.
func (m *member) self() *ensemble.Server { return m.e.group.Cluster.Server(m.id) }

// began is that the process begins.
func (m *member) began(r *replica.Replica) {
	m.core = r.Core
	m.e.changed = true
}

// follow opens or closes the port, as the process has begun or ended.
func (m *member) follow() {
	switch up := m.self().Up(); {
	case m.up && !up:
		m.up = false
		_ = m.ln.Close()
		m.sendAway(event.ServerCrashed)
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

// sendAway ends all connections.
func (m *member) sendAway(why event.Reason) {
	for c := range m.conns {
		if !c.core.Closed() {
			c.core.Lost(m.now, 0)
			c.why = why
			m.tap.closed(c, why, 0)
		}
		c.end(connCut)
		c.ring()
	}
}

// goOn lets those go on who wait for a process that was stalled.
func (m *member) goOn() {
	s := m.self()
	was := m.stalled
	if m.stalled = s.Up() && !s.Ready(); was && !m.stalled {
		m.ready.Broadcast()
	}
}

// enter takes the lock, once the process can do something.
func (s *Server) enter() {
	s.mu.Lock()
	for s.member != nil && s.member.stalled && !s.closed {
		s.member.ready.Wait()
	}
}

// settle has others know at once what a server of an ensemble has done.
func (s *Server) settle() {
	if s.ensemble != nil {
		s.ensemble.settle()
	}
}

// admits reports whether the server takes a client's handshake: one that has no leader does not.
func (s *Server) admits(c *conn, hello *wire.ConnectRequest) bool {
	switch m := s.member; {
	case m == nil:
	case c.state.Load() != connOpen:
		return false
	case c.core.Closed() || !m.self().Serves():
		c.end(connCut)
		return false
	case hello.Session == 0:
		c.core.Name(numberIn(m.e))
	}
	return true
}

// serving reports whether clients are served.
func (s *Server) serving() bool { return s.member == nil || s.member.self().Serves() }

// listens reports whether there is a process that takes connections.
func (s *Server) listens() bool { return !s.closed && (s.member == nil || s.member.up) }

// actor is who the log says the server is.
func (s *Server) actor() event.Actor {
	if s.member == nil {
		return event.ZooKeeper
	}
	return event.Server(int(s.member.id))
}

// kept is a request that is not used again.
func kept(q *wire.Request) *wire.Request {
	k := *q
	k.Ops = slices.Clone(q.Ops)
	k.DataWatches, k.ExistWatches = slices.Clone(q.DataWatches), slices.Clone(q.ExistWatches)
	k.ChildWatches = slices.Clone(q.ChildWatches)
	k.PersistentWatches, k.RecursiveWatches = slices.Clone(q.PersistentWatches), slices.Clone(q.RecursiveWatches)
	return &k
}

// ring wakes the connection's reader, if it waits for an answer of other servers.
func (c *conn) ring() {
	select {
	case c.bell <- struct{}{}:
	default:
	}
}

// await blocks while too much of what the client has asked waits for other servers, or a long request does.
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
		case <-c.bell:
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
	return c.core.Session() == 0 || n >= most || n > 0 && c.s.core.Outstanding() >= mostOutstanding
}

// stir has something written to a client that somebody else's request, or another server, has an answer for.
func (c *conn) stir() {
	if c.s.member == nil || c == c.s.current {
		return
	}
	c.ring()
	c.touch()
}
