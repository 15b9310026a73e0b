package scene

import (
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
)

// setting is what every part of a picture is planned from: the state at a moment, how to draw it, and the sizes that
// follow. It writes texts and records marks.
type setting struct {
	writer
	s    *view.State
	at   time.Duration
	o    Options
	m    metrics
	kind kind
	// visitors reports whether any program may be a client, and only contenders report their beliefs. observed reports
	// whether no recipe runs and clients are known only as owners of ephemeral znodes.
	visitors, observed bool
	queueOf            string // parent of the queue's znodes
	marks              []Mark
	moving             bool // the same state would look different later
}

func (g *setting) begin(s *view.State, at time.Duration, o Options) {
	g.o, g.s, g.words = o, s, o.Words
	g.marks, g.moving = g.marks[:0], false
	if o.Still {
		at = s.At
	} else if s.Ended {
		at = min(at, s.At+view.Keep)
	}
	g.at = max(at, s.At)
	s.Order()
	g.decide()
}

// resize returns s with n zero elements. It reuses the memory if there is enough.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/4)
	}
	s = s[:n]
	clear(s)
	return s
}

// added appends a zero element to a list and returns it.
func added[T any](to *[]T) *T {
	var zero T
	*to = append(*to, zero)
	return &(*to)[len(*to)-1]
}
