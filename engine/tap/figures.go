package tap

import (
	"maps"
	"math/bits"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// Figures are what was counted since the tap began.
type Figures struct {
	Connections, Open int
	TurnedAway        int // too many clients, or no server in reach
	Sessions          int // that have got a connection
	Reconnected       int // times that one got another
	Moved             int // of these, to another server
	Expired, Closed   int // sessions
	Requests          int // that were answered
	Errors            int // of these, with an error
	WatchesSet        int
	Wakeups           int // watch events
	Pings             int
	Gaps              int
	MissedBytes       int
	Unseen            int // connections of which nothing, or no more, is understood

	Ops     []OpFigures // by their number, the most first
	Latency Latency     // of all requests
}

// OpFigures are those of one operation.
type OpFigures struct {
	Op       event.Op
	Requests int
	Errors   int
	Latency  Latency
}

// Latency is how long answers took. Percentiles are at most a sixteenth too high.
type Latency struct{ P50, P99, Max time.Duration }

// counts are figures in the making.
type counts struct {
	Figures
	ops    map[event.Op]*opCounts
	all    times
	recent times // since somebody asked
}

type opCounts struct {
	requests, errors int
	times            times
}

// answered counts a request's answer.
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

// figures returns what was counted so far.
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

// times is how often something took how long: sixteen steps for each doubling of microseconds.
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

// stepOf is the step that a time belongs to.
func stepOf(d time.Duration) int {
	us := uint64(max(d.Microseconds(), 0))
	if us < 2*steps {
		return int(us)
	}
	shift := bits.Len64(us) - 5
	return shift*steps + int(us>>shift)
}

// upTo is the longest time of a step.
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

// percentile is what so many of a hundred took at most.
func (t *times) percentile(p int) time.Duration {
	rest := (t.n*p + 99) / 100
	for step, n := range t.of {
		if rest -= n; n > 0 && rest <= 0 {
			return min(upTo(step), t.max)
		}
	}
	return t.max
}
