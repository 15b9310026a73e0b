package scene

import (
	"cmp"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
)

// Durations of transitions, in the run's time.
const (
	growFor  = 350 * time.Millisecond  // a new znode or watch
	fadeFor  = 1400 * time.Millisecond // a deleted znode
	leaveFor = 900 * time.Millisecond  // a deleted znode whose place another znode takes
	slideFor = 600 * time.Millisecond  // the znode that takes that place
	trailFor = 500 * time.Millisecond  // the line of a fired watch, after its pulse
	crossFor = 1500 * time.Millisecond // a lost message
	flashFor = 1200 * time.Millisecond // a changed znode
	nominal  = 400 * time.Millisecond  // a message of unknown latency
)

// slideAfter is the delay after which the znodes behind a deleted one move up.
const slideAfter = 700 * time.Millisecond

// passed returns how much of dur has passed since a time, from 0 to 1. While it is below 1 the picture moves. A still
// picture shows the end.
func (g *setting) passed(since, dur time.Duration) float64 {
	if g.o.Still || g.at >= since+dur {
		return 1
	}
	g.moving = true
	if g.at <= since {
		return 0
	}
	return float64(g.at-since) / float64(dur)
}

// grown returns how far something that appeared at since has grown, from 0 to 1.
func (g *setting) grown(since time.Duration) float64 {
	if since <= g.o.Stood {
		return 1
	}
	return g.passed(since, growFor)
}

// weight returns how much of its place in a queue a znode takes, from 1 to 0: when it goes, those behind move up.
func (g *setting) weight(n *view.Node) float64 {
	if !n.Gone || g.o.Still {
		return 1
	}
	return 1 - ease(g.passed(n.GoneAt+slideAfter, slideFor))
}

// flight returns how long a message or an event is drawn under way; for an unknown latency, nominal.
func flight(takes time.Duration) time.Duration { return cmp.Or(max(takes, 0), nominal) }

// ease maps 0..1 to 0..1 with a gentle start and stop.
func ease(t float64) float64 { return t * t * (3 - 2*t) }

// mix interpolates between a and b.
func mix(a, b, t float64) float64 { return a + (b-a)*t }
