package server

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/wire"
	"github.com/zkviz/zkviz/engine/znode"
)

// session is what the server knows of one. See the ZooKeeper Programmer's Guide, "ZooKeeper Sessions".
type session struct {
	id       int64
	actor    event.Actor
	conn     *Conn // nil while it is away
	timeout  time.Duration
	deadline time.Duration // it expires then, unless something is heard from it before
	look     time.Duration // the server looks then whether it has expired
	owner    int           // the server that its client is at, as the leader of an ensemble knows; 0 for any
	ending   bool          // the leader has proposed its end
	owed     int           // requests of connections that are over, which this server has asked others about
}

// negotiate is the timeout that the server gives to a client that asks for so many ms.
func (s *Server) negotiate(askMS int32) time.Duration {
	return s.bounded(time.Duration(askMS) * time.Millisecond)
}

// bounded is a timeout within those that the server gives.
func (s *Server) bounded(timeout time.Duration) time.Duration {
	return min(max(timeout, 2*s.cfg.Tick), s.cfg.MaxTimeout)
}

// open gives the connection a new session.
func (s *Server) open(c *Conn, cause event.Seq) event.Seq {
	r, _ := s.tree.Apply(znode.Txn{Kind: znode.OpenSession, Session: s.nextID}, nil)
	if c.actor == event.ZooKeeper && s.cfg.Number != nil {
		c.actor = s.cfg.Number()
	}
	n := &session{id: s.nextID, actor: c.actor}
	s.nextID++
	s.sessions[n.id] = n
	s.attach(n, c)
	return s.emit(event.Event{Kind: event.SessionCreated, Peer: c.actor, Session: n.id, Zxid: r.Zxid,
		N: int64(n.timeout), Cause: cause})
}

// renew gives the connection the session that it asks for, if it is there and the password is right. A
// connection that asks for a session ends the one that has it, also with a wrong password: so does ZooKeeper.
func (s *Server) renew(c *Conn, q *wire.ConnectRequest, cause event.Seq) {
	n := s.sessions[q.Session]
	if n == nil {
		return
	}
	if n.conn != nil {
		n.conn.close(event.ConnTaken, cause)
	}
	if s.proven(n.id, q.Password) {
		c.actor = n.actor
		s.attach(n, c)
	}
}

// proven reports whether that is the session's password.
func (s *Server) proven(id int64, shown []byte) bool {
	return subtle.ConstantTimeCompare(shown, password(id, s.cfg.Seed)) == 1
}

func (s *Server) attach(n *session, c *Conn) {
	n.conn, n.timeout, c.session = c, c.timeout, n
	s.touch(n)
}

// Touch is a sign of life that is no request: the host has one that must wait.
func (c *Conn) Touch(now time.Duration) {
	if !c.closed && c.session != nil {
		c.s.now = now
		c.s.touch(c.session)
	}
}

// touch puts the session's deadline off. Deadlines are rounded up to the tick after the timeout, as the
// buckets of ZooKeeper's session tracker are.
func (s *Server) touch(n *session) {
	n.deadline = ((s.now+n.timeout)/s.cfg.Tick + 1) * s.cfg.Tick
	if n.look == 0 || n.deadline < n.look {
		s.lookAt(n)
	}
}

func (s *Server) lookAt(n *session) {
	n.look = n.deadline
	s.expiry.Add(n.look, n.id)
}

// end closes a session and removes all that it owns, in one transaction.
func (s *Server) end(n *session, kind event.Kind, why event.Reason, cause event.Seq) {
	delete(s.sessions, n.id)
	var r znode.Result
	r, s.changes = s.tree.Apply(znode.Txn{Kind: znode.CloseSession, Session: n.id, TimeMS: s.nowMS()}, s.changes[:0])
	ended := s.state(event.Event{Kind: kind, Peer: n.actor, Session: n.id, Zxid: r.Zxid, Cause: cause})
	s.publish(n.actor, why, ended)
}

// expire ends a session that has not been heard of in time, and its connection with it.
func (s *Server) expire(n *session, cause event.Seq) {
	s.end(n, event.SessionExpired, event.BySessionExpired, cause)
	if n.conn != nil {
		n.conn.close(event.BySessionExpired, cause)
	}
}

// Expire ends a session at once, as if nothing had been heard from it for too long. It reports false if there
// is no such session.
func (s *Server) Expire(session int64, now time.Duration, cause event.Seq) bool {
	n := s.sessions[session]
	if n == nil {
		return false
	}
	s.now = now
	if s.cfg.Ensemble != nil {
		s.proposeEnd(n, cause)
	} else {
		s.expire(n, cause)
	}
	return true
}

// password is what a client must show to go on with a session: a function of its number and the seed, from
// which neither the seed nor another session's password can be found.
func password(session int64, seed uint64) []byte {
	b := binary.BigEndian.AppendUint64(make([]byte, 0, 16), seed)
	sum := sha256.Sum256(binary.BigEndian.AppendUint64(b, uint64(session)))
	return sum[:wire.PasswordBytes]
}
