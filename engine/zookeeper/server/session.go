package server

import (
	"crypto/sha256"
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
	check    time.Duration // when the server checks whether it has expired
	owner    int           // the server of its client, as the ensemble's leader knows it; 0 for any
	ending   bool          // the leader has proposed its end
	orphaned int           // this server's unanswered requests to the others, from connections that have ended
}

// open gives the connection a new session.
func (s *Server) open(c *Conn, cause event.Seq) event.Seq {
	r, _ := s.tree.Apply(znode.Txn{Kind: znode.OpenSession, Session: s.sessions.nextID}, nil)
	if c.actor == event.ZooKeeper && s.cfg.Number != nil {
		c.actor = s.cfg.Number()
	}
	n := &session{id: s.sessions.nextID, actor: c.actor}
	s.sessions.nextID++
	s.sessions.all[n.id] = n
	s.attach(n, c)
	return s.log.add(event.Event{Kind: event.SessionCreated, Peer: c.actor, Session: n.id, Zxid: r.Zxid,
		N: int64(n.timeout), Cause: cause})
}

// renew attaches the connection to the session that it asks for, if that exists and the password is right. Even with a
// wrong password, it ends the connection that has the session, as ZooKeeper does.
func (s *Server) renew(c *Conn, q *wire.ConnectRequest, cause event.Seq) {
	n := s.sessions.all[q.Session]
	if n == nil {
		return
	}
	if n.conn != nil {
		n.conn.close(event.ConnTaken, cause)
	}
	if s.sessions.proven(n.id, q.Password) {
		c.actor = n.actor
		s.attach(n, c)
	}
}

func (s *Server) attach(n *session, c *Conn) {
	n.conn, n.timeout, c.session = c, c.timeout, n
	s.sessions.touch(n, s.now)
}

// Touch records a heartbeat that is not a request: the host holds a request that must wait.
func (c *Conn) Touch(now time.Duration) {
	if !c.closed && c.session != nil {
		c.s.now = now
		c.s.sessions.touch(c.session, c.s.now)
	}
}

// end closes a session and deletes its znodes in one transaction.
func (s *Server) end(n *session, kind event.Kind, why event.Reason, cause event.Seq) {
	delete(s.sessions.all, n.id)
	var r znode.Result
	r, s.changes = s.tree.Apply(znode.Txn{Kind: znode.CloseSession, Session: n.id, TimeMS: s.nowMS()}, s.changes[:0])
	ended := s.log.addAgreed(event.Event{Kind: kind, Peer: n.actor, Session: n.id, Zxid: r.Zxid, Cause: cause})
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
	n := s.sessions.all[session]
	if n == nil {
		return false
	}
	s.now = now
	if s.Member.ensemble != nil {
		s.Member.proposeEnd(n, cause)
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
