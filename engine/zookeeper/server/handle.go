package server

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// Handle executes a request and replies. The request may be invalid: if its Op is not an operation
// (wire.ErrUnimplemented), the reply says so and the connection ends.
func (c *Conn) Handle(q *wire.Request, now time.Duration, cause event.Seq) {
	if c.closed || c.session == nil {
		return
	}
	c.s.now = now
	if c.s.Member.ensemble != nil && q.Op != wire.OpAuth && q.Op != wire.OpSASL {
		bad := zoo.OK
		if !known(q.Op) {
			bad = zoo.ErrUnimplemented
		}
		c.s.Member.handle(c, q, bad, cause)
		return
	}
	r := c.answer(q)
	switch q.Op {
	case wire.OpAuth: // doesn't count as a heartbeat
		c.auth(q, r, cause)
		return
	case wire.OpSASL:
		c.reply(q, r, cause)
		return
	}
	c.s.sessions.touch(c.session, c.s.now)
	if !known(q.Op) {
		r.Code, r.Zxid = zoo.ErrUnimplemented, -1
		c.reply(q, r, cause)
		c.close(event.ConnUnknownOp, cause)
		return
	}
	cause = c.do(q, r, cause)
	r.Zxid = c.s.tree.Zxid()
	c.reply(q, r, cause)
	if q.Op == wire.OpCloseSession {
		c.close(event.BySessionClosed, cause)
	}
}

// Malformed answers a request whose body is unreadable (wire.ErrMarshalling), so that only its Xid and Op are valid. A
// write still takes a zxid.
func (c *Conn) Malformed(q *wire.Request, now time.Duration, cause event.Seq) {
	if c.closed || c.session == nil {
		return
	}
	c.s.now = now
	if c.s.Member.ensemble != nil {
		c.s.Member.handle(c, q, zoo.ErrMarshalling, cause)
		return
	}
	c.s.sessions.touch(c.session, c.s.now)
	r := c.answer(q)
	r.Code = zoo.ErrMarshalling
	if writes(q.Op) {
		cause = c.fail(&wire.Request{Op: q.Op}, zoo.ErrMarshalling, cause)
	}
	r.Zxid = c.s.tree.Zxid()
	c.reply(q, r, cause)
}

// answer returns the reply to fill, whose memory is reused.
func (c *Conn) answer(q *wire.Request) *wire.Response {
	r := &c.s.response
	*r = wire.Response{Xid: q.Xid, Op: q.Op}
	return r
}

func (c *Conn) reply(q *wire.Request, r *wire.Response, cause event.Seq) {
	if !c.closed { // the host may have closed it while it delivered the change
		c.link.Reply(q, r, cause)
	}
}

// known excludes operations that 3.8.0 doesn't know, operations between servers, and a check outside a multi. With
// such a check a client can make a 3.8.0 ensemble useless, so the server refuses it as later versions do.
func known(op wire.Op) bool {
	switch op {
	case wire.OpNotification, wire.OpCheck, wire.OpCreateSession, wire.OpError:
		return false
	}
	return OpOf(op) != event.NoOp
}

func writes(op wire.Op) bool {
	switch op {
	case wire.OpCreate, wire.OpCreate2, wire.OpCreateContainer, wire.OpCreateTTL, wire.OpDelete, wire.OpSetData,
		wire.OpSetACL, wire.OpMulti:
		return true
	}
	return false
}

// do executes a request and fills r except for its zxid. It returns the cause of the reply.
func (c *Conn) do(q *wire.Request, r *wire.Response, cause event.Seq) event.Seq {
	s := c.s
	if writes(q.Op) {
		return c.write(q, r, cause)
	}
	switch q.Op {
	case wire.OpPing:
		r.Xid = wire.XidPing
	case wire.OpExists:
		return c.exists(q, r, cause)
	case wire.OpGetData:
		return c.getData(q, r, cause)
	case wire.OpGetChildren, wire.OpGetChildren2:
		return c.getChildren(q, r, cause)
	case wire.OpGetACL:
		r.ACL, r.Stat, r.Code = s.tree.GetACL(q.Path, c.identity.caller())
	case wire.OpAllChildrenNumber:
		r.Number, r.Code = s.tree.AllChildrenNumber(q.Path, c.identity.caller())
	case wire.OpGetEphemerals:
		r.Children = s.tree.GetEphemerals(c.session.id, q.Path)
	case wire.OpMultiRead:
		c.multiRead(q, r)
	case wire.OpDeleteContainer: // 3.8.0 takes the whole frame for the path, which is never valid
		r.Code = zoo.ErrBadArguments
		return c.fail(q, r.Code, cause)
	case wire.OpSync:
		r.Path = q.Path
	case wire.OpAddWatch:
		return c.addWatch(q, r, cause)
	case wire.OpCheckWatches:
		c.checkWatches(q, r)
	case wire.OpRemoveWatches:
		return c.removeWatches(q, r, cause)
	case wire.OpSetWatches, wire.OpSetWatches2:
		c.setWatches(q, cause)
	case wire.OpWhoAmI:
		r.Clients = c.identity.clients()
	case wire.OpReconfig:
		r.Code = zoo.ErrReconfigDisabled
		return c.fail(q, r.Code, cause)
	case wire.OpCloseSession:
		s.end(c.session, event.SessionClosed, event.BySessionClosed, cause)
	}
	return cause
}
