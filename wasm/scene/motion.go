package scene

import (
	"cmp"
	"time"

	"github.com/zkviz/zkviz/engine/view"
)

// How long things take to come and go, in the run's time.
const (
	growFor  = 350 * time.Millisecond  // a new znode or watch
	fadeFor  = 1400 * time.Millisecond // a deleted znode
	leaveFor = 900 * time.Millisecond  // a deleted znode whose place another one takes
	slideFor = 600 * time.Millisecond  // that other one
	trailFor = 500 * time.Millisecond  // the line of a fired watch, after its pulse
	crossFor = 1500 * time.Millisecond // a lost message
	flashFor = 1200 * time.Millisecond // a changed znode
	nominal  = 400 * time.Millisecond  // a message whose flight is unknown
)

// slideAfter is when those behind a deleted znode begin to move up.
const slideAfter = 700 * time.Millisecond

// passed is how much of the time from since on, for dur, has passed, from 0 to 1. While it is less than 1 the
// picture moves. A still picture shows the end.
func (l *Layout) passed(since, dur time.Duration) float64 {
	if l.o.Still || l.at >= since+dur {
		return 1
	}
	l.p.Moving = true
	if l.at <= since {
		return 0
	}
	return float64(l.at-since) / float64(dur)
}

// grown is how much is there of what has come at since, from 0 to 1.
func (l *Layout) grown(since time.Duration) float64 {
	if since <= l.o.Stood {
		return 1
	}
	return l.passed(since, growFor)
}

// weight is how much of its place in a queue a znode still takes, from 1 to 0: as it goes, those behind it move up.
func (l *Layout) weight(n *view.Node) float64 {
	if !n.Gone || l.o.Still {
		return 1
	}
	return 1 - ease(l.passed(n.GoneAt+slideAfter, slideFor))
}

// flight is how long a message or an event is drawn on its way: of some it is not known how long they take.
func flight(takes time.Duration) time.Duration { return cmp.Or(max(takes, 0), nominal) }

// ease makes a start and a stop gentle.
func ease(t float64) float64 { return t * t * (3 - 2*t) }

// mix is the place t of the way from a to b.
func mix(a, b, t float64) float64 { return a + (b-a)*t }
