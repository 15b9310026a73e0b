package embed

import "time"

// tally is what is counted of one connection, and of all together. It is under the server's lock.
type tally struct {
	received               int64 // frames and four-letter words
	sent                   int64
	figures[time.Duration] // latencies of requests, from arrival to answer
}

// figures are those of something that was measured several times.
type figures[T ~int64] struct {
	count                  int64
	sum, least, most, last T
}

// add counts one more.
func (f *figures[T]) add(n T) {
	if f.count == 0 || n < f.least {
		f.least = n
	}
	f.most, f.last = max(f.most, n), n
	f.sum += n
	f.count++
}

// average is that of the latencies, in milliseconds.
func (t *tally) average() float64 {
	if t.count == 0 {
		return 0
	}
	return float64(t.sum) / float64(t.count) / float64(time.Millisecond)
}
