package tap

import (
	"maps"
	"math/bits"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// Figures holds counts since the tap began.
type Figures struct {
	Connections, Open int
	TurnedAway        int // clients refused: too many, or no server in reach
	Sessions          int // sessions that have had a connection
	Reconnected       int // how often a session got another connection
	Moved             int // how many of these were to another server
	Expired, Closed   int // sessions
	Requests          int // requests with an answer
	Errors            int // how many of these answers were errors
	WatchesSet        int
	Wakeups           int // watch events
	Pings             int
	Gaps              int
	MissedBytes       int
	Unseen            int // connections that are not decoded, or no longer

	Ops     []OpFigures // most frequent first
	Latency Latency     // of all requests
}

// OpFigures holds the figures of one operation.
type OpFigures struct {
	Op       event.Op
	Requests int
	Errors   int
	Latency  Latency
}

// Latency says how long answers took. Percentiles are at most a sixteenth too high.
type Latency struct{ P50, P99, Max time.Duration }

// counts accumulates Figures.
type counts struct {
	Figures
	ops    map[event.Op]*opCounts
	all    times
	recent times // since the last call of Recent
}

type opCounts struct {
	requests, errors int
	times            times
}

// answered counts the answer to a request.
func (c *counts) answered(op event.Op, failed bool, took time.Duration) {
	if c.ops == nil {
		c.ops = map[event.Op]*opCounts{}
	}
	o := c.ops[op]
	if o == nil {
		o = new(opCounts)
		c.ops[op] = o
	}
	o.requests++
	c.Requests++
	if failed {
		o.errors++
		c.Errors++
	}
	o.times.add(took)
	c.all.add(took)
	c.recent.add(took)
}

// figures returns the counts so far.
func (c *counts) figures() Figures {
	f := c.Figures
	f.Latency = c.all.latency()
	for _, op := range slices.Sorted(maps.Keys(c.ops)) {
		o := c.ops[op]
		f.Ops = append(f.Ops, OpFigures{Op: op, Requests: o.requests, Errors: o.errors, Latency: o.times.latency()})
	}
	slices.SortStableFunc(f.Ops, func(a, b OpFigures) int { return b.Requests - a.Requests })
	return f
}

// times is a histogram of durations, with sixteen steps for each doubling of microseconds.
type times struct {
	of  [64 * steps]int
	n   int
	max time.Duration
}

const steps = 16

func (t *times) add(d time.Duration) {
	t.of[stepOf(d)]++
	t.n++
	t.max = max(t.max, d)
}

// stepOf returns the step of a duration.
func stepOf(d time.Duration) int {
	us := uint64(max(d.Microseconds(), 0))
	if us < 2*steps {
		return int(us)
	}
	shift := bits.Len64(us) - 5
	return shift*steps + int(us>>shift)
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
		if rest -= n; n > 0 && rest <= 0 {
			return min(upTo(step), t.max)
		}
	}
	return t.max
}
