package tap

import (
	"maps"
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
	ops     map[event.Op]*opCounts
	recent  times // since the last call of Recent
	total   row
	paths   table[string]
	clients table[int64]
	changes changes
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
	c.recent.add(took)
}

// figures returns the counts so far.
func (c *counts) figures() Figures {
	f := c.Figures
	f.Latency = c.total.all.times.latency()
	for _, op := range slices.Sorted(maps.Keys(c.ops)) {
		o := c.ops[op]
		f.Ops = append(f.Ops, OpFigures{Op: op, Requests: o.requests, Errors: o.errors, Latency: o.times.latency()})
	}
	slices.SortStableFunc(f.Ops, func(a, b OpFigures) int { return b.Requests - a.Requests })
	return f
}
