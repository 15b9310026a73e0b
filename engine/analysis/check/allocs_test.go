package check_test

import (
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
)

// TestALookCostsNoMemory: requests make up most of a log, so a client's latest is kept in place.
func TestALookCostsNoMemory(t *testing.T) {
	for _, rule := range promise.Rules() {
		c := check.New([]string{rule}, event.Header{Host: "sim", Clients: 2})
		look := func() {
			c.Append(event.Event{Kind: event.OpSent, Actor: 2, Op: event.Children, Path: "/group"})
			c.Append(event.Event{Kind: event.ClientBlocked, Actor: 2})
		}
		look()
		if n := testing.AllocsPerRun(100, look); n >= 1 && rule != promise.GivesUpInTime { // these looks break that rule
			t.Errorf("%s: %v allocations for a look", rule, n)
		}
	}
}
