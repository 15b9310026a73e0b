package server

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/binary"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
	"github.com/zkviz/zkviz/engine/zookeeper/znode"
)

// session is the server's state of one session. See the ZooKeeper Programmer's Guide, "ZooKeeper Sessions".
type session struct {
	id       int64
	actor    event.Actor
	conn     *Conn // nil while it is disconnected
	timeout  time.Duration
	deadline time.Duration // when it expires unless it is heard from
	look     time.Duration // when the server checks whether it has expired
	owner    int           // the server of its client, as the ensemble's leader knows it; 0 for any
	ending   bool          // the leader has proposed its end
	owed     int           // this server's unanswered requests to the others, from connections that have ended
}

// negotiate returns the timeout for a client that requests askMS.
func (s *Server) negotiate(askMS int32) time.Duration {
	return s.bounded(time.Duration(askMS) * time.Millisecond)
}

// bounded limits a timeout to the server's range.
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

// renew attaches the connection to the session that it asks for, if that exists and the password is right. Even with a
// wrong password, it ends the connection that has the session, as ZooKeeper does.
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

// proven reports whether shown is the session's password.
func (s *Server) proven(id int64, shown []byte) bool {
	return subtle.ConstantTimeCompare(shown, password(id, s.cfg.Seed)) == 1
}

func (s *Server) attach(n *session, c *Conn) {
	n.conn, n.timeout, c.session = c, c.timeout, n
	s.touch(n)
}

// Touch records a heartbeat that is not a request: the host holds a request that must wait.
func (c *Conn) Touch(now time.Duration) {
	if !c.closed && c.session != nil {
		c.s.now = now
		c.s.touch(c.session)
	}
}

// touch postpones the session's deadline. Like the buckets of ZooKeeper's session tracker, a deadline is rounded up to
// the tick after the timeout.
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

// end closes a session and deletes its znodes in one transaction.
func (s *Server) end(n *session, kind event.Kind, why event.Reason, cause event.Seq) {
	delete(s.sessions, n.id)
	var r znode.Result
	r, s.changes = s.tree.Apply(znode.Txn{Kind: znode.CloseSession, Session: n.id, TimeMS: s.nowMS()}, s.changes[:0])
	ended := s.state(event.Event{Kind: kind, Peer: n.actor, Session: n.id, Zxid: r.Zxid, Cause: cause})
	s.publish(n.actor, why, ended)
}

// expire ends a session that was silent for too long, and its connection.
func (s *Server) expire(n *session, cause event.Seq) {
	s.end(n, event.SessionExpired, event.BySessionExpired, cause)
	if n.conn != nil {
		n.conn.close(event.BySessionExpired, cause)
	}
}

// Expire ends a session at once, as if it had been silent for too long. It returns false if there is no such session.
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

// password returns the password that a client needs to resume a session. It is a function of the session's number and
// the seed, and reveals neither the seed nor other passwords.
func password(session int64, seed uint64) []byte {
	b := binary.BigEndian.AppendUint64(make([]byte, 0, 16), seed)
	sum := sha256.Sum256(binary.BigEndian.AppendUint64(b, uint64(session)))
	return sum[:wire.PasswordBytes]
}
