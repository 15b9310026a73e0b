package server

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
	"github.com/zkviz/zkviz/engine/zookeeper/znode"
)

// A server of an ensemble is a front end to a log that all servers agree on. It proposes each change. The proposals
// come back to all servers in the same order, and the server that received the request answers it. All servers compute
// the same result, since it depends only on earlier proposals and the proposal itself.

// Member is the part of a Server that takes part in an ensemble. Without an Ensemble it only carries out proposals that
// others have agreed on.
type Member struct {
	s         *Server
	ensemble  Ensemble // nil for a standalone server
	id        int
	lastToken int64           // number of the last request to the other servers
	requests  map[int64]*Conn // by token
	facts     []event.Seq     // events of the proposal being delivered
}

// Ensemble connects a server to the others.
type Ensemble interface {
	// Forward sends a proposal to the leader, which may be this server. It comes back through Deliver, or perhaps
	// never if the leader is lost.
	Forward(p *Proposal, cause event.Seq)
	// Propose makes the ensemble agree on a leader's own proposal.
	Propose(p *Proposal, cause event.Seq)
	// Sync calls Synced once everything committed before has been delivered.
	Sync(token int64, cause event.Seq)
	// Revalidate asks the leader for a session. The answer comes through Revalidated.
	Revalidate(session, token int64, cause event.Seq)
	// Touched reports that a session was heard from.
	Touched(session int64, timeout time.Duration)
}

// Outstanding returns the number of the server's unanswered requests to the other servers.
func (m *Member) Outstanding() int { return len(m.requests) }

// Name sets the client's name in the log, unless it has a session.
func (c *Conn) Name(a event.Actor) {
	if c.session == nil {
		c.actor = a
	}
}

// Prepare returns the leader's version of a proposal that a server forwarded. It sets the time, and rejects proposals
// of sessions that have ended or moved to another server.
func (m *Member) Prepare(forwarded *Proposal, now time.Duration) *Proposal {
	m.s.now = now
	p := *forwarded
	p.txn.TimeMS = m.s.nowMS()
	if p.kind == toOpen {
		return &p
	}
	switch n := m.s.sessions.all[p.txn.Session]; {
	case n == nil, n.ending && p.kind != toEnd:
		p.kind, p.code = toFail, zoo.ErrSessionExpired
	case n.owner != 0 && n.owner != p.origin:
		p.kind, p.code = toFail, zoo.ErrSessionMoved
	default:
		n.owner, n.ending = p.origin, p.kind == toEnd
		m.s.sessions.touch(n, m.s.now)
	}
	return &p
}

// Deliver executes a proposal under its zxid. All servers do so in the same order.
func (m *Member) Deliver(p *Proposal, zxid int64, now time.Duration, cause event.Seq) {
	m.s.now = now
	m.s.tree.SkipTo(zxid - 1)
	m.facts = p.Facts
	var result znode.Result
	switch p.kind {
	case toWrite:
		result, _ = m.s.commit(&p.txn, p.actor, p.op, p.reason, cause)
	case toFail:
		result, _ = m.s.tree.Apply(znode.Txn{Kind: znode.Failed, Session: p.txn.Session, TimeMS: p.txn.TimeMS}, nil)
		result.Code = p.code
		m.s.log.addAgreed(event.Event{Kind: event.TxnApplied, Peer: p.actor, Op: p.op, Path: p.txn.Path,
			Code: int32(p.code),
			Zxid: zxid, Session: p.txn.Session, Cause: cause})
	case toOpen:
		m.opened(p, zxid, cause)
	case toEnd:
		m.ended(p, cause)
	}
	m.facts = nil
	if p.origin == m.id && p.token != 0 {
		m.resolve(p, result, cause)
	}
	if p.kind == toEnd {
		m.closeConns(p.txn.Session, p.reason, cause)
	}
}

// opened creates a session.
func (m *Member) opened(p *Proposal, zxid int64, cause event.Seq) {
	m.s.tree.Apply(znode.Txn{Kind: znode.OpenSession, Session: p.txn.Session}, nil)
	n := m.s.sessions.all[p.txn.Session]
	if n == nil {
		n = &session{id: p.txn.Session}
		m.s.sessions.all[n.id] = n
	}
	n.actor, n.timeout, n.owner = p.actor, p.timeout, p.origin
	m.s.sessions.touch(n, m.s.now)
	m.s.log.addAgreed(event.Event{Kind: event.SessionCreated, Peer: p.actor, Session: n.id, Zxid: zxid,
		N: int64(p.timeout), Cause: cause})
}

// ended ends a session, unless it has already ended.
func (m *Member) ended(p *Proposal, cause event.Seq) {
	kind := event.SessionExpired
	if p.reason == event.BySessionClosed {
		kind = event.SessionClosed
	}
	if n := m.s.sessions.all[p.txn.Session]; n != nil {
		m.s.end(n, kind, p.reason, cause)
		return
	}
	m.s.tree.Apply(znode.Txn{Kind: znode.CloseSession, Session: p.txn.Session, TimeMS: p.txn.TimeMS}, nil)
}

// closeConns closes the connections of a session that is over.
func (m *Member) closeConns(id int64, why event.Reason, cause event.Seq) {
	for _, c := range m.s.watchers.conns {
		if c != nil && c.session != nil && c.session.id == id {
			c.close(why, cause)
		}
	}
}

