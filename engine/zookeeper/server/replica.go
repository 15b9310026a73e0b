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

// waiting is a request whose answer must wait for its own transaction, or for an earlier one's.
type waiting struct {
	q     *wire.Request
	bad   zoo.Code // the error of a request that can't be executed
	token int64    // 0 for a read
	cause event.Seq
}

// agrees reports whether the other servers must agree before the operation can be answered, even if only with that
// code.
func agrees(op wire.Op, bad zoo.Code) bool {
	if bad != zoo.OK {
		return bad == zoo.ErrMarshalling && writes(op)
	}
	switch op {
	case wire.OpSync, wire.OpCloseSession, wire.OpReconfig, wire.OpDeleteContainer:
		return true
	}
	return writes(op)
}

// handle is Handle on a server of an ensemble, or Malformed with that code. A session's reads wait for its own writes,
// including writes from an earlier connection, and for nobody else's.
func (c *Conn) handle(q *wire.Request, bad zoo.Code, cause event.Seq) {
	s := c.s
	s.touch(c.session)
	s.cfg.Ensemble.Touched(c.session.id, c.session.timeout)
	w := waiting{q: q, bad: bad, cause: cause}
	switch {
	case agrees(q.Op, bad):
		s.tokens++
		w.token = s.tokens
		c.waits = append(c.waits, w)
		s.asked[w.token] = c
		c.ask(w)
	case c.queues():
		c.waits = append(c.waits, w)
	default:
		c.read(w)
	}
}

// read answers a request that needs no other server.
func (c *Conn) read(w waiting) {
	r := c.answer(w.q)
	r.Code, r.Zxid = w.bad, c.s.tree.Zxid()
	if w.bad == zoo.OK {
		w.cause = c.do(w.q, r, w.cause)
	}
	if w.bad == zoo.ErrUnimplemented {
		r.Zxid = -1
	}
	c.say(w.q, r, w.cause)
	if w.bad == zoo.ErrUnimplemented {
		c.close(event.ConnUnknownOp, w.cause)
	}
}

// Keeps reports whether the server may need the request after it was handled, because other servers must agree first.
// The host must not reuse such a request.
func (c *Conn) Keeps(q *wire.Request) bool {
	return c.s.cfg.Ensemble != nil && (c.queues() || agrees(q.Op, zoo.OK))
}

// Waiting returns the number of the connection's unanswered requests.
func (c *Conn) Waiting() int { return len(c.waits) }

// Outstanding returns the number of the server's unanswered requests to the other servers.
func (s *Server) Outstanding() int { return len(s.asked) }

// Name sets the client's name in the log, unless it has a session.
func (c *Conn) Name(a event.Actor) {
	if c.session == nil {
		c.actor = a
	}
}

// ask proposes the request to the ensemble.
func (c *Conn) ask(w waiting) {
	s := c.s
	p := &Proposal{op: OpOf(w.q.Op), actor: c.actor, origin: s.cfg.ID, token: w.token, reason: event.ByOp}
	if w.bad != zoo.OK {
		p.kind, p.code, p.txn.Session = toFail, w.bad, c.session.id
		s.cfg.Ensemble.Forward(p, w.cause)
		return
	}
	switch w.q.Op {
	case wire.OpSync:
		s.cfg.Ensemble.Sync(w.token, w.cause)
		return
	case wire.OpCloseSession:
		p.kind, p.reason, p.txn.Kind = toEnd, event.BySessionClosed, znode.CloseSession
	case wire.OpReconfig:
		p.kind, p.code = toFail, zoo.ErrReconfigDisabled
	case wire.OpDeleteContainer:
		p.kind, p.code = toFail, zoo.ErrBadArguments
	default:
		p.txn = txnOf(w.q)
		if w.q.Op == wire.OpMulti {
			ops, ok := s.parts(w.q.Ops)
			if p.txn.Ops = append([]znode.Txn(nil), ops...); !ok || s.cfg.Limits.tooLong(w.q) {
				p.kind, p.code = toFail, zoo.ErrMarshalling
			}
		}
		p.txn.Caller = c.caller()
	}
	p.txn.Session = c.session.id
	s.cfg.Ensemble.Forward(p, w.cause)
}

