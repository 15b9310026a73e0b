package window

import (
	"cmp"
	"math"

	"github.com/zkviz/zkviz/engine/event"
)

// visitors is the number after which visitors are counted, beyond all actors of a log.
const visitors event.Actor = 1 << 16

// Visitors numbers the clients of a server for as long as it runs: far more than a log has numbers for. These numbers
// are the server's own. A Log renumbers the clients that it covers.
type Visitors struct {
	Most event.Actor // how many numbers there are; by default as many as fit an Actor

	given event.Actor
	kept  map[event.Actor]bool // the numbers still in use when it started over
}

// Next returns a number that nobody has. No number comes twice within a round. When all are used, it starts over and
// calls again, which must end the current logs (Observation.Renew) and name the visitors that are still there. They
// keep their numbers.
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

// isClient reports whether a is a client, either of a run or a visitor.
func isClient(a event.Actor) bool { return a > visitors || a.Kind() == event.AClient }
