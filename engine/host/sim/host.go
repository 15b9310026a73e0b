package sim

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/zookeeper/server"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
	"github.com/zkviz/zkviz/engine/zookeeper/zab"
)

// host runs the simulated ZooKeeper: it hands over messages in order of arrival, which is the order of the zxids,
// and tells the time. engine/zookeeper/server decides what the server does about them.
type host struct {
	w     *world
	core  *server.Server
	conns []*conn // every connection ever made
	ping  wire.Request
	tick  time.Duration // when the next check of deadlines is planned, 0 if none is
	down  bool
	upAt  time.Duration // when it starts again, while it is down
}

// firstSession is short, so that names which contain a session stay readable.
const firstSession = 0x10001

func newHost(w *world) *host {
	return &host{
		w: w,
		core: server.New(server.Config{
			Tick:         w.cfg.Tick,
			FirstSession: firstSession,
			Seed:         w.cfg.Seed,
			Emit:         w.emit,
			Silenced:     func(a event.Actor) event.Seq { return w.clients[a-1].silenced },
		}),
		ping: wire.Request{Xid: wire.XidPing, Op: wire.OpPing},
	}
}

func (h *host) begin(parents []string) {
	for _, path := range parents {
		h.core.Make(path, 0, 0)
	}
}

func (h *host) whenReady(do func())         { do() }
func (h *host) pause(*client) time.Duration { return 0 }
func (h *host) slack() time.Duration        { return 0 }
func (h *host) step(action)                 {}
func (h *host) look(zab.ID)                 {}
func (h *host) mended(*client, zab.ID)      {}
func (h *host) sessions() int               { return h.core.NumSessions() }
func (h *host) quiet() bool                 { return true }
func (h *host) well() bool                  { return !h.down }

func (h *host) inject(fault.Fault, event.Seq) {}

func (h *host) expire(session int64, cause event.Seq) { h.core.Expire(session, h.w.now, cause) }

// connect creates the server's side of the client's new connection.
func (h *host) connect(c *client) *conn {
	k := &conn{client: c, heard: h.w.now}
	k.core = h.core.Connect(k, server.From{Actor: c.id})
	h.conns = append(h.conns, k)
	return k
}

func (h *host) receive(a action) {
	k := a.conn
	if k.lost(&k.up, a, k.client.id, event.ZooKeeper) {
		return
	}
	if k.core.Closed() || h.down {
		h.w.emit(event.Event{Kind: event.MsgDropped, Actor: k.client.id, Op: a.op(), Cause: a.cause})
		return
	}
	switch a.step {
	case stepGone:
		k.core.Lost(h.w.now, a.cause)
	case stepHello:
		k.core.Greet(&k.hello, h.w.now, h.heard(k, event.Connect, a.cause))
	case stepPing:
		k.core.Handle(&h.ping, h.w.now, h.heard(k, event.Ping, a.cause))
	case stepRequest:
		cause := a.cause
		if a.req.Op == event.SetWatches {
			cause = h.heard(k, a.req.Op, cause)
		}
		k.serving = a.req
		k.core.Handle(&a.req.Ask, h.w.now, cause)
	}
	h.plan()
}

func (h *host) heard(k *conn, op event.Op, cause event.Seq) event.Seq {
	return h.w.emit(event.Event{Kind: event.MsgReceived, Peer: k.client.id, Op: op, Cause: cause})
}

// plan schedules the server's next check of its deadlines.
func (h *host) plan() {
	if at, ok := h.core.NextTick(); ok && (h.tick == 0 || at < h.tick) {
		h.tick = at
		h.w.agenda.Add(at, action{step: stepTick})
	}
}

func (h *host) ticks() {
	h.tick = 0
	if h.down {
		h.tick = h.upAt
		h.w.agenda.Add(h.upAt, action{step: stepTick})
		return
	}
	h.core.Tick(h.w.now)
	h.plan()
}
