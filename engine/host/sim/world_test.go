package sim_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/host/sim"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/stores/systems"
	"github.com/zkviz/zkviz/engine/testing/eventtext"
	_ "github.com/zkviz/zkviz/recipes"
)

const root = "/zkviz"

// trial is a run of a recipe in these tests.
type trial struct {
	recipe  string
	clients int
	rounds  int
	hold    time.Duration
	stagger time.Duration
	lines   bool
	cfg     sim.Config
}

func (tr trial) run(t testing.TB, sink event.Sink) {
	t.Helper()
	r, ok := recipe.Find(tr.recipe)
	if !ok {
		t.Fatalf("no recipe %q", tr.recipe)
	}
	cfg := tr.cfg
	cfg.Recipe, cfg.Parents = r.Name, r.Parents(root)
	if tr.lines {
		cfg.Source = r.File
	}
	var procs []systems.Program
	for i := 1; i <= tr.clients; i++ {
		p := recipe.Params{Root: root, Index: i, Clients: tr.clients, Rounds: max(tr.rounds, 1), Hold: tr.hold}
		if p.Hold == 0 {
			p.Hold = program.UntilSettled
		}
		proc := systems.Program{Start: time.Duration(i-1) * tr.stagger,
			Main: func(w systems.World) error { return r.Main(w, p) }}
		if r.Role != nil {
			proc.Role = r.Role(i, tr.clients)
		}
		if r.After != nil {
			proc.After = r.After(i, tr.clients)
		}
		procs = append(procs, proc)
	}
	if err := sim.Run(context.Background(), cfg, procs, sink); err != nil {
		t.Fatal(err)
	}
}

func (tr trial) log(t testing.TB) []event.Event {
	t.Helper()
	var l event.Log
	tr.run(t, &l)
	return l.Events
}

func (tr trial) with(t testing.TB, faults ...string) trial {
	t.Helper()
	for _, s := range faults {
		f, err := fault.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		tr.cfg.Faults = append(tr.cfg.Faults[:len(tr.cfg.Faults):len(tr.cfg.Faults)], f)
	}
	return tr
}

func text(events []event.Event) string {
	var b []byte
	for _, e := range events {
		b = append(b, eventtext.Of(e)+"\n"...)
	}
	return string(b)
}

// hash returns the digest of the whole log.
func (tr trial) hash(t testing.TB) string {
	t.Helper()
	var h event.HashSink
	tr.run(t, &h)
	return fmt.Sprintf("%d events, %016x", h.Count, h.Sum())
}

func calm(recipe string, clients int) trial {
	return trial{recipe: recipe, clients: clients, stagger: 5 * time.Millisecond}
}

// shaky has jitter, short rounds and something to survive.
func shaky(t testing.TB, recipe string, seed uint64) trial {
	tr := trial{recipe: recipe, clients: 5, rounds: 3, hold: 700 * time.Millisecond, stagger: 20 * time.Millisecond}
	tr.cfg = sim.Config{Seed: seed, Jitter: 800 * time.Microsecond, SessionTimeout: 5 * time.Second, Tick: time.Second}
	return tr.with(t, randomFaults(seed, tr.clients)...)
}

func kinds(events []event.Event, k event.Kind) (found []event.Event) {
	for _, e := range events {
		if e.Kind == k {
			found = append(found, e)
		}
	}
	return found
}

func ending(events []event.Event) event.Reason { return events[len(events)-1].Reason }

func TestConfigIsRefused(t *testing.T) {
	nothing := systems.Program{Main: systems.OnZooKeeper(func(zoo.Client) error { return nil })}
	for _, tc := range []struct {
		cfg   sim.Config
		procs int
		want  string
	}{
		{sim.Config{}, 0, "clients"},
		{sim.Config{}, sim.MaxClients + 1, "clients"},
		{sim.Config{Jitter: time.Second}, 1, "jitter"},
		{sim.Config{Tick: -1}, 1, "tick"},
		{sim.Config{Servers: -1}, 1, "from 1 to 9 servers"},
		{sim.Config{Servers: 5, Observers: 5}, 1, "from 1 to 9 servers"},
		{sim.Config{Servers: 3, Observers: -1}, 1, "from 1 to 9 servers"},
		{sim.Config{Observers: 1}, 1, "a server alone has no observers"},
		{sim.Config{MaxTime: -1}, 1, "time limit"},
		{sim.Config{MaxEvents: -1}, 1, "events"},
		{sim.Config{Faults: []fault.Fault{{Kind: fault.Crash, Client: 2}}}, 1,
			`bad.fault.among("crash client-2 at 0s", 2, 1)`},
	} {
		procs := make([]systems.Program, tc.procs)
		for i := range procs {
			procs[i] = nothing
		}
		err := sim.Run(context.Background(), tc.cfg, procs, &event.Log{})
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%+v with %d: got %v, want something about %q", tc.cfg, tc.procs, err, tc.want)
		}
	}
}

// impatient cancels a run after that many events, and counts how many follow.
type impatient struct {
	cancel context.CancelFunc
	left   int
	after  int
}

func (s *impatient) Append(event.Event) {
	if s.left--; s.left == 0 {
		s.cancel()
	}
	if s.left < 0 {
		s.after++
	}
}

// TestCancelledRunEndsSoon counts what a large run still does after its cancellation.
func TestCancelledRunEndsSoon(t *testing.T) {
	r, _ := recipe.Find("children-lock")
	var procs []systems.Program
	for i := range 200 {
		p := recipe.Params{Root: root, Index: i + 1, Clients: 200, Rounds: 1, Hold: program.UntilSettled}
		procs = append(procs, systems.Program{Main: func(w systems.World) error { return r.Main(w, p) }})
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	sink := &impatient{cancel: cancel, left: 5000}
	err := sim.Run(ctx, sim.Config{Recipe: r.Name, Parents: r.Parents(root)}, procs, sink)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the run ended with %v", err)
	}
	if sink.after > 1000 {
		t.Errorf("%d events followed", sink.after)
	}
}
