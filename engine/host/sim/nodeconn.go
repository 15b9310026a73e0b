package sim

import (
	"slices"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/process"
	"github.com/zkviz/zkviz/engine/stores/remote"
)

// nodeConn is one TCP connection to a node: messages in one direction arrive in order or, once something was lost,
// not at all.
type nodeConn struct {
	client     *client
	owner      *nodeClient
	node       *node
	session    remote.Session
	unanswered []*nodeMessage // those without a reply yet, oldest first
	up, down   direction
	itself     nodeMessage // a step of the connection itself
	open       bool        // the process considers it open
	abandoned  bool        // the process has given it up
	closed     bool        // the node knows of its end
}

// received takes a node's message to the process.
func (k *nodeConn) received(a *action) {
	l, c := k.owner, k.client
	if a.step == stepNodeHungUp {
		switch {
		case k.abandoned:
		case k.cut():
			k.down.broken = true // it will find out
		default:
			l.lose(event.ConnHungUp, a.cause)
		}
		return
	}
	if k.lost(&k.down, a) || k.abandoned {
		if a.step == stepNodePush {
			c.state.Inbound--
			c.update()
		}
		return
	}
	switch a.step {
	case stepNodeWelcome:
		k.open = true
		l.opened++
		c.silenced = 0
		c.emit(event.Event{Kind: event.ConnOpened, Peer: k.node.id, Cause: a.cause})
		if l.pending != nil {
			l.send()
		}
	case stepNodeReply:
		x := a.message
		if l.pending != x {
			return
		}
		l.pending, l.reply = nil, x.reply
		e := event.Event{Kind: event.OpDone, Peer: k.node.id, Op: event.Command, Path: x.req.Path, Text: x.reply.Text,
			Cause: a.cause}
		if x.reply.Failed {
			e.Code = 1
		}
		c.emit(e)
		c.wake()
	case stepNodePush:
		c.state.Inbound--
		p := *a.message.push
		c.emit(event.Event{Kind: event.PushDelivered, Peer: k.node.id, Path: p.Path, Text: p.Text, Cause: a.cause})
		l.pushes = append(l.pushes, p)
		if l.awaiting && c.state.For == process.ForWatch {
			c.wake()
			return
		}
		c.update()
	}
}

// cut reports whether nothing gets through at present.
func (k *nodeConn) cut() bool { return k.client.network.cuts > 0 }

// sendUp sends a message to the node. Its event records how long it takes.
func (k *nodeConn) sendUp(a action, e event.Event) event.Seq {
	w := k.client.w
	k.up.broken = k.up.broken || k.cut()
	at := k.up.arrival(w.now, k.client.network.flight())
	e.Actor, e.Peer, e.N = k.client.id, k.node.id, int64(at-w.now)
	if e.Cause == 0 {
		e.Cause = k.client.cause
	}
	a.cause = w.emit(e)
	w.ship(&k.up, a, w.name(e))
	return a.cause
}

// sendDown sends a message to the process.
func (k *nodeConn) sendDown(a action, e event.Event) {
	w := k.client.w
	k.down.broken = k.down.broken || k.cut()
	at := k.down.arrival(w.now, k.client.network.flight())
	e.Actor, e.Peer, e.N = k.node.id, k.client.id, int64(at-w.now)
	a.cause, a.client = w.emit(e), k.client
	w.ship(&k.down, a, w.name(e))
}

// sendEnd sends the end of the connection to the node, which may not have welcomed it yet.
func (k *nodeConn) sendEnd(cause event.Seq) {
	w := k.client.w
	k.up.broken = k.up.broken || k.cut()
	k.up.arrival(w.now, k.client.network.flight())
	w.endsInFlight++
	w.ship(&k.up, action{step: stepNodeGone, message: &k.itself, cause: cause}, fault.Message{})
}

// sendHangUp sends the end of the connection to the process.
func (k *nodeConn) sendHangUp(cause event.Seq) {
	w := k.client.w
	k.down.arrival(w.now, k.client.network.flight())
	w.ship(&k.down, action{step: stepNodeHungUp, client: k.client, message: &k.itself, cause: cause}, fault.Message{})
}

// lost reports whether a message that is due now was lost, and logs that.
func (k *nodeConn) lost(d *direction, a *action) bool {
	if k.cut() {
		d.broken = true
	}
	if !d.broken {
		return false
	}
	if a.step == stepNodeGone {
		return true
	}
	from, to := k.client.id, k.node.id
	if d == &k.down {
		from, to = to, from
	}
	k.client.w.emit(event.Event{Kind: event.MsgDropped, Actor: from, Peer: to, Op: a.op(), Cause: a.cause})
	return true
}

// Reply implements remote.Link. A fault may lose the reply, and with it the connection.
func (k *nodeConn) Reply(r remote.Reply, waited bool, cause event.Seq) {
	x := k.unanswered[0]
	k.unanswered = slices.Delete(k.unanswered, 0, 1)
	x.reply, x.waited = r, waited
	e := event.Event{Kind: event.MsgSent, Op: event.Command, Path: x.req.Path, Text: r.Text, Cause: cause}
	if r.Failed {
		e.Code = 1
	}
	k.sendDown(action{step: stepNodeReply, message: x}, e)
	if c := k.client; c.network.dropNext {
		c.network.dropNext = false
		k.down.broken = true
		k.end(cause)
		k.sendHangUp(cause)
	}
}

// Push implements remote.Link.
func (k *nodeConn) Push(p remote.Push, cause event.Seq) {
	k.client.state.Inbound++
	k.client.update()
	k.sendDown(action{step: stepNodePush, message: &nodeMessage{conn: k, push: &p}},
		event.Event{Kind: event.PushSent, Op: event.Command, Path: p.Path, Text: p.Text, Cause: cause})
}

// Close implements remote.Link.
func (k *nodeConn) Close(_ event.Reason, cause event.Seq) {
	k.closed = true
	k.sendHangUp(cause)
}
