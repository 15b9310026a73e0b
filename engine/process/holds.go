package process

import "github.com/zkviz/zkviz/engine/program"

// Holds counts how often a client has been inside, as it believes: what a fault's Hold is about.
type Holds struct {
	count  int
	inside bool
}

// Phase takes in what the client believes, and returns which hold has just begun, 0 for none.
func (h *Holds) Phase(p program.Phase) int {
	was := h.inside
	if h.inside = p.Inside(); was || !h.inside {
		return 0
	}
	h.count++
	return h.count
}

// During reports whether the client is inside for the nth time; any time is good for 0.
func (h *Holds) During(n int) bool { return n == 0 || h.inside && h.count == n }
