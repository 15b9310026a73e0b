package embed

// hosts counts the connections from each address.
type hosts struct {
	most  int // per address; 0 for no limit
	count map[string]int
}

// enter counts one more connection of that host. It reports false if there is no room.
func (h *hosts) enter(host string) bool {
	if h.most > 0 && h.count[host] >= h.most {
		return false
	}
	h.count[host]++
	return true
}

func (h *hosts) leave(host string) {
	if h.count[host]--; h.count[host] <= 0 {
		delete(h.count, host)
	}
}