// resolve answers the request behind a proposal, and the reads that waited for it.
func (m *Member) resolve(p *Proposal, result znode.Result, cause event.Seq) {
	c := m.requests[p.token]
	delete(m.requests, p.token)
	switch {
	case c == nil:
		return
	case c.closed:
		m.orphanAnswered(c)
		return
	case p.kind == toOpen:
		m.s.attach(m.s.sessions.all[p.txn.Session], c)
		c.welcome(c.readOnly, cause)
		return
	case p.kind == toFail && p.code == zoo.ErrSessionMoved:
		c.waits = c.waits[1:]
		c.close(event.ConnMoved, cause) // no client sees the code
		return
	}
	q := m.next(c)
	r := c.answer(q)
	if q.Op == wire.OpMulti && p.kind == toWrite && result.Code != zoo.ErrMarshalling {
		r.Results = resultsOf(q.Ops, result)
	} else {
		r.Code, r.Path, r.Stat = result.Code, result.Path, result.Stat
	}
	m.answered(c, r, cause)
}

// Synced is the answer to Ensemble.Sync.
func (m *Member) Synced(token int64, now time.Duration, cause event.Seq) {
	m.s.now = now
	c := m.requests[token]
	delete(m.requests, token)
	if c != nil && c.closed {
		m.orphanAnswered(c)
	} else if c != nil {
		q := m.next(c)
		r := c.answer(q)
		r.Path = q.Path
		m.answered(c, r, cause)
	}
}

// greet is Greet on a server of an ensemble. The ensemble must agree on a new session, and only the leader knows
// whether an old one still exists.
func (m *Member) greet(c *Conn, q *wire.ConnectRequest, cause event.Seq) {
	s := m.s
	if q.Session == 0 && s.cfg.MaxSessions > 0 && len(s.sessions.all) >= s.cfg.MaxSessions {
		c.close(event.ConnSessions, cause)
		return
	}
	m.lastToken++
	m.requests[m.lastToken] = c
	c.readOnly = q.HasReadOnly
	c.timeout = s.sessions.negotiate(q.TimeoutMS)
	if q.Session != 0 {
		// Later requests of the previous connection would reach the leader after this one, as if they came from here.
		if n := s.sessions.all[q.Session]; n != nil && n.conn != nil {
			n.conn.close(event.ConnTaken, cause)
		}
		c.claims, c.proves = q.Session, s.sessions.proven(q.Session, q.Password)
		m.ensemble.Revalidate(q.Session, m.lastToken, cause)
		return
	}
	p := &Proposal{kind: toOpen, op: event.Connect, actor: c.actor, timeout: c.timeout, origin: m.id, token: m.lastToken}
	p.txn.Session = s.sessions.nextID
	s.sessions.nextID++
	m.ensemble.Forward(p, cause)
}

// Revalidate tells, on the leader, whether a session exists whose client has moved to another server. From then on,
// that server owns it.
func (m *Member) Revalidate(id int64, at int, now time.Duration, cause event.Seq) bool {
	m.s.now = now
	n := m.s.sessions.all[id]
	if n == nil || n.ending {
		return false
	}
	n.owner = at
	m.touched(n, cause)
	return true
}

// Revalidated is the answer to Ensemble.Revalidate.
func (m *Member) Revalidated(token int64, ok bool, now time.Duration, cause event.Seq) {
	m.s.now = now
	c := m.requests[token]
	delete(m.requests, token)
	if c == nil || c.closed {
		return
	}
	if ok {
		n := m.s.sessions.all[c.claims]
		if n == nil { // this server doesn't know it yet
			n = &session{id: c.claims, actor: c.actor}
			m.s.sessions.all[n.id] = n
		}
		if n.conn != nil {
			n.conn.close(event.ConnTaken, cause)
		}
		if c.proves {
			c.actor = n.actor
			m.s.attach(n, c)
		}
	}
	c.welcome(c.readOnly, cause)
}

// TouchSession handles another server's report that a session was heard from.
func (m *Member) TouchSession(id int64, now time.Duration, cause event.Seq) {
	m.s.now = now
	if n := m.s.sessions.all[id]; n != nil {
		m.touched(n, cause)
	}
}

// touched records that a leader heard about a session from another server.
func (m *Member) touched(n *session, cause event.Seq) {
	m.s.sessions.touch(n, m.s.now)
	if n.actor == event.ZooKeeper {
		return
	}
	m.s.log.add(event.Event{Kind: event.SessionTouched, Actor: event.Server(m.id), Peer: n.actor, Session: n.id,
		Code: int32(n.owner), Cause: cause})
}

// Lead handles the start of leadership: every session gets its full timeout, and may be on any server.
func (m *Member) Lead(now time.Duration) {
	m.s.now = now
	for _, n := range m.s.sessions.all {
		n.owner, n.ending = 0, false
	}
	m.s.Renew(now)
}

// proposeEnd makes the leader propose a session's end.
func (m *Member) proposeEnd(n *session, cause event.Seq) {
	n.ending = true
	p := &Proposal{kind: toEnd, op: event.CloseSession, actor: n.actor, reason: event.BySessionExpired}
	p.txn.Kind, p.txn.Session, p.txn.TimeMS = znode.CloseSession, n.id, m.s.nowMS()
	m.ensemble.Propose(p, cause)
}
