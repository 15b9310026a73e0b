package sim_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/host/sim"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// TestConfigAtItsLimits checks that the last value within each limit is accepted and the first beyond it refused.
func TestConfigAtItsLimits(t *testing.T) {
	one := func(f fault.Fault) sim.Config { return sim.Config{Faults: []fault.Fault{f}} }
	for _, c := range []struct {
		within, beyond   sim.Config
		withinN, beyondN int // clients
		want             string
	}{
		{sim.Config{}, sim.Config{}, 1, 0, "there must be from 1 to 10000 clients, not 0"},
		{sim.Config{MaxEvents: 10}, sim.Config{}, 10_000, 10_001, "there must be from 1 to 10000 clients, not 10001"},
		{sim.Config{Latency: 1}, sim.Config{Latency: -1}, 1, 1, "to the latency of -1ns"},
		{sim.Config{Latency: 5}, sim.Config{Latency: 5, Jitter: -1}, 1, 1,
			"the jitter must be from 0 to the latency of 5ns, not -1ns"},
		{sim.Config{Latency: 5, Jitter: 5}, sim.Config{Latency: 5, Jitter: 6}, 1, 1,
			"the jitter must be from 0 to the latency of 5ns, not 6ns"},
		{sim.Config{Tick: time.Millisecond}, sim.Config{Tick: -1}, 1, 1, "must not be negative"},
		{sim.Config{SessionTimeout: 1}, sim.Config{SessionTimeout: -1}, 1, 1, "must not be negative"},
		{sim.Config{MaxTime: 1}, sim.Config{MaxTime: -1}, 1, 1,
			"the run's time limit must be from 0 to 876000h0m0s, not -1ns"},
		{sim.Config{MaxTime: sim.MaxTime}, sim.Config{MaxTime: sim.MaxTime + 1}, 1, 1, "not 876000h0m0.000000001s"},
		{sim.Config{MaxEvents: 1}, sim.Config{MaxEvents: -1}, 1, 1,
			"the limit on events must be from 0 to 100000000, not -1"},
		{sim.Config{MaxEvents: 100_000_000}, sim.Config{MaxEvents: 100_000_001}, 1, 1, "not 100000001"},
		{one(fault.Fault{Kind: fault.Crash, Client: 2}), one(fault.Fault{Kind: fault.Crash, Client: 3}), 2, 2,
			`bad.fault.among("crash client-3 at 0s", 3, 2)`},
		{one(fault.Fault{Kind: fault.Restart, For: 1}), one(fault.Fault{Kind: fault.Crash}), 2, 2,
			`bad.fault.among("crash server at 0s", 0, 2)`},
	} {
		if err := runIdle(c.within, c.withinN); err != nil {
			t.Errorf("within the limit: %v", err)
		}
		c.beyond.Recipe = "idle"
		if err := runIdle(c.beyond, c.beyondN); err == nil || !strings.Contains(err.Error(), c.want) ||
			!strings.HasPrefix(err.Error(), "simulate idle: ") {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}

func runIdle(cfg sim.Config, clients int) error {
	procs := make([]systems.Program, clients)
	for i := range procs {
		procs[i].Main = func(systems.World) error { return nil }
	}
	return sim.Run(context.Background(), cfg, procs, &event.Log{})
}

// TestRunStopsAtItsLimits checks that a run may use its last event or moment. One event less cuts it short; one more
// leaves it whole.
func TestRunStopsAtItsLimits(t *testing.T) {
	busy := func(c zoo.Client) error { return c.Sleep(5 * time.Second) }
	whole := play(t, sim.Config{}, busy)
	n, last := len(whole), whole[len(whole)-1].At
	for _, c := range []struct {
		cfg    sim.Config
		ending event.Reason
		at     time.Duration
	}{
		{sim.Config{MaxEvents: n}, event.EndAllDone, last},
		{sim.Config{MaxEvents: n - 1}, event.EndAllDone, last}, // it is done with the event before the last
		{sim.Config{MaxEvents: n - 3}, event.EndEvents, whole[n-4].At},
		{sim.Config{MaxTime: last}, event.EndAllDone, last},
		{sim.Config{MaxTime: last - 1}, event.EndTime, last - 1},
		{sim.Config{MaxTime: 2 * time.Second}, event.EndTime, 2 * time.Second},
	} {
		log := play(t, c.cfg, busy)
		if end := log[len(log)-1]; ending(log) != c.ending || end.At != c.at || end.Kind != event.RunEnded {
			t.Errorf("%+v: ended at %s because %s, want %s because %s", c.cfg, end.At, end.Text, c.at, c.ending)
		}
	}
}

// TestDefaultsOfTheWorld checks what a zero Config means.
func TestDefaultsOfTheWorld(t *testing.T) {
	log := play(t, sim.Config{}, func(c zoo.Client) error { return c.Sleep(2 * time.Hour) })
	if e := kinds(log, event.SessionCreated)[0]; time.Duration(e.N) != 10*time.Second || e.At != time.Millisecond {
		t.Errorf("a session of %s at %s", time.Duration(e.N), e.At)
	}
	if ending(log) != event.EndTime || log[len(log)-1].At != time.Hour {
		t.Errorf("ended at %s because %s", log[len(log)-1].At, ending(log))
	}
	log = play(t, sim.Config{SessionTimeout: 1}, func(c zoo.Client) error { return c.Sleep(time.Second) })
	if e := kinds(log, event.SessionCreated)[0]; time.Duration(e.N) != 4*time.Second { // two ticks
		t.Errorf("a session of %s at least", time.Duration(e.N))
	}
}

// TestJitter checks that messages take anything between latency minus jitter and latency plus jitter, and those of a
// delayed client ten times as long. Messages of one connection arrive in order.
func TestJitter(t *testing.T) {
	for jitter, slow := range map[time.Duration]bool{0: false, 3 * time.Millisecond: false, 10 * time.Millisecond: true} {
		tr := trial{}
		times := time.Duration(1)
		if slow {
			tr, times = tr.with(t, "delay client-1 at 0s for 1h"), 10
		}
		tr.cfg.Latency, tr.cfg.Jitter = 10*time.Millisecond, jitter
		least, most := time.Hour, time.Duration(0)
		for _, e := range play(t, tr.cfg, func(c zoo.Client) error {
			for range 2000 {
				if _, _, err := c.Exists("/x"); err != nil {
					return err
				}
			}
			return nil
		}) {
			if e.Kind == event.OpSent {
				least, most = min(least, time.Duration(e.N)), max(most, time.Duration(e.N))
			}
		}
		low, high, slack := times*(tr.cfg.Latency-jitter), times*(tr.cfg.Latency+jitter), times*jitter/50
		if least < low || least > low+slack || most > high || most < high-slack {
			t.Errorf("jitter %s: messages take %s to %s, want %s to %s", jitter, least, most, low, high)
		}
	}
}
