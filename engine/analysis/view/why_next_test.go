package view_test

import (
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/testing/eventtext"
)

// Only a client that deletes its own znode leaves with it, and only what could be had can be gone already.
func TestReasonsOfTheNextRequest(t *testing.T) {
	for _, recipe := range []string{"one-release-too-few", "barrier"} {
		log := scenario{recipe: recipe, clients: 3, hold: time.Second}.log(t)
		history, asked := historyOf(log), 0
		for _, e := range log {
			if e.Kind != event.OpSent {
				continue
			}
			asked++
			by, _ := history.Lookup(e.Cause)
			switch key := view.Why(e, history).Key; {
			case key == "why.op.leave" && e.Op != event.Delete,
				key == "why.op.missing" && by.Op == event.Exists:
				t.Errorf("%s: %s has the reason %s", recipe, eventtext.Of(e), key)
			}
		}
		if asked == 0 {
			t.Errorf("%s asks for nothing", recipe)
		}
	}
}

// TestWakeups checks that every wakeup is counted, whatever its cause.
func TestWakeups(t *testing.T) {
	s := view.New()
	delivered := 0
	for _, e := range (scenario{recipe: "first-steps", clients: 2, hold: time.Second}).log(t) {
		s.Apply(e)
		if e.Kind == event.WatchDelivered {
			delivered++
		}
	}
	if s.Clients.Woken() != delivered || delivered <= s.Wakeups.ByRelease+s.Wakeups.ByArrival {
		t.Errorf("%d wakeups, and %d events of watches were delivered, one of them for a change",
			s.Clients.Woken(), delivered)
	}
}
