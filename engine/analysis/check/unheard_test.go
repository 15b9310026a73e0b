package check_test

import (
	"testing"

	"github.com/zkviz/zkviz/engine/event"
)

// TestUnheardArrival: client 2 arrives while client 1 reads the list of children. What client 1 does next decides
// whether that wakes it.
func TestUnheardArrival(t *testing.T) {
	holds := event.Event{Kind: event.RecipePhase, Actor: 1, Text: "holding"}
	looksAgain := event.Event{Kind: event.OpSent, Actor: 1, Op: event.Children, Path: "/l"}
	waits := event.Event{Kind: event.ClientBlocked, Actor: 1, Path: "/l"}
	for name, c := range map[string]struct {
		before, after   []event.Event
		arrival, wasted int
	}{
		"on its way in": {after: []event.Event{holds}},
		"looks again":   {after: []event.Event{looksAgain, holds}, arrival: 1},
		"still outside": {after: []event.Event{looksAgain, waits}, arrival: 1, wasted: 1},
		"woken":         {before: []event.Event{waits}, after: []event.Event{holds}, arrival: 1},
	} {
		var l log
		for _, e := range c.before {
			l.add(e)
		}
		l.add(event.Event{Kind: event.ZnodeCreated, Peer: 2, Path: "/l/n-0000000002"})
		made := l.events[len(l.events)-1].Seq
		l.add(event.Event{Kind: event.WatchFired, Peer: 1, Path: "/l", Watch: event.ChildWatch, Type: 4, Cause: made})
		l.add(event.Event{Kind: event.WatchDelivered, Actor: 1, Path: "/l", Type: 4, Cause: made + 1})
		for _, e := range c.after {
			l.add(e)
		}
		f := judge(event.Header{Clients: 2}, l.events).Figures
		if f.ByArrival != c.arrival || f.Wasted != c.wasted {
			t.Errorf("%s: %d wakeups by arrival, %d wasted; want %d and %d", name, f.ByArrival, f.Wasted, c.arrival, c.wasted)
		}
	}
}