// Prepare returns the leader's version of a proposal that a server forwarded. It sets the time, and rejects proposals
// of sessions that have ended or moved to another server.
func (s *Server) Prepare(forwarded *Proposal, now time.Duration) *Proposal {
	s.now = now
	p := *forwarded
	p.txn.TimeMS = s.nowMS()
	if p.kind == toOpen {
		return &p
	}
	switch n := s.sessions[p.txn.Session]; {
	case n == nil, n.ending && p.kind != toEnd:
		p.kind, p.code = toFail, zoo.ErrSessionExpired
	case n.owner != 0 && n.owner != p.origin:
		p.kind, p.code = toFail, zoo.ErrSessionMoved
	default:
		n.owner, n.ending = p.origin, p.kind == toEnd
		s.touch(n)
	}
	return &p
}

// Deliver executes a proposal under its zxid. All servers do so in the same order.
func (s *Server) Deliver(p *Proposal, zxid int64, now time.Duration, cause event.Seq) {
	s.now = now
	s.tree.SkipTo(zxid - 1)
	s.told = p.Told
	var result znode.Result
	switch p.kind {
	case toWrite:
		result, _ = s.commit(&p.txn, p.actor, p.op, p.reason, cause)
	case toFail:
		result, _ = s.tree.Apply(znode.Txn{Kind: znode.Failed, Session: p.txn.Session, TimeMS: p.txn.TimeMS}, nil)
		result.Code = p.code
		s.state(event.Event{Kind: event.TxnApplied, Peer: p.actor, Op: p.op, Path: p.txn.Path, Code: int32(p.code),
			Zxid: zxid, Session: p.txn.Session, Cause: cause})
	case toOpen:
		s.opened(p, zxid, cause)
	case toEnd:
		s.ended(p, cause)
	}
	s.told = nil
	if p.origin == s.cfg.ID && p.token != 0 {
		s.resolve(p, result, cause)
	}
	if p.kind == toEnd {
		s.dismiss(p.txn.Session, p.reason, cause)
	}
}

// opened creates a session.
func (s *Server) opened(p *Proposal, zxid int64, cause event.Seq) {
	s.tree.Apply(znode.Txn{Kind: znode.OpenSession, Session: p.txn.Session}, nil)
	n := s.sessions[p.txn.Session]
	if n == nil {
		n = &session{id: p.txn.Session}
		s.sessions[n.id] = n
	}
	n.actor, n.timeout, n.owner = p.actor, p.timeout, p.origin
	s.touch(n)
	s.state(event.Event{Kind: event.SessionCreated, Peer: p.actor, Session: n.id, Zxid: zxid, N: int64(p.timeout),
		Cause: cause})
}

// ended ends a session, unless it has already ended.
func (s *Server) ended(p *Proposal, cause event.Seq) {
	kind := event.SessionExpired
	if p.reason == event.BySessionClosed {
		kind = event.SessionClosed
	}
	if n := s.sessions[p.txn.Session]; n != nil {
		s.end(n, kind, p.reason, cause)
		return
	}
	s.tree.Apply(znode.Txn{Kind: znode.CloseSession, Session: p.txn.Session, TimeMS: p.txn.TimeMS}, nil)
}

// dismiss closes the connections of a session that is over.
func (s *Server) dismiss(id int64, why event.Reason, cause event.Seq) {
	for _, c := range s.conns {
		if c != nil && c.session != nil && c.session.id == id {
			c.close(why, cause)
		}
	}
}

// resolve answers the request behind a proposal, and the reads that waited for it.
func (s *Server) resolve(p *Proposal, result znode.Result, cause event.Seq) {
	c := s.asked[p.token]
	delete(s.asked, p.token)
	switch {
	case c == nil:
		return
	case c.closed:
		s.paid(c)
		return
	case p.kind == toOpen:
		s.attach(s.sessions[p.txn.Session], c)
		c.welcome(c.readOnly, cause)
		return
	case p.kind == toFail && p.code == zoo.ErrSessionMoved:
		c.waits = c.waits[1:]
		c.close(event.ConnMoved, cause) // no client sees the code
		return
	}
	q := c.next()
	r := c.answer(q)
	if q.Op == wire.OpMulti && p.kind == toWrite && result.Code != zoo.ErrMarshalling {
		r.Results = resultsOf(q.Ops, result)
	} else {
		r.Code, r.Path, r.Stat = result.Code, result.Path, result.Stat
	}
	c.answered(r, cause)
}

// answered answers the first waiting request, and the reads after it.
func (c *Conn) answered(r *wire.Response, cause event.Seq) {
	q := c.waits[0].q
	c.waits = c.waits[1:]
	r.Zxid = c.s.tree.Zxid()
	c.say(q, r, cause)
	if q.Op == wire.OpCloseSession {
		c.close(event.BySessionClosed, cause)
	}
	c.readOn()
}

