package sim_test

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/host/sim"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// TestSleepForEver checks that a client which sleeps for the longest possible duration sleeps to the end of the run.
func TestSleepForEver(t *testing.T) {
	for _, maxTime := range []time.Duration{time.Minute, sim.MaxTime} {
		var log event.Log
		sleeper := systems.Program{Start: time.Second,
			Main: systems.OnZooKeeper(func(c zoo.Client) error { return c.Sleep(math.MaxInt64) })}
		cfg := sim.Config{MaxTime: maxTime, MaxEvents: 1000}
		if err := sim.Run(context.Background(), cfg, []systems.Program{sleeper}, &log); err != nil {
			t.Fatal(err)
		}
		for _, e := range log.Events {
			if e.Kind == event.ClientExited {
				t.Errorf("with %s at most, the client has slept for ever by %s", maxTime, e.At)
			}
		}
	}
}
