package promise_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
)

func TestKnown(t *testing.T) {
	for _, rule := range append(promise.Rules(), "capacity-1", "capacity-30") {
		if !promise.Known(rule) {
			t.Errorf("%s is not known", rule)
		}
	}
	for _, rule := range []string{"", "capacity-", "capacity-0", "capacity--1", "capacity-02", "Once",
		strings.Join(promise.Rules(), ",")} {
		if promise.Known(rule) {
			t.Errorf("%q is known", rule)
		}
	}
	if r := promise.Rules(); len(slices.Compact(slices.Sorted(slices.Values(r)))) != len(r) {
		t.Error("a rule is listed twice")
	}
}

func TestAtEnd(t *testing.T) {
	atEnd := map[string]bool{
		promise.Progress: true, promise.Clean: true, promise.Once: true, promise.AllDone: true, promise.EveryMessage: true,
		promise.Current: true, promise.VotesKept: true,
	}
	for _, rule := range append(promise.Rules(), "capacity-1", "no-such-rule") {
		if got := promise.AtEnd(rule); got != atEnd[rule] {
			t.Errorf("%s is decided at the end: %v", rule, got)
		}
	}
}

// TestDecided: when a run is cut off, nobody knows what its end would have shown.
func TestDecided(t *testing.T) {
	ended := func(r event.Reason) event.Event { return event.Event{Kind: event.RunEnded, Reason: r} }
	for _, c := range []struct {
		rule string
		last event.Event
		want bool
	}{
		{promise.Progress, event.Event{}, false},
		{promise.Progress, ended(event.EndEvents), false},
		{promise.Progress, ended(event.EndCancelled), false},
		{promise.Progress, ended(event.EndTime), true},
		{promise.Progress, ended(event.EndAllDone), true},
		{promise.Clean, ended(event.EndTime), false},
		{promise.AllDone, ended(event.EndTime), false},
		{promise.Progress, ended(event.EndStuck), true},
		{promise.Clean, ended(event.EndStuck), false},
		{promise.AllDone, ended(event.EndStuck), false},
		{promise.Once, ended(event.EndStuck), true},
		{promise.Barrier, ended(event.EndStuck), true},
		{promise.Progress, ended(event.EndSpin), true},
		{promise.Clean, ended(event.EndSpin), false},
		{promise.AllDone, ended(event.EndSpin), false},
		{promise.TruthExclusion, ended(event.EndStuck), true},
		{promise.Clean, ended(event.EndAllDone), true},
		{promise.Once, ended(event.EndFailed), false},
		{promise.Barrier, event.Event{}, true}, // so far
		{promise.Barrier, ended(event.EndEvents), false},
		{promise.Together, ended(event.EndEvents), false},
		{promise.Order, ended(event.EndEvents), true},
		{"no-such-rule", ended(event.EndEvents), true},
	} {
		if got := promise.Decided(c.rule, c.last); got != c.want {
			t.Errorf("%s after %v: %v", c.rule, c.last, got)
		}
	}
}
