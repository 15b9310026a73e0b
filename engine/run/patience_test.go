package run_test

import (
	"context"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/run"
)

// TestPatienceTakesTurns: a crew whose customer is dead waits for it leader by leader, and comes to an end.
func TestPatienceTakesTurns(t *testing.T) {
	s := run.Scenario{Recipe: "work-assignment", Clients: 20, Faults: []fault.Fault{{Kind: fault.Crash, Client: 1}}}
	var log event.Log
	if err := run.Sim(context.Background(), s, &log); err != nil {
		t.Fatal(err)
	}
	if last := log.Events[len(log.Events)-1]; last.Reason != event.EndAllDone {
		t.Errorf("after %s: %s", last.At, last.Text)
	}
}
