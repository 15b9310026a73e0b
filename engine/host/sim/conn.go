package sim

import (
	"time"

	"github.com/zkviz/zkviz/engine/base/fifo"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zookeeper/replica"
	"github.com/zkviz/zkviz/engine/zookeeper/server"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
	"github.com/zkviz/zkviz/engine/zookeeper/zab"
	"github.com/zkviz/zkviz/engine/zookeeper/zkclient"
)

// conn is one TCP connection: messages in one direction arrive in order or, once something was lost, not at all.
type conn struct {
	client  *client
	core    *server.Conn         // the server's side
	hello   wire.ConnectRequest  // it asks for a session
	welcome wire.ConnectResponse // on its way, or arrived
	serving *zkclient.Request    // which the server handles now
	waiting []*zkclient.Request  // which a server of an ensemble has not answered yet
	server  zab.ID               // the ensemble's server that it goes to; 0 without one
	replica *replica.Replica     // the process there, once it has received something

	up, down direction // to the server, to the client
	open     bool      // the client considers it open
	heard    time.Duration
	sent     time.Duration
	reason   event.Reason // why the server hung up, if it gave a reason
}

// cut reports whether nothing gets through at present.
func (k *conn) cut() bool { return k.client.network.isCut(k.server) }

// over reports whether the server has ended the connection.
func (k *conn) over() bool {
	return k.core != nil && k.core.Closed()
}

// peer returns the ensemble's server at the other end.
func (k *conn) peer() event.Actor {
	if k.server == 0 {
		return event.ZooKeeper
	}
	return event.Server(int(k.server))
}

type direction struct {
	order  fifo.Order
	broken bool
}

// arrival returns when a message that leaves now arrives: not before earlier ones.
func (d *direction) arrival(now, flight time.Duration) time.Duration {
	return d.order.Arrival(now + flight)
}

// sendUp sends a message to the server. Its event records how long it takes.
func (k *conn) sendUp(a action, e event.Event) event.Seq {
	w := k.client.w
	k.sent = w.now
	k.up.broken = k.up.broken || k.cut()
	at := k.up.arrival(w.now, k.client.network.flight())
	e.N = int64(at - w.now)
	a.cause = w.emit(e)
	a.conn, a.client = k, k.client
	w.ship(&k.up, a, w.name(e))
	return a.cause
}

// sendDown sends a message to the client.
func (k *conn) sendDown(a action, e event.Event) {
	w := k.client.w
	k.down.broken = k.down.broken || k.cut()
	at := k.down.arrival(w.now, k.client.network.flight())
	e.N = int64(at - w.now)
	a.cause = w.emit(e)
	a.conn, a.client = k, k.client
	w.ship(&k.down, a, w.name(e))
}

// lost reports whether a message that is due now was lost, and logs that.
func (k *conn) lost(d *direction, a *action, from, to event.Actor) bool {
	if k.cut() {
		d.broken = true
	}
	if !d.broken {
		return false
	}
	k.client.w.emit(event.Event{Kind: event.MsgDropped, Actor: from, Peer: to, Op: a.op(), Cause: a.cause})
	return true
}

func (a *action) op() event.Op {
	switch a.step {
	case stepRequest, stepReply:
		return a.req.Op
	case stepPing, stepPong:
		return event.Ping
	case stepHello, stepWelcome:
		return event.Connect
	case stepNodeHello, stepNodeWelcome:
		return event.Connect
	case stepNodeRequest, stepNodeReply, stepNodePush:
		return event.Command
	}
	return event.NoOp
}
