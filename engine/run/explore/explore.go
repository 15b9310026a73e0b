// Package explore looks for a schedule and for faults under which a recipe breaks its promises, and reduces what it
// finds to a minimal reproduction.
//
// It plays scenarios on the simulator and lets engine/analysis/check judge them; it knows nothing about ZooKeeper
// itself. The command line calls it, engine/run/room for pages, and the tests of the recipes. Its result is a function
// of its Config alone, however many processors there are.
//
// # What a seed stands for
//
// A seed is a scenario: how many clients, how slow the network, who starts when, and up to four faults (draw.go).
// With several servers half of the seeds draw the faults as a chain (chain.go), each about when the one before shows.
// Later kinds of faults come in addition, each by a stream of chance of its own (apart.go).
// Workers play the seeds in order. Once one fails, only lower seeds are still tried. What is found becomes smaller
// for as long as it breaks the same rule (shrink.go), and then a run.Scenario: a file, a command line or a link.
//
// Promises are judged under all faults. Limits are judged only where no session can end without its client's
// knowledge, and nothing happens that the recipe names as harm (calm in draw.go). Recipes on other systems have the
// faults of nodes.go: those of any client, a restart, a clock that is set, and, where nodes are replicas, a lag and a
// failover. There a lease takes the session's place: limits are judged where every client can look at the clock and
// nothing is done to a node.
//
// What servers can get wrong on purpose is in engine/zookeeper/zab; what each flaw breaks, and the smallest run
// that shows it, in flaws.go. Which fault breaks which promise of which recipe is in breaks.go.
package explore

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/zookeeper/zab"
)

// Config describes an exploration. The zero value of a field takes the default named next to it.
type Config struct {
	Recipe    recipe.Recipe // it need not be in the catalogue
	Rules     []string      // of engine/analysis/promise, that must always hold; the recipe's promises
	Limits    []string      // that must hold while no session ends unnoticed; the recipe's, if Rules is nil
	Seeds     int           // how many to try, from 1 on; 1000
	Clients   int           // the most; 5, or what the recipe needs
	Servers   int           // of the ensemble; what the recipe asks for, or 1, a standalone server
	Observers int           // in addition to them
	Flaws     zab.Flaws     // of these servers
	// Database holds the recipe's tables; empty for the recipe's own.
	Database event.SystemKind
	// Faults lists those that may happen, drawn as one group; empty for none. If it is nil, all may with that many
	// servers, and those of them in apart have streams of their own.
	Faults []fault.Kind
	apart  []fault.Kind
	// Tried, if set, is called now and then with the number of seeds tried, by several goroutines at once, and Broke
	// once a seed has broken a promise and is going to be reduced.
	Tried func(seeds int)
	Broke func()
	// Yield is called every few events, for a program with one thread: see run.Scenario. It may be nil.
	Yield func()
}

// Result is the outcome of an exploration.
type Result struct {
	Seeds int // tried: all, or up to the one that broke a promise
	Of    int // how many were to be tried
	Found *Finding
}

// Cut reports whether the exploration ended before all seeds were tried, with no promise broken by then.
func (r Result) Cut() bool { return r.Found == nil && r.Seeds < r.Of }

// Finding is a broken promise. If the exploration was cut, the scenario may not be minimal.
type Finding struct {
	Seed  uint64
	First run.Scenario // as drawn by the seed
	// Scenario is the minimal reproduction: with fewer clients, faults or rounds, and no more of the others, the
	// promise held in everything that was tried.
	Scenario  run.Scenario
	Violation promise.Violation // of Scenario
}

