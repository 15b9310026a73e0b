package embed

import "time"

// tally counts one connection's traffic, or that of all connections. The server's lock guards it.
type tally struct {
	received int64 // frames and four-letter words
	sent     int64
	latency  figures[time.Duration] // latencies of requests, from arrival to answer
}

// figures summarizes repeated measurements.
type figures[T ~int64] struct {
	count                  int64
	sum, least, most, last T
}

// add adds a measurement.
func (f *figures[T]) add(n T) {
	if f.count == 0 || n < f.least {
		f.least = n
	}
	f.most, f.last = max(f.most, n), n
	f.sum += n
	f.count++
}

// average returns the average latency in milliseconds.
func (t *tally) average() float64 {
	if t.latency.count == 0 {
		return 0
	}
	return float64(t.latency.sum) / float64(t.latency.count) / float64(time.Millisecond)
}
