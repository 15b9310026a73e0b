package player

import (
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
)

// parting finds the first event in which two logs differ.
type parting struct {
	one, two *view.History // the compared logs
	upTo     int           // number of events compared
	found    bool
	at       event.Seq // the first that differs, if found
}

// compareAtOnce is the number of events compared in one go, so that no frame waits for the whole of a long log.
const compareAtOnce = 20_000

// follow compares the events that have arrived.
func (g *parting) follow(one, two *Track, rootOfOne, rootOfTwo string) {
	if g.one != one.history || g.two != two.history {
		*g = parting{one: one.history, two: two.history}
	}
	n := min(one.history.Len(), two.history.Len())
	for to := min(n, g.upTo+compareAtOnce); g.upTo < to && !g.found; g.upTo++ {
		g.found = !alike(one.history.Event(g.upTo), two.history.Event(g.upTo), rootOfOne, rootOfTwo)
		g.at = event.Seq(g.upTo + 1)
	}
	if g.upTo == n && !g.found && one.history.Len() != two.history.Len() && one.complete() && two.complete() {
		g.found, g.at = true, event.Seq(n+1) // one log is longer
	}
}

// same returns the number of leading events known to be equal.
func (g *parting) same() event.Seq {
	if g.found {
		return g.at - 1
	}
	return event.Seq(g.upTo)
}

// alike reports whether two events say the same in two runs. Recipes, their lines and their roots may differ.
func alike(a, b event.Event, rootOfA, rootOfB string) bool {
	if a.Kind == event.RunStarted {
		return b.Kind == event.RunStarted
	}
	a.Line, b.Line = 0, 0
	a.Path = moved(a.Path, rootOfA, rootOfB)
	return a == b
}
