package sim

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zookeeper/replica"
	"github.com/zkviz/zkviz/engine/zookeeper/server"
)

// How clients connect to an ensemble's servers, like Apache's Java client: each has the list in its own random
// order, tries one after the other, and rests for up to a second before it tries again.
const maxRest = time.Second

// connect opens a connection to the next server of the client's list.
func (h *servers) connect(c *client) *conn {
	if c.session.servers == nil {
		for _, s := range h.cluster.Servers() {
			c.session.servers = append(c.session.servers, s.ID())
		}
		h.w.chance.Shuffle(len(c.session.servers), func(i, j int) {
			c.session.servers[i], c.session.servers[j] = c.session.servers[j], c.session.servers[i]
		})
	}
	id := c.session.servers[c.session.tried%len(c.session.servers)]
	c.session.tried++
	return &conn{client: c, heard: h.w.now, server: id}
}

// pause returns how long a client rests before it tries the next server: not before the first.
func (h *servers) pause(c *client) time.Duration {
	if c.session.tried == 0 {
		return 0
	}
	return time.Duration(h.w.chance.Int64N(int64(maxRest)))
}

// slack returns extra time for a new session, on which a quorum must agree.
func (h *servers) slack() time.Duration {
	return 8*(h.w.cfg.Latency+h.w.cfg.Jitter) + 10*time.Millisecond
}

// receive takes a client's message to a server.
func (h *servers) receive(a *action) {
	k := a.conn
	if k.lost(&k.up, a, k.client.id, event.ZooKeeper) {
		return
	}
	s := h.cluster.Server(k.server)
	if !s.Up() {
		h.refuse(k, a)
		return
	}
	life, held := k.replica, *a // a server that is paused takes it later
	s.Hold(func() {
		r := h.group.Replica(k.server)
		if life != nil && life != r {
			h.refuse(k, &held) // another process by now
			return
		}
		h.handle(r, &held)
	})
}

// refuse answers for a machine on which no process listens, or another one by now.
func (h *servers) refuse(k *conn, a *action) {
	if a.step == stepGone {
		return
	}
	h.w.emit(event.Event{Kind: event.MsgDropped, Actor: k.client.id, Op: a.op(), Cause: a.cause})
	k.sendHangUp(k.client.network.flight(), a.cause)
}

// handle handles a message to a process that can take it.
func (h *servers) handle(r *replica.Replica, a *action) {
	k := a.conn
	if k.core == nil && (a.step != stepHello || !r.Server().Serves()) || k.core != nil && k.core.Closed() {
		h.refuse(k, a)
		return
	}
	heard := func(op event.Op) event.Seq {
		return h.w.emit(event.Event{Kind: event.MsgReceived, Peer: k.client.id, Op: op, Cause: a.cause})
	}
	switch a.step {
	case stepGone:
		k.core.Lost(h.w.now, a.cause)
	case stepHello:
		k.replica, k.core = r, r.Core.Connect(k, server.From{Actor: k.client.id})
		h.conns[r.ID] = append(h.conns[r.ID], k)
		k.core.Greet(&k.hello, h.w.now, heard(event.Connect))
	case stepPing:
		k.core.Handle(&h.ping, h.w.now, heard(event.Ping))
	case stepRequest:
		cause := a.cause
		if a.req.Op == event.SetWatches {
			cause = heard(a.req.Op)
		}
		k.waiting = append(k.waiting, a.req)
		k.core.Handle(&a.req.Ask, h.w.now, cause)
	}
	r.Plan()
}
