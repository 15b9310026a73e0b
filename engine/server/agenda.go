package server

import "time"

// agenda is which session to look at when, earliest first and, at one time, first planned first. Sessions are
// touched far more often than they expire, so a deadline that was put off is found out only when it comes.
type agenda struct {
	heap  []look
	count uint64
}

type look struct {
	at      time.Duration
	order   uint64
	session int64
}

func (l look) before(m look) bool { return l.at < m.at || l.at == m.at && l.order < m.order }

func (g *agenda) add(at time.Duration, session int64) {
	g.count++
	g.heap = append(g.heap, look{at, g.count, session})
	for i := len(g.heap) - 1; i > 0; {
		parent := (i - 1) / 2
		if !g.heap[i].before(g.heap[parent]) {
			break
		}
		g.heap[i], g.heap[parent] = g.heap[parent], g.heap[i]
		i = parent
	}
}

func (g *agenda) first() (at time.Duration, session int64, ok bool) {
	if len(g.heap) == 0 {
		return 0, 0, false
	}
	return g.heap[0].at, g.heap[0].session, true
}

// drop takes the first out.
func (g *agenda) drop() {
	last := len(g.heap) - 1
	g.heap[0] = g.heap[last]
	g.heap = g.heap[:last]
	for i := 0; ; {
		least := i
		for _, kid := range [...]int{2*i + 1, 2*i + 2} {
			if kid < last && g.heap[kid].before(g.heap[least]) {
				least = kid
			}
		}
		if least == i {
			return
		}
		g.heap[i], g.heap[least] = g.heap[least], g.heap[i]
		i = least
	}
}
