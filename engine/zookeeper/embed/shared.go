package embed

import (
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event/window"
)

// shared holds what the servers of an ensemble have in common. A single server has its own.
type shared struct {
	start time.Time

	// One lock protects everything that a client can change. It is held while a request is carried out, and never
	// during network or disk access.
	mu           sync.Mutex
	now          time.Duration // since start; it never decreases
	current      *conn         // the connection whose request is being carried out
	touched      []*conn       // other connections with new data to write, or to be closed
	observations observations
	visitors     window.Visitors
	ensemble     *Ensemble // nil for a single server
}

// since returns the time on the server's clock, which never goes back.
func (h *shared) since() time.Duration {
	h.now = max(h.now, time.Since(h.start))
	return h.now
}

// take moves the connections to nudge to the end of list.
func (h *shared) take(list []*conn) []*conn {
	if len(h.touched) == 0 {
		return list
	}
	for _, c := range h.touched {
		c.queued = false
	}
	list = append(list, h.touched...)
	clear(h.touched)
	h.touched = h.touched[:0]
	return list
}
