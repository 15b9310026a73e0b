package embed

import (
	"slices"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zookeeper/server"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
	"github.com/zkviz/zkviz/engine/zookeeper/zkclient"
)

// observations distributes events to the active observations. The server's lock guards it. Without observations it does
// nothing, and the server core creates no events either.
type observations struct {
	active []*observation
	last   event.Seq // number of the last event; it wraps after 2^32, when no later event refers that far back
}

// begin starts reporting, for the first observation.
func (t *observations) begin(of source) error {
	if len(t.active) > 0 {
		return nil
	}
	return of.listen(t.emit)
}

func (t *observations) remove(o *observation) {
	t.active = slices.DeleteFunc(t.active, func(x *observation) bool { return x == o })
	if len(t.active) == 0 && !o.of.over() {
		_ = o.of.listen(nil) // this cannot fail
	}
}

// emit numbers an event and hands it to the observations. Its actors have the server's numbers.
func (t *observations) emit(e event.Event) event.Seq {
	if len(t.active) == 0 {
		return 0
	}
	if t.last++; t.last == 0 {
		t.last++
	}
	for _, o := range t.active {
		o.Take(t.last, e)
	}
	return t.last
}

// of emits an event of a connection's client. It does nothing for a client without a session.
func (t *observations) of(c *conn, e event.Event) event.Seq {
	if e.Actor = c.core.Actor(); e.Actor == event.ZooKeeper {
		return 0
	}
	return t.emit(e)
}

// to emits an event of the server that concerns a connection's client.
func (t *observations) to(c *conn, e event.Event) event.Seq {
	if e.Peer = c.core.Actor(); e.Peer == event.ZooKeeper {
		return 0
	}
	return t.emit(e)
}

// sent reports the arrival of a request. The returned event is the cause of what the request does.
func (t *observations) sent(c *conn, q *wire.Request) event.Seq {
	if len(t.active) == 0 {
		return 0
	}
	op := server.OpOf(q.Op)
	switch op {
	case event.NoOp:
		return 0
	case event.Ping:
		asked := t.of(c, event.Event{Kind: event.MsgSent, Op: op})
		return t.to(c, event.Event{Kind: event.MsgReceived, Op: op, Cause: asked})
	}
	e := event.Event{Kind: event.OpSent, Op: op, Path: q.FirstPath(), Mode: modeOf(q)}
	return t.of(c, zkclient.Asks(e, q))
}

func (t *observations) replied(c *conn, to *wire.Request, r *wire.Response, cause event.Seq) {
	if len(t.active) == 0 {
		return
	}
	op := server.OpOf(to.Op)
	if op == event.NoOp || op == event.Ping {
		return
	}
	e := event.Event{Op: op, Path: to.FirstPath(), Code: int32(r.Code), Cause: cause}
	e.Kind = event.MsgSent
	e.Cause = t.to(c, e)
	e.Kind, e.Zxid = event.OpDone, r.Zxid
	if r.Path != "" {
		e.Path = r.Path
	}
	t.of(c, e)
}

func (t *observations) notified(c *conn, n wire.Notification, watch event.Watch, cause event.Seq) {
	fired := t.to(c, event.Event{Kind: event.WatchFired, Path: n.Path, Watch: watch, Type: uint8(n.Type), Cause: cause})
	t.of(c, event.Event{Kind: event.WatchDelivered, Path: n.Path, Type: uint8(n.Type), Cause: fired})
}

// welcomed reports that a client has a session, new or resumed.
func (t *observations) welcomed(c *conn, r *wire.ConnectResponse, cause event.Seq) {
	if r.Session != 0 {
		t.of(c, event.Event{Kind: event.ConnOpened, Peer: c.s.actor(), Session: r.Session, N: int64(r.TimeoutMS) * 1e6,
			Cause: cause})
	}
}

// closed reports that the server closes the connection. lost reports that it broke or that the client closed it.
func (t *observations) closed(c *conn, why event.Reason, cause event.Seq) {
	t.of(c, event.Event{Kind: event.ConnClosed, Reason: why, Cause: cause})
}

func (t *observations) lost(c *conn) event.Seq {
	if c.why != event.NoReason { // already reported
		return 0
	}
	return t.of(c, event.Event{Kind: event.ConnClosed, Reason: event.ConnLost})
}

// end ends every observation when the server closes.
func (t *observations) end() {
	for _, o := range t.active {
		o.Over()
	}
}

func modeOf(q *wire.Request) uint8 {
	switch q.Op {
	case wire.OpCreate, wire.OpCreate2, wire.OpCreateContainer, wire.OpCreateTTL:
		return uint8(q.Flags)
	}
	return 0
}
