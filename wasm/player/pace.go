package player

import (
	"sort"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// haste is how much faster than the rest a quiet stretch is played.
const haste = 12

// A stretch is quiet from settling after one event that is to be seen until notice before the next: what the first
// began comes to rest, and what the second brings does not come out of nowhere. One shorter than worthwhile is none.
const (
	settling   = 700 * time.Millisecond
	notice     = 300 * time.Millisecond
	worthwhile = time.Second
)

// Span is a stretch of the run's time.
type Span struct{ From, To time.Duration }

// quiet finds the stretches of a log in which only heartbeats pass, while the log grows.
type quiet struct {
	last  time.Duration // of the events that are to be seen
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

// next is the index of the first stretch that ends after at.
func (q *quiet) next(at time.Duration) int {
	return sort.Search(len(q.spans), func(i int) bool { return q.spans[i].To > at })
}

// at reports whether that moment is within one.
func (q *quiet) at(at time.Duration) bool {
	i := q.next(at)
	return i < len(q.spans) && q.spans[i].From <= at
}

// after is where one is who plays on from at for d, the quiet stretches fast.
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

// between is how long that takes from one moment to another.
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

// paced reports whether quiet stretches are played fast. A live run is played as it happens, and outside of lessons a
// second is a second. What is quiet in one run need not be in the one beside it.
func (p *Player) paced() bool { return p.told() && !p.paired }

// told reports whether steps of a lesson are played, and take the time that their reader needs.
func (p *Player) told() bool { return p.run.Lesson && !p.run.Live() }

// Fast reports whether time passes fast now, since there is nothing to see but heartbeats.
func (p *Player) Fast() bool {
	t := p.track()
	return p.playing && t != nil && p.paced() && t.quiet.at(p.at)
}

// Quiet are the stretches that are played fast, of what has arrived of the branch that is shown. They are the player's.
func (p *Player) Quiet() []Span {
	if t := p.track(); t != nil && p.paced() {
		return t.quiet.spans
	}
	return nil
}

// onward is where the playhead is after d of time as it passes in the run.
func (p *Player) onward(t *track, d time.Duration) time.Duration {
	if p.paced() {
		return t.quiet.after(p.at, d)
	}
	return p.at + d
}

// boostTo is how much faster than that the way to a moment is played, so that it does not take longer than longStep,
// or how much slower, so that it takes as long as shortStep.
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