// Synced is the answer to Ensemble.Sync.
func (s *Server) Synced(token int64, now time.Duration, cause event.Seq) {
	s.now = now
	c := s.asked[token]
	delete(s.asked, token)
	if c != nil && c.closed {
		s.paid(c)
	} else if c != nil {
		q := c.next()
		r := c.answer(q)
		r.Path = q.Path
		c.answered(r, cause)
	}
}

// greet is Greet on a server of an ensemble. The ensemble must agree on a new session, and only the leader knows
// whether an old one still exists.
func (c *Conn) greet(q *wire.ConnectRequest, cause event.Seq) {
	s := c.s
	if q.Session == 0 && s.cfg.MaxSessions > 0 && len(s.sessions) >= s.cfg.MaxSessions {
		c.close(event.ConnSessions, cause)
		return
	}
	s.tokens++
	s.asked[s.tokens] = c
	c.readOnly = q.HasReadOnly
	c.timeout = s.negotiate(q.TimeoutMS)
	if q.Session != 0 {
		// Later requests of the previous connection would reach the leader after this one, as if they came from here.
		if n := s.sessions[q.Session]; n != nil && n.conn != nil {
			n.conn.close(event.ConnTaken, cause)
		}
		c.claims, c.proves = q.Session, s.proven(q.Session, q.Password)
		s.cfg.Ensemble.Revalidate(q.Session, s.tokens, cause)
		return
	}
	p := &Proposal{kind: toOpen, op: event.Connect, actor: c.actor, timeout: c.timeout, origin: s.cfg.ID, token: s.tokens}
	p.txn.Session = s.nextID
	s.nextID++
	s.cfg.Ensemble.Forward(p, cause)
}

// Revalidate tells, on the leader, whether a session exists whose client has moved to another server. From then on,
// that server owns it.
func (s *Server) Revalidate(id int64, at int, now time.Duration, cause event.Seq) bool {
	s.now = now
	n := s.sessions[id]
	if n == nil || n.ending {
		return false
	}
	n.owner = at
	s.touched(n, cause)
	return true
}

// Revalidated is the answer to Ensemble.Revalidate.
func (s *Server) Revalidated(token int64, ok bool, now time.Duration, cause event.Seq) {
	s.now = now
	c := s.asked[token]
	delete(s.asked, token)
	if c == nil || c.closed {
		return
	}
	if ok {
		n := s.sessions[c.claims]
		if n == nil { // this server doesn't know it yet
			n = &session{id: c.claims, actor: c.actor}
			s.sessions[n.id] = n
		}
		if n.conn != nil {
			n.conn.close(event.ConnTaken, cause)
		}
		if c.proves {
			c.actor = n.actor
			s.attach(n, c)
		}
	}
	c.welcome(c.readOnly, cause)
}

// TouchSession handles another server's report that a session was heard from.
func (s *Server) TouchSession(id int64, now time.Duration, cause event.Seq) {
	s.now = now
	if n := s.sessions[id]; n != nil {
		s.touched(n, cause)
	}
}

// touched records that a leader heard about a session from another server.
func (s *Server) touched(n *session, cause event.Seq) {
	s.touch(n)
	if n.actor == event.ZooKeeper {
		return
	}
	s.emit(event.Event{Kind: event.SessionTouched, Actor: event.Server(s.cfg.ID), Peer: n.actor, Session: n.id,
		Code: int32(n.owner), Cause: cause})
}

// Lead handles the start of leadership: every session gets its full timeout, and may be on any server.
func (s *Server) Lead(now time.Duration) {
	s.now = now
	for _, n := range s.sessions {
		n.owner, n.ending = 0, false
	}
	s.Renew(now)
}

// proposeEnd makes the leader propose a session's end.
func (s *Server) proposeEnd(n *session, cause event.Seq) {
	n.ending = true
	p := &Proposal{kind: toEnd, op: event.CloseSession, actor: n.actor, reason: event.BySessionExpired}
	p.txn.Kind, p.txn.Session, p.txn.TimeMS = znode.CloseSession, n.id, s.nowMS()
	s.cfg.Ensemble.Propose(p, cause)
}

// state records a fact about the tree or a session. In an ensemble it doesn't, since the first server to apply it has
// done so.
func (s *Server) state(e event.Event) event.Seq {
	if s.cfg.Ensemble != nil {
		return e.Cause
	}
	return s.emit(e)
}
