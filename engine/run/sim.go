package run

import (
	"context"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/host/sim"
	"github.com/zkviz/zkviz/engine/recipe"
)

// tick is the simulated server's tick, ZooKeeper's default. Sessions expire on a tick, and granted timeouts range
// from 2 to 20 ticks.
const tick = 2 * time.Second

// Runner carries out a scenario, as Sim does.
type Runner func(ctx context.Context, s Scenario, sink event.Sink) error

// Sim runs the scenario on the simulator. The events that sink gets are a function of the scenario alone. It
// returns the context's error if that ends the run, and an explanation if the scenario is invalid.
func Sim(ctx context.Context, s Scenario, sink event.Sink) error {
	r, err := Recipe(s.Recipe)
	if err != nil {
		return err
	}
	return SimOf(ctx, r, s, sink)
}

// SimOf does the same for a recipe that need not be in the catalogue: the scenario's recipe name only appears in
// the log.
func SimOf(ctx context.Context, r recipe.Recipe, s Scenario, sink event.Sink) error {
	s = s.WithDefaults()
	err := s.validate(r)
	if err != nil {
		return err
	}
	r = s.On(r)
	cfg := sim.Config{
		Recipe: s.Recipe, Parents: parents(r, s.Root), FirstNumber: s.FirstNumber,
		Seed: s.Seed, SessionTimeout: s.SessionTimeout, Tick: tick,
		Latency: s.Latency, Jitter: s.Jitter,
		Servers: s.Servers, Observers: s.Observers, Flaws: s.Flaws,
		Faults: s.Faults, MaxEvents: s.MaxEvents, MaxTime: s.longest(),
	}
	if s.Lines {
		cfg.Source = r.File
	}
	if cfg.Systems, err = Simulated(r.Systems); err != nil {
		return err
	}
	cfg.NoZooKeeper = !event.HasZooKeeper(r.Systems)
	if s.Yield != nil {
		sink = &yielding{Sink: sink, yield: s.Yield}
	}
	return sim.Run(ctx, cfg, s.Processes(r), sink)
}

// eventsPerYield is the number of events between two calls of Scenario.Yield.
const eventsPerYield = 64

// yielding passes events on, and yields now and then.
type yielding struct {
	event.Sink
	yield func()
	count int
}

// Append passes e on.
func (y *yielding) Append(e event.Event) {
	y.Sink.Append(e)
	if y.count++; y.count%eventsPerYield == 0 {
		y.yield()
	}
}

// parents returns the znodes that exist before anyone starts.
func parents(r recipe.Recipe, root string) []string {
	if r.Parents == nil {
		return nil
	}
	return r.Parents(root)
}

// election is longer than servers need to agree on a leader once they can: one that has heard nothing speaks once a
// minute, and a learner may take 20 s to begin.
const election = 2 * time.Minute

// longest returns a virtual time by which every run that still makes progress has ended: each client's work and
// each fault one after the other, each followed by a session's expiry. In every round, each client in turn may wait
// patiently for a dead one.
//
// It is at most sim.MaxTime. No run gets there: by then live sessions take far more events for their heartbeats
// than a run may have, and others end.
func (s Scenario) longest() time.Duration {
	expiry := 2*s.SessionTimeout + 2*tick
	turn := max(s.Hold, 0) + 100*(s.Latency+s.Jitter) + time.Second
	n := time.Duration(s.Clients * s.Rounds)
	if turn > sim.MaxTime/n {
		return sim.MaxTime
	}
	turns := n * turn
	for _, a := range s.Arrivals {
		for _, v := range a.Visits { // the last of all bounds the wait for it
			turns += max(v.For-s.Hold, 0) + turn
			expiry = max(expiry, 2*a.Timeout+2*tick)
		}
		turns += a.Visits[len(a.Visits)-1].At
	}
	all := turns + time.Duration(s.Clients)*max(s.Stagger, 0) + expiry + time.Duration(s.Rounds+s.Clients)*recipe.Patience
	for _, f := range s.Faults {
		all += f.At + max(f.For, 0) + expiry
	}
	if s.Servers > 1 {
		all += time.Duration(1+len(s.Faults)) * election
	}
	return min(all, sim.MaxTime)
}
