package check_test

import (
	"context"
	"runtime"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/host/sim"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/stores/systems"
	"github.com/zkviz/zkviz/recipes"
)

// scenario is a run on the simulator.
type scenario struct {
	recipe  string
	clients int
	rounds  int
	hold    time.Duration
	apart   time.Duration // between the clients' starts
	seed    uint64
	faults  []string
	servers int // 1, or an ensemble's
}

func (c scenario) run(t testing.TB, sink event.Sink) {
	t.Helper()
	r, ok := recipe.Find(c.recipe)
	if !ok {
		t.Fatalf("there is no recipe %q", c.recipe)
	}
	cfg := sim.Config{Seed: c.seed, Jitter: time.Millisecond / 2, Recipe: c.recipe, Servers: c.servers,
		NoZooKeeper: !event.HasZooKeeper(r.Systems)}
	if r.Parents != nil {
		cfg.Parents = r.Parents("/r")
	}
	var err error
	if cfg.Systems, err = run.Simulated(r.Systems); err != nil {
		t.Fatal(err)
	}
	for _, s := range c.faults {
		f, err := fault.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		cfg.Faults = append(cfg.Faults, f)
	}
	var procs []systems.Program
	for i := range c.clients {
		p := recipe.Params{Root: "/r", Index: i + 1, Clients: c.clients, Rounds: max(c.rounds, 1), Hold: c.hold,
			Lease: 10 * time.Second}
		procs = append(procs, systems.Program{
			Start: time.Duration(i) * c.apart,
			Main:  func(w systems.World) error { return r.Main(w, p) },
		})
	}
	if err := sim.Run(context.Background(), cfg, procs, sink); err != nil {
		t.Fatal(err)
	}
}

// The view and the checker count independently, and agree.
func TestTheViewCountsTheSame(t *testing.T) {
	faults := []string{"pause client-1 at 1s for 16s", "crash client-2 at 40ms", "cut client-3 at 1s for 12s",
		"expire client-4 at 2s", "drop client-5 at 3ms"}
	for _, recipe := range recipes.All() {
		if !event.HasZooKeeper(recipe.Systems) {
			continue
		}
		for i := range len(faults) + 1 {
			for n, hold := range []time.Duration{program.UntilSettled, 3 * time.Second} {
				if testing.Short() && n != i%2 {
					continue
				}
				c := scenario{recipe: recipe.Name, clients: 7, rounds: 3, hold: hold, seed: uint64(i), apart: time.Millisecond}
				if i > 0 {
					c.faults = faults[i-1 : i]
				}
				checker, state := check.New(promise.Rules(), event.Header{}), view.New()
				c.run(t, event.Tee{checker, applier{state}})
				f := checker.Report().Figures
				got := view.Counters{Requests: f.Requests, WatchesSet: f.WatchesSet, WatchesFired: f.WatchesFired,
					Acquisitions: f.Acquisitions}
				w, most := &state.Wakeups, 0
				for _, h := range w.Releases {
					most = max(most, h.Woken)
				}
				if got != state.Counts || f.ByRelease != w.ByRelease || f.ByArrival != w.ByArrival || f.Wasted != w.Wasted ||
					f.Releases != len(w.Releases) || f.MaxPerRelease != most {
					t.Errorf("%+v:\ncheck %+v\nview  %+v, woken by release %d, by arrival %d, wasted %d, %d releases, "+
						"%d woken at most",
						c, f, state.Counts, w.ByRelease, w.ByArrival, w.Wasted, len(w.Releases), most)
				}
			}
		}
	}
}

type applier struct{ state *view.State }

func (a applier) Append(e event.Event) { a.state.Apply(e) }

// During a pause that outlasts the session, two believe and one is inside.
func TestTwoBelieve(t *testing.T) {
	for _, recipe := range []string{"unique-lock", "children-lock", "predecessor-lock"} {
		checker := check.New([]string{promise.TruthExclusion, promise.BeliefExclusion}, event.Header{Host: "sim"})
		scenario{recipe: recipe, clients: 3, hold: 5 * time.Second, apart: 20 * time.Millisecond,
			faults: []string{"pause client-1 at 1s for 16s"}}.run(t, checker)
		v := checker.Report().Violations
		if len(v) == 0 || len(v) > 2 {
			t.Fatalf("%s: %+v", recipe, v)
		}
		for _, v := range v {
			if v.Rule != promise.BeliefExclusion || v.Clients[1] != 1 {
				t.Errorf("%s: %+v", recipe, v)
			}
		}
	}
}

// What the checker keeps doesn't grow with the log, once it has seen as many releases as it remembers.
func TestMemoryIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("its runs are long")
	}
	for _, recipe := range []string{"predecessor-lock", "fifo-queue", "unique-lock"} {
		used := func(rounds int) uint64 {
			rules := slices.DeleteFunc(promise.Rules(), func(r string) bool {
				switch r {
				case promise.OneWakeup, promise.GivesUpInTime: // two recipes break these hundreds of times
					return true
				case promise.Clean, promise.ServedInOrder, promise.UrgentFirst, promise.EarliestFirst, promise.AllDone:
					return true // they remember every item of a queue that grows with the run
				case promise.AtMostOnce: // it keeps what Once keeps
					return true
				}
				return false
			})
			checker := check.New(rules, event.Header{})
			scenario{recipe: recipe, clients: 6, rounds: rounds, hold: time.Millisecond, apart: time.Millisecond}.run(t, checker)
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			checker.Report()
			runtime.KeepAlive(checker)
			checker = nil
			runtime.GC()
			runtime.ReadMemStats(&after)
			return before.HeapAlloc - min(after.HeapAlloc, before.HeapAlloc)
		}
		few, many := used(700), used(2700)
		if many > few+64<<10 {
			t.Errorf("%s: %d bytes after 700 rounds, %d after 2700", recipe, few, many)
		}
	}
}

// BenchmarkChecker judges the herd of 300 clients; the figure to look at is events/s.
func BenchmarkChecker(b *testing.B) {
	for _, of := range [][2]int{{1, 300}, {3, 100}} {
		servers, clients := of[0], of[1]
		b.Run(strconv.Itoa(servers), func(b *testing.B) {
			var l event.Log
			scenario{recipe: "children-lock", clients: clients, hold: program.UntilSettled, servers: servers}.run(b, &l)
			h := event.Header{Host: "sim", Clients: clients,
				Systems: []event.System{{Kind: event.ZooKeeperSystem, Servers: servers}}}
			b.ReportAllocs()
			for b.Loop() {
				c := check.New(promise.Rules(), h)
				for _, e := range l.Events {
					c.Append(e)
				}
			}
			b.ReportMetric(float64(len(l.Events))*float64(b.N)/b.Elapsed().Seconds(), "events/s")
		})
	}
}
