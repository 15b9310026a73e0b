package sim

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/znode"
	"github.com/zkviz/zkviz/engine/zoo"
)

// server is the simulated ZooKeeper: it takes requests in the order in which they arrive, and that order
// is the order of the zxids.
type server struct {
	w        *world
	tree     *znode.Tree
	watches  *znode.Watches
	conns    []*conn    // by id
	sessions []*session // by number less firstSession
	alive    int        // sessions that have not ended
	down     bool
	upAt     time.Duration // it starts again then, while it is down
	changes  []znode.Change
	fired    []znode.Fired
}

// session is what the server knows of one.
type session struct {
	id       int64
	client   *client
	conn     *conn // nil or closed while it is away
	timeout  time.Duration
	deadline time.Duration // it expires then, unless something is heard from it before
	over     bool
}

// firstSession is short, so that a name which contains a session can be read.
const firstSession = 0x10001

func newServer(w *world) server {
	return server{w: w, tree: znode.New(), watches: znode.NewWatches()}
}

// preload makes a znode and those above it, before anything else happens.
func (s *server) preload(path string) {
	for i := 1; i <= len(path); i++ {
		if i < len(path) && path[i] != '/' {
			continue
		}
		if _, there := s.tree.Stat(path[:i]); !there {
			s.commit(znode.Txn{Kind: znode.Create, Path: path[:i], Caller: znode.Caller{Trusted: true}}, 0, 0)
		}
	}
}

func (s *server) receive(a action) {
	k := a.conn
	if k.lost(&k.up, a, k.client.id, event.ZooKeeper) {
		return
	}
	if !k.atServer || s.down {
		s.w.emit(event.Event{Kind: event.MsgDropped, Actor: k.client.id, Op: a.op(), Cause: a.cause})
		return
	}
	switch a.step {
	case stepGone:
		s.hangUp(k, a.cause)
	case stepHello:
		s.greet(k, a.cause)
	case stepPing:
		s.touch(k.session)
		got := s.heard(k, event.Ping, a.cause)
		k.sendDown(action{step: stepPong}, event.Event{Kind: event.MsgSent, Peer: k.client.id, Op: event.Ping, Cause: got})
	case stepRequest:
		s.touch(k.session)
		s.serve(k, a.req, a.cause)
	}
}

func (s *server) heard(k *conn, op event.Op, cause event.Seq) event.Seq {
	return s.w.emit(event.Event{Kind: event.MsgReceived, Peer: k.client.id, Op: op, Cause: cause})
}

func (s *server) serve(k *conn, r *request, cause event.Seq) {
	switch r.op {
	case event.Create, event.Delete, event.Set, event.Multi:
		cause = s.write(k, r, cause)
	case event.CloseSession:
		s.end(k.session, event.SessionClosed, event.BySessionClosed, cause)
	case event.SetWatches:
		cause = s.heard(k, r.op, cause)
		s.rearm(k, r, cause)
	default:
		cause = s.read(k, r, cause)
	}
	r.zxid = s.tree.Zxid()
	s.reply(k, r, cause)
	if r.op == event.CloseSession {
		s.hangUp(k, cause)
	}
}

// reply answers a request, unless a fault loses the answer.
func (s *server) reply(k *conn, r *request, cause event.Seq) {
	c := k.client
	k.sendDown(action{step: stepReply, req: r},
		event.Event{Kind: event.MsgSent, Peer: c.id, Op: r.op, Path: r.path, Code: int32(r.code), Cause: cause})
	if c.dropNext {
		c.dropNext = false
		k.down.broken = true
		s.hangUp(k, cause)
		s.w.agenda.add(k.down.last, action{step: stepHungUp, client: c, conn: k, cause: cause})
	}
}

func (s *server) write(k *conn, r *request, cause event.Seq) event.Seq {
	x := znode.Txn{Session: k.session.id, Path: r.path, Data: r.data, Mode: r.mode, Version: r.version, Caller: znode.Caller{Trusted: true}}
	switch r.op {
	case event.Create:
		x.Kind = znode.Create
	case event.Delete:
		x.Kind = znode.Delete
	case event.Set:
		x.Kind = znode.Set
	case event.Multi:
		x.Kind, x.Ops = znode.Multi, parts(r.ops)
	}
	result, applied := s.commitFor(k.client.id, r.op, x, cause)
	r.code, r.result, r.stat, r.results = result.Code, result.Path, result.Stat, result.Ops
	return applied
}

