package recipes_test

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/host/sim"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/stores/systems"
	"github.com/zkviz/zkviz/recipes"
)

// contenders want a lock of Redis, etcd or a database once each. All but the first queue while that is inside.
const contenders = 50

// TestCostElsewhere holds what the locks of Redis, etcd and databases cost to what was counted on a Redis 7.0, an etcd
// 3.4 and a PostgreSQL 15: requests for each acquisition within 15 %, but for those about leases and writes, and
// wakeups in all. Clients that poll keep the rhythm that they began with: they begin half a millisecond after each
// other, within half of the time between two tries; those of the database nearly together.
func TestCostElsewhere(t *testing.T) {
	const ms = time.Millisecond
	signal, _ := recipe.Find("redis-signal-list")
	messages, _ := recipe.Find("redis-pubsub-forever")
	mutex, _ := recipe.Find("etcd-mutex")
	row, _ := recipe.Find("db-unique-row")
	forUpdate, _ := recipe.Find("db-for-update")
	advisory, _ := recipe.Find("pg-advisory")
	for _, c := range []struct {
		name     string
		recipe   recipe.Recipe
		hold     time.Duration
		requests float64
		wakeups  int
	}{
		{"poll each 50 ms", recipes.Polling(recipe.Poll{Least: 50 * ms, Most: 50 * ms}), 20 * ms, 19.4, 0},
		{"poll each 50 ms, hold 100 ms", recipes.Polling(recipe.Poll{Least: 50 * ms, Most: 50 * ms}), 100 * ms, 51.5, 0},
		{"poll each 50 to 250 ms", recipes.Polling(recipe.Leisurely()), 20 * ms, 6.5, 0},
		{"messages", messages, 20 * ms, 29.5, (contenders - 1) * contenders / 2},
		{"signal list", signal, 20 * ms, 4, contenders - 1},
		{"etcd's mutex", mutex, 20 * ms, 6, contenders - 1},
		{"unique row, poll each 50 ms", polling(row, 50*ms), 20 * ms, 27.2, 0},
		{"for update", forUpdate, 20 * ms, 3, contenders - 1},
		{"advisory lock", advisory, 20 * ms, 2, contenders - 1},
	} {
		apart := ms / 2
		if c.recipe.Name == row.Name {
			apart = ms / 10
		}
		got := measure(t, c.recipe, c.hold, apart)
		if got.acquisitions != contenders {
			t.Errorf("%s: %d acquisitions", c.name, got.acquisitions)
		}
		each := float64(got.requests) / contenders
		t.Logf("%s: %.1f requests for each acquisition, %d wakeups", c.name, each, got.wakeups)
		if math.Abs(each-c.requests) > .15*c.requests {
			t.Errorf("%s: %.1f requests for each acquisition, want about %.1f", c.name, each, c.requests)
		}
		if got.wakeups != c.wakeups {
			t.Errorf("%s: %d wakeups, want %d", c.name, got.wakeups, c.wakeups)
		}
		if (c.recipe.Name == signal.Name || c.recipe.Name == mutex.Name) && got.overtaken > 0 {
			t.Errorf("%s: %d got in out of order", c.name, got.overtaken)
		}
	}
}

// cost is what a run took.
type cost struct{ requests, wakeups, acquisitions, overtaken int }

// polling is a recipe whose clients poll in that rhythm.
func polling(r recipe.Recipe, each time.Duration) recipe.Recipe {
	main := r.Main
	r.Main = func(w systems.World, p recipe.Params) error { return main(rhythm{w, each}, p) }
	return r
}

type rhythm struct {
	systems.World
	each time.Duration
}

func (r rhythm) Poll(time.Duration) error { return r.World.Poll(r.each) }

func measure(t *testing.T, r recipe.Recipe, hold, apart time.Duration) (got cost) {
	t.Helper()
	cfg := of(t, r, sim.Config{Seed: 1, Latency: 50 * time.Microsecond, Jitter: 20 * time.Microsecond})
	var procs []systems.Program
	for i := range contenders {
		p := recipe.Params{Root: root, Index: i + 1, Clients: contenders, Rounds: 1, Hold: hold, Lease: time.Minute}
		if i == 0 {
			p.Hold = program.UntilSettled
		}
		procs = append(procs, systems.Program{Start: time.Duration(i) * apart,
			Main: func(w systems.World) error { return r.Main(w, p) }})
	}
	var log event.Log
	if err := sim.Run(context.Background(), cfg, procs, &log); err != nil {
		t.Fatal(err)
	}
	last := event.Actor(0)
	for _, e := range log.Events {
		switch {
		case e.Kind == event.OpSent && e.Op == event.Command && counts(e):
			got.requests++
		case e.Kind == event.PushDelivered, e.Kind == event.RequestServed && e.Reason == event.NoReason:
			got.wakeups++
		case e.Kind == event.RecipePhase && e.Text == string(program.Holding):
			got.acquisitions++
			if e.Actor != last+1 {
				got.overtaken++
			}
			last = e.Actor
		}
	}
	return got
}

// counts reports whether a request is one of the lock: about a key or a row, but not about a lease, nor a write that it
// protects.
func counts(e event.Event) bool {
	switch e.Text {
	case "BEGIN", "COMMIT":
		return true
	}
	return e.Path != "" && !strings.HasPrefix(e.Text, "UPDATE ")
}
