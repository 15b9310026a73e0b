package view_test

import (
	"context"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/host/sim"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/stores/systems"
	_ "github.com/zkviz/zkviz/recipes"
)

// scenario is a run on the simulator.
type scenario struct {
	recipe  string
	clients int
	rounds  int
	hold    time.Duration
	seed    uint64
	faults  []string
	servers int           // 0 means 1
	events  int           // limit on events
	apart   time.Duration // between the clients' starts; 0 means 1 ms
}

func (c scenario) log(t testing.TB) []event.Event {
	t.Helper()
	var log event.Log
	c.into(t, &log)
	return log.Events
}

// into runs the scenario into a sink, and returns the number of its last event.
func (c scenario) into(t testing.TB, sink event.Sink) event.Seq {
	t.Helper()
	r, ok := recipe.Find(c.recipe)
	if !ok {
		t.Fatalf("there is no recipe %q", c.recipe)
	}
	cfg := sim.Config{Seed: c.seed, Jitter: time.Millisecond / 2, Parents: r.Parents("/r"), Recipe: c.recipe,
		MaxEvents: c.events, Servers: c.servers}
	for _, s := range c.faults {
		f, err := fault.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		cfg.Faults = append(cfg.Faults, f)
	}
	var procs []systems.Program
	for i := range c.clients {
		p := recipe.Params{Root: "/r", Index: i + 1, Clients: c.clients, Rounds: max(c.rounds, 1), Hold: c.hold}
		procs = append(procs, systems.Program{
			Start: time.Duration(i) * max(c.apart, time.Millisecond),
			Main:  func(w systems.World) error { return r.Main(w, p) },
		})
	}
	var last counted
	if err := sim.Run(context.Background(), cfg, procs, event.Tee{sink, &last}); err != nil {
		t.Fatal(err)
	}
	return event.Seq(last)
}

// counted is a sink that keeps the number of the last event.
type counted event.Seq

func (c *counted) Append(e event.Event) { *c = counted(e.Seq) }

// scenarios covers every recipe and every fault.
func scenarios() map[string]scenario {
	hold := 3 * time.Second
	return map[string]scenario{
		"unique":      {recipe: "unique-lock", clients: 7, rounds: 2, hold: program.UntilSettled},
		"children":    {recipe: "children-lock", clients: 6, rounds: 2, hold: hold},
		"predecessor": {recipe: "predecessor-lock", clients: 12, rounds: 3, hold: program.UntilSettled},
		"queue":       {recipe: "fifo-queue", clients: 8, rounds: 9, hold: time.Millisecond},
		"barrier":     {recipe: "barrier", clients: 9, hold: time.Second},
		"pause":       {recipe: "predecessor-lock", clients: 4, hold: hold, faults: []string{"pause client-1 at 1s for 16s"}},
		"cut": {recipe: "unique-lock", clients: 4, hold: hold,
			faults: []string{"cut client-1 at 1s for 5s", "cut client-2 at 4s for 20s"}},
		"crash": {recipe: "children-lock", clients: 4, hold: hold,
			faults: []string{"crash client-2 at 1s", "crash client-1 at 2s"}},
		"expire": {recipe: "predecessor-lock", clients: 4, hold: hold,
			faults: []string{"expire client-3 at 1s", "drop client-4 at 2s"}},
	}
}
