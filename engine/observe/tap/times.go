package tap

import (
	"math/bits"
	"time"
)

// times is a histogram of durations, with sixteen steps for each doubling of microseconds.
type times struct {
	of  [doublings * steps]uint32
	n   int
	max time.Duration
}

const (
	steps     = 16
	doublings = 32 // up to 38 hours
)

func (t *times) add(d time.Duration) {
	t.count(stepOf(d), 1)
	t.n++
	t.max = max(t.max, d)
}

// count adds n to a step. A step that is full stays so.
func (t *times) count(step int, n uint32) {
	if t.of[step] += n; t.of[step] < n {
		t.of[step] = ^uint32(0)
	}
}

// merge adds the durations of another histogram.
func (t *times) merge(more *times) {
	for step, n := range more.of {
		t.count(step, n)
	}
	t.n += more.n
	t.max = max(t.max, more.max)
}

// stepOf returns the step of a duration. Longer ones than the last step's belong to it.
func stepOf(d time.Duration) int {
	us := uint64(max(d.Microseconds(), 0))
	if us < 2*steps {
		return int(us)
	}
	shift := bits.Len64(us) - 5
	return min(shift*steps+int(us>>shift), doublings*steps-1)
}

// upTo returns the longest duration of a step.
func upTo(step int) time.Duration {
	if step < 2*steps {
		return time.Duration(step+1) * time.Microsecond
	}
	shift := step/steps - 1
	return time.Duration(step%steps+steps+1) << shift * time.Microsecond
}

func (t *times) latency() Latency {
	return Latency{P50: t.percentile(50), P99: t.percentile(99), Max: t.max}
}

// percentile returns a bound that p percent of the durations don't exceed.
func (t *times) percentile(p int) time.Duration {
	rest := (t.n*p + 99) / 100
	for step, n := range t.of {
		if rest -= int(n); n > 0 && rest <= 0 {
			if step == len(t.of)-1 {
				break
			}
			return min(upTo(step), t.max)
		}
	}
	return t.max
}
