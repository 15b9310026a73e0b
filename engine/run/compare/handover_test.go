package compare_test

import (
	"context"
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/compare"
	"github.com/zkviz/zkviz/recipes"
)

// TestHandover measures small logs in which every hand-over is known: holds and starts don't count.
func TestHandover(t *testing.T) {
	at := func(ms int, who event.Actor, p program.Phase) event.Event {
		return event.Event{Kind: event.RecipePhase, At: time.Duration(ms) * time.Millisecond, Actor: who, Text: string(p)}
	}
	for name, c := range map[string]struct {
		want float64
		log  []event.Event
	}{
		"nobody": {0, nil},
		"one after the other": {0, []event.Event{
			at(0, 1, program.Holding), at(5, 1, program.Released), at(6, 2, program.Waiting),
			at(7, 2, program.Holding), at(9, 2, program.Released),
		}},
		"a head start and a hold": {4, []event.Event{
			at(0, 1, program.Waiting), at(1, 1, program.Holding), at(500, 2, program.Waiting), at(3000, 1, program.Released),
			at(3004, 2, program.Holding),
			at(9000, 2, program.Released),
		}},
		"a short one and a long one": {6, []event.Event{
			at(0, 1, program.Leading), at(1, 2, program.Waiting), at(1, 3, program.Waiting),
			at(10, 1, program.Lost), at(12, 3, program.Leading),
			at(50, 3, program.Released), at(60, 2, program.Leading),
		}},
		"readers, then a writer": {3, []event.Event{
			at(0, 1, program.Reading), at(0, 2, program.Reading), at(1, 3, program.Waiting), at(10, 1, program.Released),
			at(20, 2, program.Released),
			at(23, 3, program.Writing),
		}},
		"a writer that goes on as a reader": {4, []event.Event{
			at(0, 1, program.Writing), at(1, 2, program.Waiting), at(10, 1, program.Reading), at(14, 2, program.Reading),
		}},
		"two readers for one writer": {5, []event.Event{
			at(0, 1, program.Writing), at(1, 2, program.Waiting), at(1, 3, program.Waiting),
			at(10, 1, program.Released), at(15, 2, program.Reading),
			at(95, 3, program.Reading),
		}},
		"who gave up does not wait": {0, []event.Event{
			at(0, 1, program.Holding), at(1, 2, program.Waiting), at(2, 2, program.GaveUp),
			at(3, 1, program.Released), at(9, 2, program.Waiting),
			at(10, 2, program.Holding),
		}},
	} {
		m := compare.NewMeter(event.Header{Recipe: "predecessor-lock", Clients: 3})
		for _, e := range c.log {
			m.Append(e)
		}
		if got := m.Row().PerRelease.TimeMS; got != c.want {
			t.Errorf("%s: %v ms, want %v", name, got, c.want)
		}
	}
}

// TestTwoRoundTrips: with a millisecond for a message, letting the next one in takes the delete, the watch event, a
// look, and its answer, whatever the number of waiters, their holds and their starts.
func TestTwoRoundTrips(t *testing.T) {
	for _, recipe := range []string{"unique-lock", "children-lock", "predecessor-lock"} {
		for _, s := range []run.Scenario{
			{Clients: 2}, {Clients: 40}, {Clients: 4, Hold: time.Second}, {Clients: 4, Stagger: 300 * time.Millisecond},
		} {
			s.Recipe, s.Seed = recipe, 1
			r, err := compare.Measure(context.Background(), "sim", run.Sim, s, nil)
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(r.PerRelease.TimeMS-4) > .2 {
				t.Errorf("%s with %d clients, hold %v, stagger %v: %v ms, want about 4", recipe, s.Clients, s.Hold, s.Stagger,
					r.PerRelease.TimeMS)
			}
		}
	}
}

// TestEveryRecipeIsMeasured: clients that get something have a share of requests and bytes, and where clients wait
// for one another to get inside, there is a time.
func TestEveryRecipeIsMeasured(t *testing.T) {
	for _, r := range recipes.All() {
		s := run.Scenario{Recipe: r.Name, Clients: max(6, r.MinClients), Seed: 1}
		var log event.Log
		row, err := compare.Measure(context.Background(), "sim", run.Sim, s, &log)
		if err != nil {
			t.Fatalf("%s: %v", r.Name, err)
		}
		waits, waiting, inside := false, map[event.Actor]bool{}, map[event.Actor]bool{}
		for _, e := range log.Events {
			if e.Kind != event.RecipePhase {
				continue
			}
			p := program.Phase(e.Text)
			waiting[e.Actor] = p == program.Waiting
			inside[e.Actor] = inside[e.Actor] || p.Inside()
			if !p.Inside() && inside[e.Actor] { // it leaves, perhaps for somebody
				for _, w := range waiting {
					waits = waits || w
				}
			}
		}
		maps.DeleteFunc(inside, func(_ event.Actor, was bool) bool { return !was })
		known := event.HasZooKeeper(r.Systems) || slices.ContainsFunc(r.Systems, func(s event.System) bool {
			return s.Kind == event.RedisSystem || s.Kind.HasTables() && r.Name != "db-lease-row" // too long for a log
		})
		asks := slices.ContainsFunc(log.Events, func(e event.Event) bool { // no-lock only connects
			return e.Kind == event.OpSent && e.Op != event.Connect && e.Op != event.CloseSession
		})
		if c := row.PerRelease; row.Acquisitions > 0 && ((c.Requests > 0) != asks || (c.Bytes > 0) != (asks && known)) {
			t.Errorf("%s: %v requests and %v bytes for each release", r.Name, c.Requests, c.Bytes)
		}
		if got := row.PerRelease.TimeMS; (got > 0) != (waits && len(inside) > 1) {
			t.Errorf("%s: %v ms; somebody waits: %v, %d get inside", r.Name, got, waits, len(inside))
		}
	}
}
