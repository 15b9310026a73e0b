package sim

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/zookeeper/server"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
	"github.com/zkviz/zkviz/engine/zookeeper/zab"
)

// standalone runs a simulated server: it hands over messages in order of arrival, which is the order of the zxids, and
// tells the time. engine/zookeeper/server decides what the server does about them.
type standalone struct {
	w        *world
	core     *server.Server
	conns    []*conn // every connection ever made
	ping     wire.Request
	nextTick time.Duration // when the next check of deadlines is planned, 0 if none is
	down     bool
	upAt     time.Duration // when it starts again, while it is down
	ahead    time.Duration // how far its clock is ahead of the run's
}

// firstSession is short, so that names which contain a session stay readable.
const firstSession = 0x10001

func newStandalone(w *world) *standalone {
	return &standalone{
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

func (h *standalone) createParents(parents []string) {
	for _, path := range parents {
		h.core.Make(path, 0, 0)
		h.core.CountFrom(path, h.w.cfg.FirstNumber)
	}
}

func (h *standalone) whenReady(do func())         { do() }
func (h *standalone) pause(*client) time.Duration { return 0 }
func (h *standalone) slack() time.Duration        { return 0 }
func (h *standalone) step(*action)                {}
func (h *standalone) checkSessions(zab.ID)        {}
func (h *standalone) linkHealed(*client, zab.ID)  {}
func (h *standalone) sessions() int               { return h.core.NumSessions() }
func (h *standalone) quiet() bool                 { return true }
func (h *standalone) healthy() bool               { return !h.down }

// inject sets the server's clock: nothing else can happen to a single server, apart from a restart.
func (h *standalone) inject(f fault.Fault) {
	cause := h.w.emit(event.Event{Kind: event.FaultInjected, Text: f.String()})
	if d := h.w.settable(f.For, h.ahead); d != 0 {
		h.ahead += d
		h.core.SetClock(h.ahead.Milliseconds())
		h.w.emit(event.Event{Kind: event.ClockJumped, N: int64(d), Cause: cause})
	}
}

func (h *standalone) lost(k *conn, cause event.Seq) { k.core.Lost(h.w.now, cause) }

func (h *standalone) expire(session int64, cause event.Seq) { h.core.Expire(session, h.w.now, cause) }

// connect creates the server's side of the client's new connection.
func (h *standalone) connect(c *client) *conn {
	k := &conn{client: c, heard: h.w.now}
	k.core = h.core.Connect(k, server.From{Actor: c.id})
	h.conns = append(h.conns, k)
	return k
}

func (h *standalone) receive(a *action) {
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
		k.core.Greet(&k.hello, h.w.now, h.received(k, event.Connect, a.cause))
	case stepPing:
		k.core.Handle(&h.ping, h.w.now, h.received(k, event.Ping, a.cause))
	case stepRequest:
		cause := a.cause
		if a.req.Op == event.SetWatches {
			cause = h.received(k, a.req.Op, cause)
		}
		k.serving = a.req
		k.core.Handle(&a.req.Ask, h.w.now, cause)
	}
	h.planTick()
}

func (h *standalone) received(k *conn, op event.Op, cause event.Seq) event.Seq {
	return h.w.emit(event.Event{Kind: event.MsgReceived, Peer: k.client.id, Op: op, Cause: cause})
}

// planTick schedules the server's next check of its deadlines.
func (h *standalone) planTick() {
	if at, ok := h.core.NextTick(); ok && (h.nextTick == 0 || at < h.nextTick) {
		h.nextTick = at
		h.w.agenda.Add(at, action{step: stepTick})
	}
}

func (h *standalone) tick() {
	h.nextTick = 0
	if h.down {
		h.nextTick = h.upAt
		h.w.agenda.Add(h.upAt, action{step: stepTick})
		return
	}
	h.core.Tick(h.w.now)
	h.planTick()
}
