package server

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
	"github.com/zkviz/zkviz/engine/zookeeper/znode"
)

// On a server of an ensemble, a session's reads wait for its earlier requests to the other servers, sent over this
// connection or a previous one.

// queues reports whether a read must wait.
func (c *Conn) queues() bool { return len(c.waits) > 0 || c.session != nil && c.session.orphaned > 0 }

// next returns the oldest request to the other servers. All earlier ones have been answered.
func (m *Member) next(c *Conn) *wire.Request {
	c.session.orphaned = 0
	m.readOn(c)
	return c.waits[0].q
}

// readOn answers the reads that no longer have to wait.
func (m *Member) readOn(c *Conn) {
	for !c.closed && c.session.orphaned == 0 && len(c.waits) > 0 && c.waits[0].token == 0 {
		w := c.waits[0]
		c.waits = c.waits[1:]
		m.read(c, w)
	}
}

// orphanAnswered records the answer to a request from a connection that has ended.
func (m *Member) orphanAnswered(c *Conn) {
	n := c.session
	if n == nil || n.orphaned == 0 {
		return
	}
	if n.orphaned--; n.orphaned == 0 && n.conn != nil {
		m.readOn(n.conn)
	}
}

// Follow handles a new leader: nobody will answer the requests to the previous one.
func (m *Member) Follow() {
	for token, c := range m.requests {
		if c.closed {
			delete(m.requests, token)
		}
	}
	for _, n := range m.s.sessions.all {
		n.orphaned = 0
	}
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
func (m *Member) handle(c *Conn, q *wire.Request, bad zoo.Code, cause event.Seq) {
	s := m.s
	s.sessions.touch(c.session, s.now)
	m.ensemble.Touched(c.session.id, c.session.timeout)
	w := waiting{q: q, bad: bad, cause: cause}
	switch {
	case agrees(q.Op, bad):
		m.lastToken++
		w.token = m.lastToken
		c.waits = append(c.waits, w)
		m.requests[w.token] = c
		m.ask(c, w)
	case c.queues():
		c.waits = append(c.waits, w)
	default:
		m.read(c, w)
	}
}

// read answers a request that needs no other server.
func (m *Member) read(c *Conn, w waiting) {
	r := c.answer(w.q)
	r.Code, r.Zxid = w.bad, m.s.tree.Zxid()
	if w.bad == zoo.OK {
		w.cause = c.do(w.q, r, w.cause)
	}
	if w.bad == zoo.ErrUnimplemented {
		r.Zxid = -1
	}
	c.reply(w.q, r, w.cause)
	if w.bad == zoo.ErrUnimplemented {
		c.close(event.ConnUnknownOp, w.cause)
	}
}

// Keeps reports whether the server may need the request after it was handled, because other servers must agree first.
// The host must not reuse such a request.
func (c *Conn) Keeps(q *wire.Request) bool {
	return c.s.Member.ensemble != nil && (c.queues() || agrees(q.Op, zoo.OK))
}

// Waiting returns the number of the connection's unanswered requests.
func (c *Conn) Waiting() int { return len(c.waits) }

// ask proposes the request to the ensemble.
func (m *Member) ask(c *Conn, w waiting) {
	s := m.s
	p := &Proposal{op: OpOf(w.q.Op), actor: c.actor, origin: m.id, token: w.token, reason: event.ByOp}
	if w.bad != zoo.OK {
		p.kind, p.code, p.txn.Session = toFail, w.bad, c.session.id
		m.ensemble.Forward(p, w.cause)
		return
	}
	switch w.q.Op {
	case wire.OpSync:
		m.ensemble.Sync(w.token, w.cause)
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
		p.txn.Caller = c.identity.caller()
	}
	p.txn.Session = c.session.id
	m.ensemble.Forward(p, w.cause)
}

// answered answers the first waiting request, and the reads after it.
func (m *Member) answered(c *Conn, r *wire.Response, cause event.Seq) {
	q := c.waits[0].q
	c.waits = c.waits[1:]
	r.Zxid = m.s.tree.Zxid()
	c.reply(q, r, cause)
	if q.Op == wire.OpCloseSession {
		c.close(event.BySessionClosed, cause)
	}
	m.readOn(c)
}