func (c Config) withDefaults() Config {
	c.Servers = cmp.Or(c.Servers, c.Recipe.Servers, 1)
	if c.Rules == nil && c.Flaws != 0 { // a recipe promises no more than its servers do
		c.Rules = promise.Invariants()
	} else if c.Rules == nil {
		c.Rules, c.Limits = c.Recipe.Promises, c.Recipe.Limits
		if c.Servers > 1 {
			c.Rules = slices.Concat(c.Rules, promise.Invariants())
		}
	}
	c.Seeds = cmp.Or(c.Seeds, 1000)
	c.Clients = max(cmp.Or(c.Clients, 5), c.Recipe.MinClients)
	if c.Faults == nil {
		c.Faults = Kinds(c.Recipe, c.Servers)
		c.apart = apart(c.Faults)
	}
	return c
}

// EnsembleFaults returns the faults on servers that are drawn. A server that should start again is drawn as a restart.
// No clock is set, as in serverFaults. Messages aren't drawn: nobody knows before a run which ones there are, and other
// faults delay and lose them, too.
func EnsembleFaults() []fault.Kind {
	return slices.DeleteFunc(fault.EnsembleKinds(), func(k fault.Kind) bool {
		return k == fault.StartServer || k == fault.SetOneClock || k.Target() == fault.ToMessage
	})
}

// Run tries seeds until one breaks a promise. If several do, the lowest is the result. If ctx ends, Run returns what
// was found so far, and the error.
func Run(ctx context.Context, cfg Config) (Result, error) {
	cfg = cfg.withDefaults()
	found, tried, err := cfg.search(ctx, cfg.least(), cfg.most())
	if found == nil {
		return Result{Seeds: tried, Of: cfg.Seeds}, err
	}
	if cfg.Broke != nil {
		cfg.Broke()
	}
	return Result{Seeds: int(found.Seed), Of: cfg.Seeds, Found: found}, cmp.Or(cfg.reduce(ctx, found), err)
}

// search hands out the seeds in order. Once one has failed, it tries only those below. It returns the lowest that
// failed, and how many were tried. It panics if a run does.
func (c Config) search(ctx context.Context, least, most size) (*Finding, int, error) {
	var next, tried atomic.Int64
	var limit atomic.Int64
	limit.Store(int64(c.Seeds))
	var mu sync.Mutex // guards the following
	var lowest *Finding
	var failure error // instead of a Finding, at the lowest seed

	var broken any // what a run panicked with
	try := func(seed uint64) {
		defer func() {
			if p := recover(); p != nil {
				limit.Store(0)
				mu.Lock()
				defer mu.Unlock()
				broken = cmp.Or[any](broken, fmt.Sprintf("seed %d: %v\n%s", seed, p, debug.Stack()))
			}
		}()
		s := c.draw(seed, least, most)
		v, err := c.play(ctx, s)
		mu.Lock()
		defer mu.Unlock()
		if ctx.Err() == nil {
			tried.Add(1)
		}
		switch {
		case err == nil && v == nil, err != nil && ctx.Err() != nil, int64(seed) > limit.Load():
			return
		case err != nil:
			lowest, failure = nil, err
		default:
			lowest, failure = &Finding{Seed: seed, First: s, Violation: *v}, nil
		}
		limit.Store(int64(seed))
	}
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for {
				seed := next.Add(1)
				if seed > limit.Load() || ctx.Err() != nil {
					return
				}
				if try(uint64(seed)); c.Tried != nil {
					c.Tried(int(tried.Load()))
				}
			}
		})
	}
	all.Wait()
	if broken != nil {
		panic(broken)
	}
	return lowest, int(tried.Load()), cmp.Or(ctx.Err(), failure)
}

// play runs a scenario and returns the first promise that it breaks, if any.
func (c Config) play(ctx context.Context, s run.Scenario) (*promise.Violation, error) {
	rules := c.Rules
	if c.calm(s) {
		rules = slices.Concat(rules, c.Limits)
	}
	s.Yield = c.Yield
	checker := check.New(rules, s.HeaderOf(c.Recipe, event.Simulated))
	if err := run.SimOf(ctx, c.Recipe, s, checker); err != nil {
		return nil, err
	}
	if v := checker.Report().Violations; len(v) > 0 {
		return &v[0], nil
	}
	return nil, nil
}
