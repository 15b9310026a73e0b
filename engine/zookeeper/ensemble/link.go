package ensemble

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zookeeper/zab"
)

// conn is a connection between a learner and its leader, on the leader's quorum port. Messages in one direction
// arrive in order, however late the host is.
type conn struct {
	ends  [2]zab.ID // the dialling server and the dialled server
	open  [2]bool   // as each end sees it
	last  [2]time.Duration
	sent  [2]uint32        // how many steps each end has planned for the other
	came  [2]uint32        // how many of them have arrived
	after [2]time.Duration // when the messages held back by a partition arrive
	lost  [2]bool          // the other end never gets that end's messages: its machine lost power behind a partition
	fresh bool             // the dialled process doesn't know this connection yet and means the previous one
}

func (k *conn) end(id zab.ID) int {
	if k.ends[0] == id {
		return 0
	}
	return 1
}

// arrival returns when a message sent by this end now reaches the other.
func (k *conn) arrival(from int, at time.Duration) time.Duration {
	k.last[from] = max(k.last[from], at)
	return k.last[from]
}

// next numbers the messages of this end.
func (k *conn) next(from int) uint32 {
	k.sent[from]++
	return k.sent[from]
}

// dial opens a connection.
func (s *Server) dial(to zab.ID) {
	k := &conn{ends: [2]zab.ID{s.id, to}}
	s.conns[to] = k
	at := k.arrival(0, s.c.cfg.Now()+s.c.cfg.Flight())
	s.c.cfg.Plan(at, Step{kind: dialArrives, from: s.id, to: to, conn: k, life: 0, cause: s.cause})
}

// dialArrives handles a dial at its target. If the process listens, its operating system accepts the connection,
// even if the process is frozen.
func (c *Cluster) dialArrives(x Step) {
	if c.fenced(x.from, x.to) {
		c.hold(x)
		return
	}
	s, k := c.Server(x.to), x.conn
	if s.listens() {
		k.open[1], x.ok = true, true
		old := s.conns[x.from]
		s.conns[x.from] = k
		if old != nil && old != k {
			old.open[old.end(s.id)] = false // the dialling server has given it up
			k.fresh = true
			s.Hold(func() { s.replaced(x) })
		}
	}
	at := k.arrival(1, c.cfg.Now()+c.cfg.Flight())
	c.cfg.Plan(at, Step{kind: dialAnswered, from: x.to, to: x.from, conn: k, ok: x.ok,
		life: c.Server(x.from).life, cause: x.cause})
}

// replaced tells the process that a new connection to a server has replaced the old one. Otherwise the new learner
// would first hear messages meant for the old one.
func (s *Server) replaced(x Step) {
	x.conn.fresh = false
	if s.conns[x.from] != x.conn {
		return
	}
	s.cause = x.cause
	s.node.Closed(s.c.cfg.Now(), x.from)
	s.carryOut()
}

// dialAnswered handles the outcome of a dial, at the server that dialled.
func (s *Server) dialAnswered(x Step) {
	if s.conns[x.from] != x.conn {
		if x.ok {
			x.conn.open[0] = true
			s.close(x.conn) // it has another connection by now
		}
		return
	}
	x.conn.open[0] = x.ok
	if !x.ok {
		s.conns[x.from] = nil
	}
	s.node.Dialled(s.c.cfg.Now(), x.from, x.ok)
}

// send sends a message after all earlier ones.
func (s *Server) send(to zab.ID, m *zab.Message) {
	k := s.conns[to]
	if k == nil || k.fresh || !k.open[k.end(s.id)] {
		return
	}
	sent := *m
	if m.Type == zab.Snap {
		sent.Snapshot.State = s.app.Snapshot()
	}
	now := s.c.cfg.Now()
	at := k.arrival(k.end(s.id), now+s.c.cfg.Flight())
	cause := s.sent(to, opOf(m.Type), m.Zxid, int64(at-now))
	s.c.cfg.Plan(at, Step{kind: arrives, from: s.id, to: to, conn: k, nth: k.next(k.end(s.id)), message: &sent,
		cause: cause})
}

// arrived handles a message, unless its connection is closed.
func (s *Server) arrived(x Step) {
	if !x.conn.open[x.conn.end(s.id)] {
		s.c.dropped(x, opOf(x.message.Type))
		return
	}
	s.cause = s.received(x.from, opOf(x.message.Type), x.message.Zxid, x.cause)
	if x.message.Type == zab.Snap {
		s.cause = s.emit(event.Event{Kind: event.SnapshotLoaded, Zxid: int64(x.message.Zxid),
			Peer: event.Server(int(x.from)), Cause: s.cause})
	}
	s.node.Step(s.c.cfg.Now(), x.from, x.message)
}

// hangUp closes the connection to a server, if there is one.
func (s *Server) hangUp(with zab.ID) {
	if k := s.conns[with]; k != nil && !k.fresh {
		s.conns[with] = nil
		s.close(k)
	}
}

// close closes this end of a connection. The other end learns of it after all messages sent before.
func (s *Server) close(k *conn) {
	mine := k.end(s.id)
	if !k.open[mine] {
		return
	}
	k.open[mine] = false
	to := k.ends[1-mine]
	at := k.arrival(mine, s.c.cfg.Now()+s.c.cfg.Flight())
	s.c.cfg.Plan(at, Step{kind: closes, from: s.id, to: to, conn: k, nth: k.next(mine), cause: s.cause})
}

// closed handles the close of the other end.
func (s *Server) closed(x Step) {
	k := x.conn
	if mine := k.end(s.id); !k.open[mine] {
		return
	} else {
		k.open[mine] = false
	}
	if s.conns[x.from] == k {
		s.conns[x.from] = nil
		s.node.Closed(s.c.cfg.Now(), x.from)
	}
}

// lostAtDead handles a step for a dead process. The operating system there answers a message by resetting its
// connection.
func (c *Cluster) lostAtDead(s *Server, x Step) {
	switch x.kind {
	case arrives:
		c.dropped(x, opOf(x.message.Type))
		c.reset(x)
	case dialAnswered:
		x.conn.open[1] = false
	case notified:
		// The sender keeps it and sends it again when the process is back.
		c.dropped(x, event.Notification)
	}
}

// lose drops a step that never arrives.
func (c *Cluster) lose(x Step) {
	if x.kind == arrives {
		c.dropped(x, opOf(x.message.Type))
	}
}

// reset tells the sender of a message that the connection is closed.
func (c *Cluster) reset(x Step) {
	k := x.conn
	mine := k.end(x.to)
	at := k.arrival(mine, c.cfg.Now()+c.cfg.Flight())
	c.cfg.Plan(at, Step{kind: closes, from: x.to, to: x.from, conn: k, nth: k.next(mine), cause: x.cause})
}
