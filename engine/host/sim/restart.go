package sim

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// stop takes the server down for d. What it committed stays; its connections and their watches go.
func (h *standalone) stop(d time.Duration, cause event.Seq) {
	upAt := h.w.now + d
	if h.down {
		h.upAt = max(h.upAt, upAt)
		h.w.agenda.Add(upAt, action{step: stepServerUp})
		return
	}
	h.down, h.upAt = true, upAt
	cause = h.w.emit(event.Event{Kind: event.ServerStopped, Cause: cause})
	for _, k := range h.conns {
		if !k.core.Closed() {
			k.core.Lost(h.w.now, cause)
			k.sendHangUp(k.client.network.flight(), cause)
		}
	}
	h.w.agenda.Add(upAt, action{step: stepServerUp})
}

// start brings the server up. Every session gets its full timeout again.
func (h *standalone) start() {
	if !h.down || h.w.now < h.upAt {
		return
	}
	h.down = false
	h.w.emit(event.Event{Kind: event.ServerStarted})
	h.core.Renew(h.w.now)
}
