package sim_test

import (
	"context"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/host/sim"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// A program that is started again starts when its process has ended, with or without its session, and not before its
// own time. No client waits for it meanwhile.
func TestAfter(t *testing.T) {
	for name, c := range map[string]struct {
		first  func(zoo.Client) error
		start  time.Duration // the second's earliest start
		faults []fault.Fault
		at     time.Duration // when the second starts, to a tenth of a second; 0 for never
		ending event.Reason
	}{
		"it exits": {first: func(c zoo.Client) error { return c.Sleep(2 * time.Second) }, at: 2 * time.Second,
			ending: event.EndAllDone},
		"it is gone long before": {first: func(c zoo.Client) error { return nil }, start: 3 * time.Second,
			at: 3 * time.Second, ending: event.EndAllDone},
		"it works until all wait": {first: func(c zoo.Client) error { return c.Work(program.UntilSettled) },
			at: time.Millisecond, ending: event.EndAllDone},
		"it waits for ever": {first: waitForEver, ending: event.EndStuck},
		"it crashes": {first: waitForEver, faults: []fault.Fault{{Kind: fault.Crash, Client: 1,
			At: time.Second}}, at: time.Second, ending: event.EndAllDone},
		"the second was paused": {first: func(c zoo.Client) error { return c.Sleep(time.Second) },
			faults: []fault.Fault{{Kind: fault.Pause, Client: 2, At: 0, For: 3 * time.Second}}, at: 3 * time.Second,
			ending: event.EndAllDone},
		"the second crashes first": {first: func(c zoo.Client) error { return c.Sleep(2 * time.Second) },
			faults: []fault.Fault{{Kind: fault.Crash, Client: 2, At: time.Second}}, ending: event.EndAllDone},
	} {
		procs := []systems.Program{{Main: systems.OnZooKeeper(c.first)}, {After: 1, Start: c.start,
			Main: systems.OnZooKeeper(func(zoo.Client) error { return nil })}}
		var l event.Log
		cfg := sim.Config{Parents: []string{root}, Faults: c.faults, MaxTime: time.Minute}
		if err := sim.Run(context.Background(), cfg, procs, &l); err != nil {
			t.Fatal(err)
		}
		var at time.Duration
		for _, e := range kinds(l.Events, event.ClientStarted) {
			if e.Actor == 2 {
				at = e.At
			}
		}
		if d := at - c.at; (at == 0) != (c.at == 0) || d < 0 || d > 100*time.Millisecond || ending(l.Events) != c.ending {
			t.Errorf("%s: the second starts at %v, want %v; ended because %v", name, at, c.at, ending(l.Events))
		}
	}
}

func waitForEver(c zoo.Client) error {
	_, _, w, err := c.GetW(root)
	if err == nil {
		_, err = c.Await(0, w)
	}
	return err
}
