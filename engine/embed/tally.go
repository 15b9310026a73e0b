package embed

import "time"

// tally is what is counted of one connection, and of all together. It is under the server's lock.
type tally struct {
	received int64 // frames and four-letter words
	sent     int64
	answered int64         // requests whose latency was measured
	total    time.Duration // of latencies
	least    time.Duration
	most     time.Duration
	last     time.Duration
}

// took counts a request by the time from its arrival to its answer.
func (t *tally) took(d time.Duration) {
	if t.answered == 0 || d < t.least {
		t.least = d
	}
	t.most = max(t.most, d)
	t.last = d
	t.total += d
	t.answered++
}

// average is in milliseconds.
func (t *tally) average() float64 {
	if t.answered == 0 {
		return 0
	}
	return float64(t.total) / float64(t.answered) / float64(time.Millisecond)
}
