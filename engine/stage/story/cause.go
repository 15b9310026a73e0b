package story

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
)

// Cause is how an event came about, back to its root: the event, its cause, the cause of that and so on.
type Cause struct {
	Chain []event.Seq // from the root to the event
	Path  []Point     // through the picture; what was before the window is at its beginning
}

// Point is an event's place in the picture.
type Point struct{ X, Y float64 }

// Cause returns how an event came about.
func (p *Plan) Cause(log view.Log, seq event.Seq) *Cause {
	type step struct {
		at   time.Duration
		lane int
	}
	var steps []step
	c, before := &Cause{}, false
	for e := range view.Chain(log, seq) {
		c.Chain = append(c.Chain, e.Seq)
		if e.At > p.To || before { // of all that was before the window the last event says where the path begins
			continue
		}
		s := step{e.At, p.laneOf(e)}
		before = e.At < p.From && s.lane >= 0
		steps = append(steps, s)
	}
	slices.Reverse(c.Chain)
	lane := -1
	for _, s := range slices.Backward(steps) {
		if s.lane >= 0 {
			lane = s.lane
		}
		if lane < 0 {
			continue
		}
		x, y := p.point(p.along(s.at), p.Lanes[lane].At)
		if n := len(c.Path); n == 0 || c.Path[n-1] != (Point{x, y}) {
			c.Path = append(c.Path, Point{x, y})
		}
	}
	return c
}

// laneOf returns the lane on which an event happened, or -1 if that isn't known.
func (p *Plan) laneOf(e event.Event) int {
	if e.Actor != event.ZooKeeper {
		return p.lane(e.Actor)
	}
	if i, ok := slices.BinarySearchFunc(p.Messages, e.Seq, func(m Message, seq event.Seq) int {
		return int(m.Seq) - int(seq)
	}); ok {
		return p.lane(p.Messages[i].From)
	}
	if len(p.Lanes) > 0 && p.Lanes[0].Actor == event.ZooKeeper {
		return 0
	}
	if i := slices.IndexFunc(p.Messages, func(m Message) bool { return m.Seq == e.Cause }); i >= 0 {
		return p.lane(p.Messages[i].To)
	}
	return -1
}

// has reports whether an event led to what is lit, or nothing in particular is.
func (c *Cause) has(seq event.Seq) bool {
	if c == nil {
		return true
	}
	_, ok := slices.BinarySearch(c.Chain, seq)
	return ok
}
