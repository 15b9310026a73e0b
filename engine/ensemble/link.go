package ensemble

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zab"
)

// conn is a connection between a learner and its leader, on the leader's quorum port. What is sent on it in one
// direction arrives in order, however late the host is.
type conn struct {
	ends  [2]zab.ID // who dialled, and whom
	open  [2]bool   // as that end sees it
	last  [2]time.Duration
	sent  [2]uint32        // how many steps that end has planned for the other
	came  [2]uint32        // how many of them have come
	after [2]time.Duration // what has waited at a fence arrives then
	lost  [2]bool          // what that end has sent and the other has not got: its machine lost its power behind a fence
	fresh bool             // the process that was dialled has not heard of it, and means the one before
}

func (k *conn) end(id zab.ID) int {
	if k.ends[0] == id {
		return 0
	}
	return 1
}

// arrival is when something that leaves this end now gets to the other.
func (k *conn) arrival(from int, at time.Duration) time.Duration {
	k.last[from] = max(k.last[from], at)
	return k.last[from]
}

// next numbers what this end sends.
func (k *conn) next(from int) uint32 {
	k.sent[from]++
	return k.sent[from]
}

// dial asks for a connection.
func (s *Server) dial(to zab.ID) {
	k := &conn{ends: [2]zab.ID{s.id, to}}
	s.conns[to] = k
	at := k.arrival(0, s.c.cfg.Now()+s.c.cfg.Flight())
	s.c.cfg.Plan(at, Step{kind: dialArrives, from: s.id, to: to, conn: k, life: 0, cause: s.cause})
}

// dialArrives is at the server that is dialled. The system there takes the connection, also of a process that is
// frozen, if the process listens.
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
			old.open[old.end(s.id)] = false // the server that dials has given it up
			k.fresh = true
			s.Hold(func() { s.replaced(x) })
		}
	}
	at := k.arrival(1, c.cfg.Now()+c.cfg.Flight())
	c.cfg.Plan(at, Step{kind: dialAnswered, from: x.to, to: x.from, conn: k, ok: x.ok,
		life: c.Server(x.from).life, cause: x.cause})
}

// replaced tells the process that the connection it had with a server has given way to a new one. Otherwise what it
// still sends to the learner that was would be the first that the new one hears.
func (s *Server) replaced(x Step) {
	x.conn.fresh = false
	if s.conns[x.from] != x.conn {
		return
	}
	s.cause = x.cause
	s.node.Closed(s.c.cfg.Now(), x.from)
	s.carryOut()
}

// dialAnswered is the outcome, at the server that dialled.
func (s *Server) dialAnswered(x Step) {
	if s.conns[x.from] != x.conn {
		if x.ok {
			x.conn.open[0] = true
			s.close(x.conn) // it has another meanwhile
		}
		return
	}
	x.conn.open[0] = x.ok
	if !x.ok {
		s.conns[x.from] = nil
	}
	s.node.Dialled(s.c.cfg.Now(), x.from, x.ok)
}

// send sends a message behind all that was sent before.
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

// arrived takes a message, unless the connection is over.
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

// hangUp ends the connection with a server, if there is one.
func (s *Server) hangUp(with zab.ID) {
	if k := s.conns[with]; k != nil && !k.fresh {
		s.conns[with] = nil
		s.close(k)
	}
}

// close ends this end of a connection. The other hears of it behind all that was sent.
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

// closed is the other end's end.
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

// lostAtDead is what comes to a process that is over: a message on a connection makes the system there answer that
// there is none.
func (c *Cluster) lostAtDead(s *Server, x Step) {
	switch x.kind {
	case arrives:
		c.dropped(x, opOf(x.message.Type))
		c.reset(x)
	case dialAnswered:
		x.conn.open[1] = false
	case notified:
		// It is kept by the sender, and sent again when the process is back.
		c.dropped(x, event.Notification)
	}
}

// lose is what never arrives.
func (c *Cluster) lose(x Step) {
	if x.kind == arrives {
		c.dropped(x, opOf(x.message.Type))
	}
}

// reset tells the sender of a message that the connection is over.
func (c *Cluster) reset(x Step) {
	k := x.conn
	mine := k.end(x.to)
	at := k.arrival(mine, c.cfg.Now()+c.cfg.Flight())
	c.cfg.Plan(at, Step{kind: closes, from: x.to, to: x.from, conn: k, nth: k.next(mine), cause: x.cause})
}
