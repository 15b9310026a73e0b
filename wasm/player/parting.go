package player

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/view"
)

// parting looks for the first event in which two logs differ.
type parting struct {
	one, two *view.History // that were compared
	upTo     int           // their events so far
	found    bool
	at       event.Seq // the first that differs, once found
}

// compareAtOnce is how many events are compared in one go, so that no frame has to wait for the whole of a long log.
const compareAtOnce = 20_000

// follow goes on with what has arrived.
func (g *parting) follow(one, two *track, rootOfOne, rootOfTwo string) {
	if g.one != one.history || g.two != two.history {
		*g = parting{one: one.history, two: two.history}
	}
	n := min(one.history.Len(), two.history.Len())
	for to := min(n, g.upTo+compareAtOnce); g.upTo < to && !g.found; g.upTo++ {
		g.found = !alike(one.history.Event(g.upTo), two.history.Event(g.upTo), rootOfOne, rootOfTwo)
		g.at = event.Seq(g.upTo + 1)
	}
	if g.upTo == n && !g.found && one.history.Len() != two.history.Len() && one.complete() && two.complete() {
		g.found, g.at = true, event.Seq(n+1) // one goes on, the other does not
	}
}

// same is how many events are the same in both, as far as is known.
func (g *parting) same() event.Seq {
	if g.found {
		return g.at - 1
	}
	return event.Seq(g.upTo)
}

// alike reports whether two events say the same of two runs, each of which has its recipe, in a file of its own, below
// a root of its own.
func alike(a, b event.Event, rootOfA, rootOfB string) bool {
	if a.Kind == event.RunStarted {
		return b.Kind == event.RunStarted
	}
	a.Line, b.Line = 0, 0
	a.Path = moved(a.Path, rootOfA, rootOfB)
	return a == b
}
