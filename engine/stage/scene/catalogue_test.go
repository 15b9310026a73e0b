package scene_test

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/recipes"
)

// conditions are the conditions under which every recipe of the catalogue runs, at the pace of the lab.
var conditions = []struct {
	name    string
	clients int
	rounds  int
	faults  []string
}{
	{name: "calm", clients: 6},
	{name: "clients-fail", clients: 4, rounds: 2, faults: []string{
		"pause client-1 at 3s for 20s", "cut client-2 at 5s for 8s", "crash client-3 at 8s"}},
	{name: "server-fails", clients: 5, faults: []string{
		"drop client-1 at 1s", "delay client-2 at 2s for 3s", "restart server at 4s for 2s", "expire client-4 at 9s"}},
	{name: "crowd", clients: 30},
}

// played is a run of one recipe of the catalogue.
type played struct {
	recipe, condition string
	log               event.Log
}

// possible returns the faults of a condition. For a recipe without ZooKeeper it replaces the faults that need one.
func possible(r recipe.Recipe, faults []string) (list []string) {
	for _, f := range faults {
		if !event.HasZooKeeper(r.Systems) {
			f = strings.NewReplacer("restart server", "restart node-1", "expire", "vanish").Replace(f)
		}
		list = append(list, f)
	}
	return list
}

// onZooKeeper returns the recipes and pitfalls that run on ZooKeeper, and so can have several servers.
func onZooKeeper() []recipe.Recipe {
	return slices.DeleteFunc(recipes.All(), func(r recipe.Recipe) bool { return !event.HasZooKeeper(r.Systems) })
}

// catalogue runs every recipe and pitfall under all conditions, once for all tests.
var catalogue = sync.OnceValues(func() (runs []played, err error) {
	for _, r := range recipes.All() {
		for i, c := range conditions {
			s := run.Scenario{
				Recipe: r.Name, Clients: max(c.clients, r.MinClients), Rounds: c.rounds, Servers: 1,
				Seed: uint64(i + 1), Hold: 3 * time.Second,
				Latency: 300 * time.Millisecond, Jitter: 60 * time.Millisecond, Stagger: 500 * time.Millisecond,
			}
			if s.Faults, err = fault.ParseAll(possible(r, c.faults), s.Scope()); err != nil {
				return nil, err
			}
			p, err := play(s, c.name)
			if err != nil {
				return nil, err
			}
			runs = append(runs, p)
		}
	}
	return runs, nil
})

// served runs every recipe of the catalogue with 3, 5 or 7 servers. The catalogue itself uses one server, so that its
// pictures cover a standalone server.
var served = sync.OnceValues(func() (runs []played, err error) {
	for i, r := range onZooKeeper() {
		n := 3 + i%3*2
		p, err := play(run.Scenario{
			Recipe: r.Name, Clients: max(4+i%4, r.MinClients), Servers: n, Seed: uint64(i + 1), Hold: 3 * time.Second,
			Latency: 300 * time.Millisecond, Jitter: 60 * time.Millisecond, Stagger: 500 * time.Millisecond,
		}, fmt.Sprint(n, " servers"))
		if err != nil {
			return nil, err
		}
		runs = append(runs, p)
	}
	return runs, nil
})

// dots runs recipes with so many clients that most are dots: a queue with a herd effect, one without, a single znode,
// and clients that watch only the queue.
var dots = sync.OnceValues(func() (runs []played, err error) {
	for _, recipe := range []string{"children-lock", "predecessor-lock", "unique-lock", "fifo-queue"} {
		p, err := play(run.Scenario{
			Recipe: recipe, Clients: 120, Seed: 1, Hold: time.Second, Latency: 300 * time.Millisecond,
			Jitter: 100 * time.Millisecond, Stagger: 20 * time.Millisecond, MaxEvents: 20_000,
		}, "dots")
		if err != nil {
			return nil, err
		}
		runs = append(runs, p)
	}
	return runs, nil
})

func play(s run.Scenario, condition string) (played, error) {
	p := played{recipe: s.Recipe, condition: condition}
	p.log.Header = s.WithDefaults().Header("sim")
	if err := run.Sim(context.Background(), s, &p.log); err != nil {
		return p, fmt.Errorf("%s, %s: %w", s.Recipe, condition, err)
	}
	return p, nil
}

// moment is a State in a run, and a time at which it is still the latest.
type moment struct {
	played
	state *view.State
	at    time.Duration
	n     int // index among the run's moments, from 0
}

func (m *moment) String() string {
	return fmt.Sprintf("%s, %s, event %d, %v", m.recipe, m.condition, m.state.Seq, m.at)
}

// moments calls do for n moments of every run of the catalogue, or for fewer in short tests. The moments are random,
// but the same in each test run.
func moments(t *testing.T, n int, do func(m *moment)) {
	t.Helper()
	if testing.Short() {
		n = min(n, 3)
	}
	runs, err := catalogue()
	if err != nil {
		t.Fatal(err)
	}
	momentsOf(runs, n, do)
}

func momentsOf(runs []played, n int, do func(m *moment)) {
	for _, p := range runs {
		m := moment{played: p, state: view.NewFor(p.log.Header)}
		events := p.log.Events
		draw := chance(p.recipe, p.condition)
		next := 0
		for m.n = range n {
			from, to := len(events)*m.n/n, len(events)*(m.n+1)/n
			for pick := from + draw(max(to-from, 1)); next <= pick && next < len(events); next++ {
				m.state.Apply(events[next])
			}
			m.state.Tree.Order()
			m.at = m.state.At
			if next < len(events) {
				m.at += (events[next].At - m.at) * time.Duration(draw(8)) / 8
			} else {
				m.at += time.Duration(draw(5000)) * time.Millisecond
			}
			do(&m)
		}
	}
}

// chance returns a generator of numbers below its argument. Equal names give equal numbers.
func chance(names ...string) func(below int) int {
	h := fnv.New64a()
	for _, s := range names {
		h.Write([]byte(s))
	}
	return func(below int) int {
		h.Write([]byte{0})
		return int(h.Sum64() >> 20 % uint64(below))
	}
}

// stage is a realistic size of a picture, in px. On a phone held upright the stage takes a part of the page, and each
// of two pictures takes half of that.
type stage struct {
	name          string
	width, height float64
}

var stages = []stage{
	{"wide", 1280, 800}, {"laptop", 1024, 576}, {"tablet", 768, 600}, {"phone", 360, 640}, {"phone page", 360, 243},
}

// half is the size of one of two pictures on a phone wider than the narrowest. With servers, it lacks height.
var half = stage{"half of a phone's", 390, 243}
