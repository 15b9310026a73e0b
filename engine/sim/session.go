package sim

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/znode"
)

// connect makes the server's side of a new connection of the client.
func (s *server) connect(c *client) *conn {
	k := &conn{id: znode.Watcher(len(s.conns)), client: c, atServer: true, heard: s.w.now}
	s.conns = append(s.conns, k)
	return k
}

// greet answers a handshake: with a new session, with the client's old one, or with a refusal.
func (s *server) greet(k *conn, cause event.Seq) {
	c := k.client
	got := s.heard(k, event.Connect, cause)
	old := k.asks
	switch {
	case old == nil:
		got = s.open(k, got)
	case !old.over:
		if old.conn != nil {
			s.hangUp(old.conn, got)
		}
		k.session, old.conn = old, k
		s.touch(old)
	}
	k.sendDown(action{step: stepWelcome},
		event.Event{Kind: event.MsgSent, Peer: c.id, Op: event.Connect, Cause: got})
	if k.session == nil {
		s.hangUp(k, got)
	}
}

func (s *server) open(k *conn, cause event.Seq) event.Seq {
	id := int64(firstSession + len(s.sessions))
	n := &session{id: id, client: k.client, conn: k, timeout: s.w.cfg.negotiate()}
	s.sessions = append(s.sessions, n)
	s.alive++
	k.session = n
	r, _ := s.tree.Apply(znode.Txn{Kind: znode.OpenSession, Session: id}, nil)
	s.touch(n)
	s.w.agenda.add(n.deadline, action{step: stepExpiry, n: id - firstSession})
	return s.w.emit(event.Event{Kind: event.SessionCreated, Peer: k.client.id, Session: id, Zxid: r.Zxid,
		N: int64(n.timeout), Cause: cause})
}

// touch puts the session's deadline off. Deadlines are rounded up to the tick after the timeout, as the
// buckets of ZooKeeper's session tracker are.
func (s *server) touch(n *session) {
	tick := s.w.cfg.Tick
	n.deadline = ((s.w.now+n.timeout)/tick + 1) * tick
}

func (s *server) checkExpiry(i int64) {
	n := s.sessions[i]
	switch {
	case n.over:
	case s.down:
		s.w.agenda.add(s.upAt, action{step: stepExpiry, n: i})
	case n.deadline > s.w.now:
		s.w.agenda.add(n.deadline, action{step: stepExpiry, n: i})
	default:
		s.expire(n, n.client.silenced)
	}
}

// expire ends a session for want of a sign of life, and its connection with it.
func (s *server) expire(n *session, cause event.Seq) {
	s.end(n, event.SessionExpired, event.BySessionExpired, cause)
	k := n.conn
	if k == nil || !k.atServer {
		return
	}
	s.hangUp(k, cause)
	s.w.agenda.add(k.down.arrival(s.w.now, s.w.flight()), action{step: stepHungUp, client: k.client, conn: k, cause: cause})
}

// end closes a session and removes all that it owns, in one transaction.
func (s *server) end(n *session, kind event.Kind, why string, cause event.Seq) {
	n.over = true
	s.alive--
	var r znode.Result
	r, s.changes = s.tree.Apply(znode.Txn{Kind: znode.CloseSession, Session: n.id}, s.changes[:0])
	ended := s.w.emit(event.Event{Kind: kind, Peer: n.client.id, Session: n.id, Zxid: r.Zxid, Cause: cause})
	s.publish(s.changes, n.client.id, why, ended)
}
