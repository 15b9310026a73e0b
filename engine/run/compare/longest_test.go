package compare_test

import (
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/compare"
)

// TestLongestWait measures waits in small logs, with an event each second.
func TestLongestWait(t *testing.T) {
	says := func(a event.Actor, p program.Phase) event.Event {
		return event.Event{Kind: event.RecipePhase, Actor: a, Text: string(p)}
	}
	end := event.Event{Kind: event.RunEnded, Reason: event.EndTime}
	waits, waits2, in, in2 := says(1, program.Waiting), says(2, program.Waiting), says(1, program.Holding),
		says(2, program.Holding)
	for name, c := range map[string]struct {
		log  []event.Event
		want time.Duration
	}{
		"nobody waits":     {[]event.Event{in, end}, 0},
		"one":              {[]event.Event{waits, in2, in}, 2},
		"says it again":    {[]event.Event{waits, waits, in}, 2},
		"gives up":         {[]event.Event{waits, says(1, program.GaveUp), end}, 1},
		"the longer one":   {[]event.Event{waits, in2, waits2, in, end, in2}, 3},
		"to the end":       {[]event.Event{waits, waits2, in2, end}, 3},
		"crashes":          {[]event.Event{waits, {Kind: event.ClientCrashed, Actor: 1}, end}, 0},
		"waits once again": {[]event.Event{waits, in, waits, end}, 1},
	} {
		if got := compare.LongestWait(c.log); got != c.want*time.Second {
			t.Errorf("%s: %v, want %ds", name, got, c.want)
		}
	}
}

// TestPollers: clients that try again from time to time are counted, and wait longer than those that are notified.
func TestPollers(t *testing.T) {
	row := func(recipe string) compare.Row {
		r, err := compare.Measure(t.Context(), event.Simulated, run.Sim, run.Scenario{Recipe: recipe, Clients: 10}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	polls, told := row("redis-set-nx-px"), row("redis-signal-list")
	if polls.PerRelease.Polls <= 1 || polls.PerRelease.Wakeups != 0 || polls.Bytes == 0 {
		t.Errorf("who polls: %+v", polls.PerRelease)
	}
	if told.PerRelease.Polls >= 1 || told.PerRelease.Wakeups == 0 {
		t.Errorf("who is told: %+v", told.PerRelease)
	}
	if polls.LongestMS <= 0 || told.LongestMS <= 0 {
		t.Errorf("the longest waits are %v and %v ms", polls.LongestMS, told.LongestMS)
	}
}
