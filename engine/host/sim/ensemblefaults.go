package sim

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/zookeeper/zab"
)

// stop takes all servers down for d.
func (h *servers) stop(d time.Duration, cause event.Seq) {
	for _, s := range h.cluster.Servers() {
		h.cluster.Crash(s.ID(), d, cause)
	}
}

func (h *servers) start() {}

// inject carries out a fault on servers.
func (h *servers) inject(f fault.Fault) {
	cause := h.w.emit(h.cluster.Injected(f))
	switch f.Kind {
	case fault.CutServer:
		h.cut(h.w.clients[f.Client-1], zab.ID(f.Server), f.For, cause)
	case fault.SetClock:
		for _, s := range h.cluster.Servers() {
			h.setClock(s.ID(), f.For, cause)
		}
	case fault.SetOneClock:
		h.setClock(zab.ID(f.Server), f.For, cause)
	default:
		h.cluster.Inject(f, cause)
	}
}

// lost ends a broken connection at its server, once that can act.
func (h *servers) lost(k *conn, cause event.Seq) {
	h.cluster.Server(k.server).Hold(func() { k.core.Lost(h.w.now, cause) })
}

// setClock sets the clock of a server's machine, which goes on while the server is down.
func (h *servers) setClock(id zab.ID, d time.Duration, cause event.Seq) {
	if d = h.w.settable(d, h.ahead[id]); d == 0 {
		return
	}
	h.ahead[id] += d
	if s := h.cluster.Server(id); s.Up() {
		h.group.Replica(id).Core.SetClock(h.ahead[id].Milliseconds())
	}
	h.w.emit(event.Event{Kind: event.ClockJumped, Actor: event.Server(int(id)), N: int64(d), Cause: cause})
}

// cut blocks all messages between a client and a server for d.
func (h *servers) cut(c *client, id zab.ID, d time.Duration, cause event.Seq) {
	h.w.emit(event.Event{Kind: event.LinkCut, Actor: event.Server(int(id)), Peer: c.id, Cause: cause})
	if c.network.cutFrom == nil {
		c.network.cutFrom = make(map[zab.ID]int)
	}
	c.network.cutFrom[id]++
	h.w.agenda.Add(h.w.now+d, action{step: stepLinkHealed, client: c, n: int64(id)})
}

// linkHealed ends such a cut.
func (h *servers) linkHealed(c *client, id zab.ID) {
	if c.network.cutFrom[id]--; c.network.cutFrom[id] == 0 {
		h.w.emit(event.Event{Kind: event.LinkHealed, Actor: event.Server(int(id)), Peer: c.id})
	}
}
