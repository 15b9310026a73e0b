package embed

import (
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/capture"
)

// shared is what the servers of an ensemble have in common. A server alone has it for itself.
type shared struct {
	start time.Time

	// One lock for everything that a client can change. It is held while a request is carried out, and never
	// while anything is read or written.
	mu       sync.Mutex
	now      time.Duration // since start, never less than before
	current  *conn         // whose request is being carried out
	touched  []*conn       // others that got something to write, or are to be closed
	tap      tap
	visitors capture.Visitors
	ensemble *Ensemble // nil of a server alone
}

// since is the time on the server's clock, which never goes back.
func (h *shared) since() time.Duration {
	h.now = max(h.now, time.Since(h.start))
	return h.now
}

// take gives away the connections that are to be nudged, behind those in list.
func (h *shared) take(list []*conn) []*conn {
	if len(h.touched) == 0 {
		return list
	}
	for _, c := range h.touched {
		c.marked = false
	}
	list = append(list, h.touched...)
	clear(h.touched)
	h.touched = h.touched[:0]
	return list
}
