package process

import "github.com/zkviz/zkviz/engine/event/program"

// Holds counts a client's times inside, as it believes. A fault's Hold refers to them.
type Holds struct {
	count  int
	inside bool
}

// Phase updates the count and returns the number of the hold that has just begun, or 0.
func (h *Holds) Phase(p program.Phase) int {
	was := h.inside
	if h.inside = p.Inside(); was || !h.inside {
		return 0
	}
	h.count++
	return h.count
}

// During reports whether the client is inside for the nth time. For 0 it always returns true.
func (h *Holds) During(n int) bool { return n == 0 || h.inside && h.count == n }
