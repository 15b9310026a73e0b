package sim

import (
	"bytes"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/server"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
	"github.com/zkviz/zkviz/engine/zookeeper/zkclient"
)

// A conn is the server's way back to its client.
var _ server.Link = (*conn)(nil)

// Welcome implements server.Link.
func (k *conn) Welcome(r *wire.ConnectResponse, cause event.Seq) {
	k.welcome = *r
	k.welcome.Password = bytes.Clone(r.Password)
	e := event.Event{Kind: event.MsgSent, Peer: k.client.id, Op: event.Connect, Cause: cause}
	if r.Session == 0 { // the reply's way to say so
		e.Code = int32(zoo.ErrSessionExpired)
	}
	k.sendDown(action{step: stepWelcome}, e)
}

// Reply implements server.Link. A fault may lose the reply, and with it the connection.
func (k *conn) Reply(to *wire.Request, r *wire.Response, cause event.Seq) {
	c := k.client
	if to.Op == wire.OpPing {
		k.sendDown(action{step: stepPong}, event.Event{Kind: event.MsgSent, Peer: c.id, Op: event.Ping, Cause: cause})
		return
	}
	q := k.requestOf(to)
	q.Take(r)
	k.sendDown(action{step: stepReply, req: q},
		event.Event{Kind: event.MsgSent, Peer: c.id, Op: q.Op, Path: to.Path, Code: int32(q.Code), Cause: cause})
	if c.network.dropNext {
		c.network.dropNext = false
		k.down.broken = true
		k.core.Lost(c.w.now, cause)
		k.sendHangUp(0, cause)
	}
}

// Notify implements server.Link.
func (k *conn) Notify(n wire.Notification, watch event.Watch, cause event.Seq) {
	k.client.state.Inbound++
	k.client.update()
	k.sendDown(action{step: stepNotify, typ: zoo.EventType(n.Type), path: n.Path},
		event.Event{Kind: event.WatchFired, Peer: k.client.id, Path: n.Path, Watch: watch, Type: uint8(n.Type), Cause: cause})
}

// Close implements server.Link. The client already knows about every other end.
func (k *conn) Close(why event.Reason, cause event.Seq) {
	if why == event.BySessionExpired || k.replica != nil && why != event.BySessionClosed {
		k.reason = why
		k.sendHangUp(k.client.w.flight(), cause)
	}
}

// requestOf finds the request that this answers. A standalone server answers at once; one of an ensemble may have
// more than one to answer.
func (k *conn) requestOf(to *wire.Request) *zkclient.Request {
	i := slices.IndexFunc(k.waiting, func(q *zkclient.Request) bool { return &q.Ask == to })
	if i < 0 {
		return k.serving
	}
	q := k.waiting[i]
	k.waiting = slices.Delete(k.waiting, i, i+1)
	return q
}

// sendHangUp sends the end of the connection on its way to the client.
func (k *conn) sendHangUp(flight time.Duration, cause event.Seq) {
	w := k.client.w
	k.down.arrival(w.now, flight)
	w.ship(&k.down, action{step: stepHungUp, client: k.client, conn: k, cause: cause}, fault.Message{})
}
