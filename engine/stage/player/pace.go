package player

import (
	"sort"
	"strconv"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// longStep is the maximum wall time, at speed 1, to the next step.
const longStep = 3900 * time.Millisecond

// shortStep is the minimum: nobody could follow faster changes.
const shortStep = time.Second

// haste is how much faster a quiet span is played.
const haste = 12

// A span is quiet from settling after a visible event until notice before the next one, so that the first comes to rest
// and the second doesn't come as a surprise. Spans shorter than worthwhile don't count.
const (
	settling   = 700 * time.Millisecond
	notice     = 300 * time.Millisecond
	worthwhile = time.Second
)

// Span is a span of the run's time.
type Span struct{ From, To time.Duration }

// quiet finds the spans of a growing log in which only heartbeats pass.
type quiet struct {
	last  time.Duration // of visible events
	spans []Span
}

func (q *quiet) take(e event.Event) {
	if e.Op == event.Ping && (e.Kind == event.MsgSent || e.Kind == event.MsgReceived) {
		return
	}
	if s := (Span{q.last + settling, e.At - notice}); s.To-s.From >= worthwhile {
		q.spans = append(q.spans, s)
	}
	q.last = max(q.last, e.At)
}

// next returns the index of the first span that ends after at.
func (q *quiet) next(at time.Duration) int {
	return sort.Search(len(q.spans), func(i int) bool { return q.spans[i].To > at })
}

// at reports whether a time is within a quiet span.
func (q *quiet) at(at time.Duration) bool {
	i := q.next(at)
	return i < len(q.spans) && q.spans[i].From <= at
}

// after returns the position after playing for d from at, with quiet spans fast.
func (q *quiet) after(at, d time.Duration) time.Duration {
	for _, s := range q.spans[q.next(at):] {
		if slow := max(s.From-at, 0); d <= slow {
			break
		} else {
			at, d = at+slow, d-slow
		}
		fast := (s.To - at) / haste
		if d <= fast {
			return at + d*haste
		}
		at, d = s.To, d-fast
	}
	return at + d
}

// between returns the time that playing from one moment to another takes.
func (q *quiet) between(from, to time.Duration) time.Duration {
	d := to - from
	for _, s := range q.spans[q.next(from):] {
		if s.From >= to {
			break
		}
		stretch := min(s.To, to) - max(s.From, from)
		d -= stretch - stretch/haste
	}
	return d
}

// The lowest and the highest speed.
const (
	slowest = 0.1
	fastest = 100
)

// Pace is how fast the player goes.
type Pace struct {
	speed  float64
	still  bool // reduced motion: steps jump
	paired bool // another run follows this one
}

// Speed returns how many seconds of the run pass in a second.
func (c *Pace) Speed() float64 { return c.speed }

// Still reports whether motion is reduced.
func (c *Pace) Still() bool { return c.still }

// set sets a speed from slowest to fastest.
func (c *Pace) set(arg string) bool {
	s, err := strconv.ParseFloat(arg, 64)
	if err != nil || !(s >= slowest && s <= fastest) {
		return false
	}
	c.speed = s
	return true
}

// hurries reports whether quiet spans are played fast. They aren't in a live run or outside of lessons, nor with a
// second run next to this one, which may not be quiet.
func (c *Pace) hurries(r Run) bool { return r.told() && !c.paired }

// boost returns the factor by which the way from one moment to another is sped up to take at most longStep, or slowed
// down to take at least shortStep.
func (c *Pace) boost(r Run, t *Track, from, to time.Duration) float64 {
	way := to - from
	if c.hurries(r) {
		way = t.quiet.between(from, to)
	}
	switch {
	case way > longStep:
		return float64(way) / float64(longStep)
	case way < shortStep && r.told():
		return float64(way) / float64(shortStep)
	}
	return 1
}
