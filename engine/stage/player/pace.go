package player

import (
	"sort"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

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

// paced reports whether quiet spans are played fast. They aren't in a live run or outside of lessons, nor with a second
// run next to this one, which may not be quiet.
func (p *Player) paced() bool { return p.told() && !p.paired }

// told reports whether the player plays a recorded lesson, in which steps take the time that readers need.
func (p *Player) told() bool { return p.run.Lesson && !p.run.Live() }

// Fast reports whether playing is fast now, because only heartbeats pass.
func (p *Player) Fast() bool {
	t := p.track()
	return p.playing && t != nil && p.paced() && t.quiet.at(p.at)
}

// Quiet returns the spans of the branch that are played fast, as far as it has arrived. The player owns the slice.
func (p *Player) Quiet() []Span {
	if t := p.track(); t != nil && p.paced() {
		return t.quiet.spans
	}
	return nil
}

// onward returns the playhead's position after d of the run's time.
func (p *Player) onward(t *track, d time.Duration) time.Duration {
	if p.paced() {
		return t.quiet.after(p.at, d)
	}
	return p.at + d
}

// boostTo returns the factor by which the way to a moment is sped up to take at most longStep, or slowed down to take
// at least shortStep.
func (p *Player) boostTo(t *track, at time.Duration) float64 {
	way := at - p.at
	if p.paced() {
		way = t.quiet.between(p.at, at)
	}
	switch {
	case way > longStep:
		return float64(way) / float64(longStep)
	case way < shortStep && p.told():
		return float64(way) / float64(shortStep)
	}
	return 1
}
