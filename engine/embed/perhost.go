package embed

// hosts counts the connections from each address.
type hosts struct {
	most  int // of one address; 0: any number
	count map[string]int
}

// enter reports whether there is room for one more from there.
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
