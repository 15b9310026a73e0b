package server

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
	"github.com/zkviz/zkviz/engine/zookeeper/znode"
)

// write executes a request that changes the tree, and fills r.
func (c *Conn) write(q *wire.Request, r *wire.Response, cause event.Seq) event.Seq {
	s := c.s
	x := txnOf(q)
	if q.Op == wire.OpMulti {
		var ok bool
		if x.Ops, ok = s.parts(q.Ops); !ok || s.cfg.Limits.tooLong(q) {
			r.Code = zoo.ErrMarshalling // it never reaches the tree
			return c.fail(q, r.Code, cause)
		}
	}
	x.Session, x.Caller, x.TimeMS = c.session.id, c.identity.caller(), s.nowMS()
	result, applied := s.commit(&x, c.actor, OpOf(q.Op), event.ByOp, cause)
	if q.Op == wire.OpMulti && result.Code != zoo.ErrMarshalling {
		r.Results = resultsOf(q.Ops, result)
		return applied
	}
	r.Code, r.Path, r.Stat = result.Code, result.Path, result.Stat
	return applied
}

// fail takes a zxid for a write that never reaches the tree.
func (c *Conn) fail(q *wire.Request, code zoo.Code, cause event.Seq) event.Seq {
	s := c.s
	result, _ := s.tree.Apply(znode.Txn{Kind: znode.Failed, Session: c.session.id, TimeMS: s.nowMS()}, nil)
	return s.log.add(event.Event{Kind: event.TxnApplied, Peer: c.actor, Op: OpOf(q.Op), Path: q.Path, Code: int32(code),
		Zxid: result.Zxid, Session: c.session.id, Cause: cause})
}

func txnOf(q *wire.Request) znode.Txn {
	x := znode.Txn{Path: q.Path, Data: q.Data, ACL: q.ACL, Version: q.Version}
	switch q.Op {
	case wire.OpCreate, wire.OpCreate2:
		x.Kind, x.Mode = znode.Create, znode.ModeOf(q.Flags)
	case wire.OpCreateContainer:
		x.Kind, x.Mode = znode.CreateContainer, znode.ModeOf(q.Flags)
	case wire.OpCreateTTL:
		x.Kind, x.Mode, x.TTL = znode.CreateTTL, znode.ModeOf(q.Flags), q.TTL
	case wire.OpDelete:
		x.Kind = znode.Delete
	case wire.OpSetData:
		x.Kind = znode.Set
	case wire.OpSetACL:
		x.Kind = znode.SetACL
	case wire.OpCheck:
		x.Kind = znode.Check
	case wire.OpMulti:
		x.Kind = znode.Multi
	}
	return x
}

// parts returns the transactions of a multi, or false if one of them isn't allowed there.
func (s *Server) parts(ops []wire.Request) ([]znode.Txn, bool) {
	clear(s.ops)
	s.ops = s.ops[:0]
	for i := range ops {
		x := txnOf(&ops[i])
		if x.Kind == znode.Failed || x.Kind == znode.Multi {
			return nil, false
		}
		s.ops = append(s.ops, x)
	}
	return s.ops, true
}

// resultsOf returns the answer to a multi, whose header always says OK.
func resultsOf(ops []wire.Request, done znode.Result) []wire.Result {
	results := make([]wire.Result, len(ops))
	for i := range ops {
		of := &results[i]
		if done.Code != zoo.OK {
			of.Op, of.Code = wire.OpError, done.Ops[i].Code
			continue
		}
		of.Op, of.Path, of.Stat = partType(&ops[i]), done.Ops[i].Path, done.Ops[i].Stat
	}
	return results
}

// partType returns the operation that 3.8.0 answers for a part of a multi. It includes the Stat only for znodes whose
// flags make them a container or give them a TTL.
func partType(part *wire.Request) wire.Op {
	switch part.Op {
	case wire.OpDelete, wire.OpSetData, wire.OpCheck:
		return part.Op
	}
	if znode.PartKind(znode.ModeOf(part.Flags)) == znode.Create {
		return wire.OpCreate
	}
	return wire.OpCreate2
}

// commit applies a transaction, which has its time, and records it and its changes.
func (s *Server) commit(x *znode.Txn, by event.Actor, op event.Op, why event.Reason, cause event.Seq) (znode.Result,
	event.Seq) {
	var r znode.Result
	r, s.changes = s.tree.Apply(*x, s.changes[:0])
	if s.log.on() {
		path := x.Path
		switch {
		case r.Path != "":
			path = r.Path
		case len(x.Ops) > 0:
			path = x.Ops[0].Path
		}
		cause = s.log.addAgreed(event.Event{Kind: event.TxnApplied, Peer: by, Op: op, Path: path, Code: int32(r.Code),
			Zxid: r.Zxid, Session: x.Session, Cause: cause})
	}
	s.publish(by, why, cause)
	if s.tree.Mortals() > 0 && s.containers.next <= s.now {
		s.containers.plan(s.now)
	}
	return r, cause
}

// publish records each change and sends the watch events that it fires.
func (s *Server) publish(by event.Actor, why event.Reason, cause event.Seq) {
	for i := range s.changes {
		c := &s.changes[i]
		changed := cause
		switch {
		case i+1 < len(s.Member.facts):
			changed = s.Member.facts[i+1]
		case s.log.on():
			changed = s.log.addAgreed(s.factOf(c, by, why, cause))
		}
		s.watchers.fire(c, changed)
	}
	clear(s.changes)
}

func (s *Server) factOf(c *znode.Change, by event.Actor, why event.Reason, cause event.Seq) event.Event {
	e := event.Event{Peer: by, Path: c.Path, Zxid: s.tree.Zxid(), Cause: cause}
	switch c.Type {
	case zoo.NodeCreated:
		e.Kind, e.Session, e.Mode = event.ZnodeCreated, c.Owner, uint8(c.Mode)
		e.Text, e.N = event.Preview(c.Data), int64(len(c.Data))
	case zoo.NodeDataChanged:
		e.Kind = event.ZnodeChanged
		e.Text, e.N = event.Preview(c.Data), int64(len(c.Data))
	case zoo.NodeDeleted:
		e.Kind, e.Reason = event.ZnodeDeleted, why
	}
	return e
}