func parts(ops []zoo.Op) []znode.Txn {
	kinds := [...]znode.Kind{zoo.OpCreate: znode.Create, zoo.OpDelete: znode.Delete, zoo.OpSet: znode.Set, zoo.OpCheck: znode.Check}
	txns := make([]znode.Txn, len(ops))
	for i, op := range ops {
		txns[i] = znode.Txn{Kind: kinds[op.Kind], Path: op.Path, Data: op.Data, Mode: op.Mode, Version: op.Version}
	}
	return txns
}

// commit applies a transaction that no client asked for.
func (s *server) commit(x znode.Txn, by event.Actor, cause event.Seq) {
	x.TimeMS = s.w.now.Milliseconds()
	_, s.changes = s.tree.Apply(x, s.changes[:0])
	s.publish(s.changes, by, event.ByOp, cause)
}

func (s *server) commitFor(by event.Actor, op event.Op, x znode.Txn, cause event.Seq) (znode.Result, event.Seq) {
	x.TimeMS = s.w.now.Milliseconds()
	var r znode.Result
	r, s.changes = s.tree.Apply(x, s.changes[:0])
	path := x.Path
	if r.Path != "" {
		path = r.Path
	}
	applied := s.w.emit(event.Event{Kind: event.TxnApplied, Peer: by, Op: op, Path: path, Code: int32(r.Code),
		Zxid: r.Zxid, Session: x.Session, Cause: cause})
	s.publish(s.changes, by, event.ByOp, applied)
	return r, applied
}

// publish tells of each change and sends the watch events that it fires.
func (s *server) publish(changes []znode.Change, by event.Actor, why string, cause event.Seq) {
	for _, c := range changes {
		e := event.Event{Peer: by, Path: c.Path, Zxid: s.tree.Zxid(), Cause: cause}
		switch c.Type {
		case zoo.NodeCreated:
			e.Kind, e.Session, e.Mode = event.ZnodeCreated, c.Owner, uint8(c.Mode)
			e.Text, e.N = event.Preview(c.Data), int64(len(c.Data))
		case zoo.NodeDataChanged:
			e.Kind = event.ZnodeChanged
			e.Text, e.N = event.Preview(c.Data), int64(len(c.Data))
		case zoo.NodeDeleted:
			e.Kind, e.Text = event.ZnodeDeleted, why
		}
		changed := s.w.emit(e)
		s.fired = s.watches.Fire(c, s.fired[:0])
		for _, f := range s.fired {
			s.notify(f, changed)
		}
	}
}

func (s *server) notify(f znode.Fired, cause event.Seq) {
	k := s.conns[f.Watcher]
	k.client.inbound++
	k.client.update()
	k.sendDown(action{step: stepNotify, typ: f.Type, path: f.Path},
		event.Event{Kind: event.WatchFired, Peer: k.client.id, Path: f.Path, Watch: f.Watch, Type: uint8(f.Type), Cause: cause})
}

func (s *server) read(k *conn, r *request, cause event.Seq) event.Seq {
	stat, there := s.tree.Stat(r.path)
	r.stat, r.there = stat, there
	kind := event.DataWatch
	switch r.op {
	case event.Get:
		r.bytes, _ = s.tree.Data(r.path)
	case event.Children:
		r.names, _ = s.tree.Children(r.path)
		kind = event.ChildWatch
	case event.Exists:
		if !there {
			kind = event.ExistWatch
		}
	case event.Sync:
		there = true
	}
	if !there {
		r.code = zoo.ErrNoNode
		if r.op != event.Exists {
			return cause
		}
	}
	if r.watch {
		r.kind = kind
		return s.watch(k, kind, r.path, cause)
	}
	return cause
}

func (s *server) watch(k *conn, kind event.Watch, path string, cause event.Seq) event.Seq {
	if !s.watches.Set(k.id, kind, path) {
		return cause
	}
	return s.w.emit(event.Event{Kind: event.WatchSet, Peer: k.client.id, Path: path, Watch: kind, Cause: cause})
}

// rearm sets the watches of a client that came back, or fires them if their node changed meanwhile.
func (s *server) rearm(k *conn, r *request, cause event.Seq) {
	for _, reg := range r.regs {
		f, fires := s.watches.Rearm(s.tree, k.id, r.since, reg.kind, reg.path)
		if fires {
			s.notify(f, cause)
			continue
		}
		s.w.emit(event.Event{Kind: event.WatchSet, Peer: k.client.id, Path: reg.path, Watch: reg.kind, Cause: cause})
	}
}

// hangUp ends the server's side of a connection, and its watches with it.
func (s *server) hangUp(k *conn, cause event.Seq) {
	if !k.atServer {
		return
	}
	k.atServer = false
	for _, gone := range s.watches.Drop(k.id) {
		s.w.emit(event.Event{Kind: event.WatchRemoved, Peer: k.client.id, Path: gone.Path, Watch: gone.Watch, Cause: cause})
	}
}
