package view_test

import (
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
)

// A History's index finds what reading the whole log would find, also in a fork and while it grows.
func TestHistoryFindsReportsAndTimeouts(t *testing.T) {
	log := scenarios()["expire"].log(t)
	history := &view.History{}
	var fork *view.History
	for i, e := range log {
		history.Append(e)
		if i == len(log)/2 {
			fork = history.Fork(event.Seq(i + 1))
		}
		checkFinds(t, history, e)
	}
	for _, e := range log[len(log)/3:] {
		fork.Append(e)
		e.Seq = event.Seq(fork.Len())
		checkFinds(t, fork, e)
	}
}

func checkFinds(t *testing.T, history *view.History, e event.Event) {
	t.Helper()
	var report event.Seq
	var timeout time.Duration
	for i := range history.Len() {
		switch c := history.Event(i); {
		case c.Kind == event.RecipePhase && c.Actor == e.Actor:
			report = c.Seq
		case (c.Kind == event.SessionCreated || c.Kind == event.ConnOpened) && c.Session == e.Session && c.N > 0 &&
			c.Seq < e.Seq && timeout == 0:
			timeout = time.Duration(c.N)
		}
	}
	if got := history.LastReport(e.Actor, e.Seq); got != report {
		t.Fatalf("event %d: the last report of %s is event %d, want %d", e.Seq, e.Actor, got, report)
	}
	if got := history.Timeout(e.Session, e.Seq); got != timeout {
		t.Fatalf("event %d: the timeout of %x is %v, want %v", e.Seq, e.Session, got, timeout)
	}
}
