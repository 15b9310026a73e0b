package sim

import (
	"time"

	"github.com/zkviz/zkviz/engine/ensemble"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/fault"
	"github.com/zkviz/zkviz/engine/zab"
)

// stop takes all servers down for d.
func (h *servers) stop(d time.Duration, cause event.Seq) {
	for i := range h.cluster.Size() {
		h.cluster.Crash(zab.ID(i+1), d, cause)
	}
}

func (h *servers) startAgain() {}

// inject carries out a fault on servers.
func (h *servers) inject(f fault.Fault, cause event.Seq) {
	id, c := zab.ID(f.Server), h.cluster
	switch f.Kind {
	case fault.CrashServer:
		c.Crash(id, 0, cause)
	case fault.RestartServer:
		c.Crash(id, f.For, cause)
	case fault.PauseServer:
		c.Pause(id, f.For, cause)
	case fault.PowerLoss:
		c.LosePower(id, f.For, cause)
	case fault.SlowDisk:
		c.SlowDisk(id, f.For)
	case fault.Partition:
		c.Partition(ensemble.Sides{A: zab.Set(f.A), B: zab.Set(f.B)}, f.For, cause)
	case fault.CutServer:
		h.cut(h.w.clients[f.Client-1], id, f.For, cause)
	}
}

// cut lets nothing through between a client and a server for d.
func (h *servers) cut(c *client, id zab.ID, d time.Duration, cause event.Seq) {
	h.w.emit(event.Event{Kind: event.LinkCut, Actor: event.Server(int(id)), Peer: c.id, Cause: cause})
	if c.cutFrom == nil {
		c.cutFrom = make(map[zab.ID]int)
	}
	c.cutFrom[id]++
	h.w.agenda.Add(h.w.now+d, action{step: stepMend, client: c, n: int64(id)})
}

// mended is the end of that.
func (h *servers) mended(c *client, id zab.ID) {
	if c.cutFrom[id]--; c.cutFrom[id] == 0 {
		h.w.emit(event.Event{Kind: event.LinkHealed, Actor: event.Server(int(id)), Peer: c.id})
	}
}
