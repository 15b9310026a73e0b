package capture

import (
	"cmp"
	"math"

	"github.com/zkviz/zkviz/engine/event"
)

// visitors is where the numbers of visitors begin: beyond those that actors of a log have.
const visitors event.Actor = 1 << 16

// Visitors numbers the clients that come to a server, one after the other for as long as it runs: far more than a log
// has numbers for. These are the server's own. A Log gives numbers of its own to those whom it tells of.
type Visitors struct {
	Most event.Actor // how many numbers there are; as many as an Actor has room for

	given event.Actor
	kept  map[event.Actor]bool // those whom it found when it began again
}

// Next returns a number that nobody has. Within a round no number comes twice. When all have been given it begins
// again and calls again, which has to end the logs that go on (Observation.Renew) and name the visitors who are still
// there: these keep their numbers.
func (v *Visitors) Next(again func(keep func(event.Actor))) event.Actor {
	for {
		if v.given >= cmp.Or(v.Most, math.MaxInt32-visitors) {
			v.given, v.kept = 0, map[event.Actor]bool{}
			again(func(a event.Actor) { v.kept[a] = true })
		}
		v.given++
		if a := visitors + v.given; !v.kept[a] {
			return a
		}
	}
}

// isClient reports whether a stands for a client, be it by the number of a run or by a visitor's.
func isClient(a event.Actor) bool { return a > visitors || a.Kind() == event.AClient }
