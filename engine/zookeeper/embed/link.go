package embed

import (
	"cmp"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/server"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// conn is the server's link to the client. The server calls it under its lock.
var _ server.Link = (*conn)(nil)

func (c *conn) Welcome(r *wire.ConnectResponse, cause event.Seq) {
	c.out.done(wire.AppendFrame(c.out.begin(), r))
	c.s.stats.sent(c)
	if r.Session != 0 {
		c.s.admission.opened(c)
	}
	c.deliver()
	c.s.observations.welcomed(c, r, cause)
}

func (c *conn) Reply(to *wire.Request, r *wire.Response, cause event.Seq) {
	n := c.answer(r)
	c.s.stats.sent(c)
	c.deliver()
	c.s.stats.sizes.add(int64(n))
	c.remember(to, r)
	c.s.observations.replied(c, to, r, cause)
}

// answer queues a reply for the client and returns its length. A long reply with room of its own is queued by
// reference, and encoded while it is written.
func (c *conn) answer(r *wire.Response) int {
	if k := c.room; k != nil && r.Code == zoo.OK {
		c.room = nil
		long := *r
		c.out.append(part{reply: wire.NewPieces(&long), room: k})
		return int(k.bytes)
	}
	b := c.out.begin()
	before := len(b)
	b = wire.AppendFrame(b, r)
	n := len(b) - before
	c.out.done(b)
	return n
}

func (c *conn) Notify(n wire.Notification, watch event.Watch, cause event.Seq) {
	b := c.out.begin()
	idle := len(b) == 0
	err := c.out.doneEvent(wire.AppendFrame(b, &n))
	c.s.stats.sent(c)
	c.s.stats.fired[n.Type&7]++
	c.s.observations.notified(c, n, watch, cause)
	if err != nil {
		c.end(connCut)
		c.out.fail(err)
		c.s.cuts.Add(1)
		c.s.log.printf("%s: closed: %v", c.remote, err)
	} else if c.s.pressure.over() {
		c.s.relieve()
	}
	if err == nil && idle {
		c.touch()
	}
}

// relieve closes the connection that is furthest behind, because all together have too much unread.
func (s *Server) relieve() {
	last := s.conns.furthestBehind()
	if last == nil {
		return
	}
	last.end(connCut)
	s.cuts.Add(1)
	last.out.fail(errBehind)
	s.log.printf("%s: closed: %v", last.remote, errBehind)
}

// Close handles the server's decision to close the connection.
func (c *conn) Close(why event.Reason, cause event.Seq) {
	c.why = why
	c.wake()
	if why == event.ConnAuthFailed {
		c.s.stats.noAuth++
	}
	c.end(connParting)
	c.s.observations.closed(c, why, cause)
	if text := unusual[why]; text != "" {
		c.s.log.printf("%s: closed: %s", c.remote, text)
	}
}

// unusual describes the reasons for closing a connection that the operator learns of.
var unusual = map[event.Reason]string{
	event.ConnSessions:       "there are too many sessions",
	event.ConnZxidAhead:      "the client has seen a later zxid than this server has",
	event.ConnAuthFailed:     "authentication failed",
	event.ConnUnknownOp:      "there is no such operation",
	event.ConnTooManyIDs:     "it has shown too many identities, or one with too long a secret",
	event.ConnTooManyWatches: "it comes back with more watches than there is room for",
}

// end makes the connection's reader close it. The holder of the lock wakes the reader after releasing it.
func (c *conn) end(state int32) {
	c.out.finish()
	if c.state.CompareAndSwap(connOpen, state) {
		c.touch()
	}
}

// touch schedules a nudge of the connection for when the lock is released, unless its own reader holds it.
func (c *conn) touch() {
	if c != c.s.current && !c.queued {
		c.queued = true
		c.s.touched = append(c.s.touched, c)
	}
}

// remember keeps what the four-letter word cons shows.
func (c *conn) remember(to *wire.Request, r *wire.Response) {
	if to.Op == wire.OpAuth || to.Op == wire.OpSASL {
		return
	}
	c.lastOp = lastOp(to.Op, r.Code)
	if to.Xid >= 0 {
		c.lastXid = to.Xid
	}
	c.lastZx = r.Zxid
	c.lastAt = c.s.now
}

// lastOp returns the name of an operation in ZooKeeper's four-letter words. A failed transaction has none.
func lastOp(op wire.Op, code zoo.Code) string {
	switch op {
	case wire.OpDeleteContainer:
		return "NA"
	case wire.OpSetWatches2:
		return "STW2"
	}
	kind := server.OpOf(op)
	switch kind {
	case event.Create, event.Delete, event.Set, event.SetACL, event.Multi, event.CloseSession:
		if code != zoo.OK {
			return "NA"
		}
	}
	return cmp.Or(shortNames[kind], "NA")
}

var shortNames = map[event.Op]string{
	event.Create: "CREA", event.Delete: "DELE", event.Set: "SETD", event.SetACL: "SETA", event.Multi: "MULT",
	event.CloseSession: "CLOS", event.Exists: "EXIS", event.Get: "GETD", event.GetACL: "GETA", event.Children: "GETC",
	event.Ephemerals: "GETE", event.AllChildren: "GETACN", event.MultiRead: "MLTR", event.Sync: "SYNC",
	event.Ping: "PING", event.WhoAmI: "HOMI", event.AddWatch: "ADDW", event.SetWatches: "SETW",
	event.CheckWatches: "CHKW", event.RemoveWatches: "REMW",
}
