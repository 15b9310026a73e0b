package recipes_test

import (
	"context"
	"fmt"
	"go/format"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/host/sim"
	"github.com/zkviz/zkviz/engine/recipe"
	runs "github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/explore"
	"github.com/zkviz/zkviz/engine/stores/systems"
	"github.com/zkviz/zkviz/recipes"
	uistrings "github.com/zkviz/zkviz/static/strings"
)

func TestCatalogueIsComplete(t *testing.T) {
	kebab := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	words, err := uistrings.Load(uistrings.Source)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range recipes.All() {
		if !kebab.MatchString(r.Name) {
			t.Errorf("%q is no name like predecessor-lock", r.Name)
		}
		if key := "recipe." + r.Name; !strings.HasSuffix(words[key], ".") {
			t.Errorf("%s: in static/strings/en.json %s is %q, which is no sentence", r.Name, key, words[key])
		}
		if r.Main == nil || event.HasZooKeeper(r.Systems) && r.Parents == nil || r.MinClients < 1 {
			t.Errorf("%s: its Main, its Parents or MinClients is missing", r.Name)
		}
		if found, ok := recipe.Find(r.Name); !ok || found.Name != r.Name {
			t.Errorf("%s: not found by its name", r.Name)
		}
		for _, rule := range slices.Concat(r.Promises, r.Limits) {
			if !promise.Known(rule) {
				t.Errorf("%s promises %q, which nobody checks", r.Name, rule)
			}
		}
		for _, name := range r.Harms {
			if _, ok := fault.ParseKind(name); !ok {
				t.Errorf("%s is harmed by %q, which is no fault", r.Name, name)
			}
		}
		if src := recipes.Source(r.File); src == "" {
			t.Errorf("%s: no source in %q", r.Name, r.File)
		} else if tidy, err := format.Source([]byte(src)); err != nil || string(tidy) != src {
			t.Errorf("%s: the source that is shown is not formatted", r.Name)
		}
	}
	if _, ok := recipe.Find("nope"); ok {
		t.Error("found a recipe that is none")
	}
	if recipes.Source("../go.mod") != "" {
		t.Error("read a file outside")
	}
}

// run plays a recipe once and judges it by the rules.
func run(t *testing.T, r recipe.Recipe, clients int, cfg sim.Config, rules []string) check.Report {
	t.Helper()
	return play(t, r, recipe.Params{Root: root, Clients: clients, Rounds: 3, Hold: 400 * time.Millisecond}, cfg, rules)
}

// of is cfg with what a recipe's runs have: its name, the znodes that must be there, the nodes that it talks to.
func of(t *testing.T, r recipe.Recipe, cfg sim.Config) sim.Config {
	t.Helper()
	cfg.Recipe, cfg.NoZooKeeper = r.Name, !event.HasZooKeeper(r.Systems)
	if r.Parents != nil {
		cfg.Parents = r.Parents(root)
	}
	var err error
	if cfg.Systems, err = runs.Simulated(r.Systems); err != nil {
		t.Fatal(err)
	}
	return cfg
}

// root is what all runs work under.
const root = "/r"

// play is run with clients that are told p, all but their index.
func play(t *testing.T, r recipe.Recipe, p recipe.Params, cfg sim.Config, rules []string) check.Report {
	t.Helper()
	cfg = of(t, r, cfg)
	cfg.MaxEvents, cfg.MaxTime = 30_000, 10*time.Minute
	if cfg.NoZooKeeper {
		cfg.MaxTime = 2 * time.Minute // clients that poll have many events in little time
	}
	p.Lease = cfg.SessionTimeout
	var procs []systems.Program
	for i := 1; i <= p.Clients; i++ {
		mine := p
		mine.Index = i
		after, role := 0, ""
		if r.After != nil {
			after = r.After(i, p.Clients)
		}
		if r.Role != nil {
			role = r.Role(i, p.Clients)
		}
		procs = append(procs, systems.Program{Role: role, Start: time.Duration(i) * 30 * time.Millisecond, After: after,
			Main: func(w systems.World) error { return r.Main(w, mine) }})
	}
	c := check.New(rules, event.Header{Recipe: r.Name, Host: "sim", Root: p.Root, Clients: p.Clients, Rounds: p.Rounds,
		Parents: cfg.Parents, Keeps: r.Keeps, Systems: r.Systems})
	if err := sim.Run(context.Background(), cfg, procs, c); err != nil {
		t.Fatal(err)
	}
	return c.Report()
}

// partitions cut one of the servers off, now and then for longer than they wait for each other.
func partitions(rng *rand.Rand, servers int) (list []fault.Fault) {
	for range rng.IntN(3) {
		f := fault.Fault{Kind: fault.Partition, A: 1 << (1 + rng.IntN(servers)),
			At: time.Duration(rng.IntN(3000)) * time.Millisecond, For: time.Duration(1+rng.IntN(15_000)) * time.Millisecond}
		f.B = fault.Servers(1<<(servers+1)-2) &^ f.A
		list = append(list, f)
	}
	return list
}

func faults(rng *rand.Rand, clients, nodes int, kinds ...fault.Kind) (list []fault.Fault) {
	for range rng.IntN(5) {
		f := fault.Fault{Kind: kinds[rng.IntN(len(kinds))], Client: 1 + rng.IntN(clients),
			At: time.Duration(rng.IntN(6000)) * time.Millisecond}
		if f.Kind.Lasts() {
			f.For = time.Duration(1+rng.IntN(15_000)) * time.Millisecond
		}
		switch f.Kind.Target() {
		case fault.ToServer:
			f.Client = fault.Server
		case fault.ToNode:
			f.Client, f.Node = fault.Server, 1+rng.IntN(nodes)
		}
		list = append(list, f)
	}
	return list
}

func config(rng *rand.Rand, seed uint64) sim.Config {
	return sim.Config{Seed: seed, Latency: 4 * time.Millisecond, Jitter: time.Duration(rng.IntN(4)) * time.Millisecond,
		SessionTimeout: 4 * time.Second}
}

// every are all kinds of faults.
var every = [...]fault.Kind{fault.Crash, fault.Pause, fault.Cut, fault.Expire, fault.Drop, fault.Delay, fault.Restart}

// kinds returns the faults that a recipe's runs can have.
func kinds(r recipe.Recipe) []fault.Kind {
	if event.HasZooKeeper(r.Systems) {
		return every[:]
	}
	return explore.Kinds(r, 0)
}

// chance draws from a seed: a schedule, faults, and what the clients are told.
func chance(r recipe.Recipe, seed uint64) (recipe.Params, sim.Config) {
	rng := rand.New(rand.NewPCG(seed, 3))
	p := recipe.Params{Root: root, Clients: r.MinClients + rng.IntN(5), Rounds: 1 + rng.IntN(3),
		Hold: time.Duration(1+rng.IntN(15)) * 100 * time.Millisecond}
	if rng.IntN(8) == 0 {
		p.Hold = program.UntilSettled
	}
	cfg := config(rng, seed)
	cfg.Faults = faults(rng, p.Clients, event.NodesOf(r.Systems), kinds(r)...)
	if r.Servers > 1 {
		cfg.Servers = r.Servers
		cfg.SessionTimeout *= time.Duration(1 + rng.IntN(4))
		if rng.IntN(2) == 0 {
			cfg.Faults = nil
		}
		cfg.Faults = append(cfg.Faults, partitions(rng, r.Servers)...)
	}
	if !event.HasZooKeeper(r.Systems) { // where it is a matter of what is on its way
		cfg.Latency, cfg.Jitter = 10*cfg.Latency, 10*cfg.Jitter
	}
	return p, cfg
}

// What a recipe promises holds whatever happens to its clients and to the server.
func TestPromisesHold(t *testing.T) {
	seeds := uint64(200)
	if testing.Short() {
		seeds = 50
	}
	for _, r := range recipes.All() {
		if r.Kind == recipe.Pitfall {
			continue
		}
		t.Run(r.Name, func(t *testing.T) {
			for seed := range seeds {
				p, cfg := chance(r, seed)
				if v := play(t, r, p, cfg, r.Promises).Violations; len(v) > 0 {
					t.Fatalf("seed %d, %+v, faults %v: %s: %s", seed, p, cfg.Faults, v[0].Rule, v[0].Sentence)
				}
			}
		})
	}
}

// What it promises only within limits holds within them, and breaks outside: by a pause that is longer than
// the session, after which two clients believe that they are inside, or by what the recipe says that harms it.
func TestLimitsAreReal(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes 10,000 runs")
	}
	for _, r := range recipes.All() {
		if len(r.Limits) == 0 {
			continue
		}
		t.Run(r.Name, func(t *testing.T) {
			broken := 0
			for seed := range uint64(200) {
				rng := rand.New(rand.NewPCG(seed, 4))
				cfg := config(rng, seed)
				if v := run(t, r, 4, cfg, r.Limits).Violations; len(v) > 0 {
					t.Fatalf("seed %d, nothing wrong: %s", seed, v[0].Sentence)
				}
				pause := fault.Fault{Kind: fault.Pause, Client: 1 + rng.IntN(4),
					At: time.Duration(rng.IntN(3000)) * time.Millisecond, For: 10 * time.Second}
				for _, f := range append(harms(r, pause), pause) {
					cfg.Faults = []fault.Fault{f}
					broken += len(run(t, r, 4, cfg, r.Limits).Violations)
				}
			}
			if broken == 0 {
				t.Errorf("neither a pause nor its Harms %v broke %v: promise it without a limit, or name a fault that breaks it",
					r.Harms, r.Limits)
			}
		})
	}
}

// harms are the faults of a client that harm a recipe, at the time of another.
func harms(r recipe.Recipe, f fault.Fault) (list []fault.Fault) {
	long := f.For
	for _, name := range r.Harms {
		if f.Kind, _ = fault.ParseKind(name); f.Kind.Target() != fault.ToClient {
			continue
		}
		if f.For = 0; f.Kind.Lasts() {
			f.For = long
		}
		list = append(list, f)
	}
	return list
}

// Somebody else may delete a member's znode by hand. The member says so instead of waiting for ever, and
// nobody gets in beside the holder.
func TestZnodeDeletedByHand(t *testing.T) {
	for _, name := range []string{"children-lock", "predecessor-lock"} {
		r, _ := recipe.Find(name)
		var log event.Log
		procs := []systems.Program{
			{Main: func(w systems.World) error { return r.Main(w, params(1, time.Second)) }},
			{Start: 100 * time.Millisecond, Main: func(w systems.World) error { return r.Main(w, params(2, time.Second)) }},
			{Start: 500 * time.Millisecond, Main: systems.OnZooKeeper(func(c zoo.Client) error {
				names, _, err := c.Children("/r")
				if err != nil {
					return err
				}
				return c.Delete("/r/"+names[1], zoo.AnyVersion)
			})},
		}
		if err := sim.Run(context.Background(), sim.Config{Parents: []string{"/r"}}, procs, &log); err != nil {
			t.Fatal(err)
		}
		found := slices.ContainsFunc(log.Events, func(e event.Event) bool {
			return e.Kind == event.ClientExited && e.Actor == 2 && strings.Contains(e.Text, "somebody deleted it")
		})
		if !found {
			t.Errorf("%s: client-2 did not say that its znode was deleted", name)
		}
	}
}

func params(index int, hold time.Duration) recipe.Params {
	return recipe.Params{Root: "/r", Index: index, Clients: 3, Rounds: 1, Hold: hold}
}

// The order of a queue is that of the numbers, also where their prefixes differ.
func TestOrderIsThatOfNumbers(t *testing.T) {
	r, _ := recipe.Find("predecessor-lock")
	var log event.Log
	foreign := systems.Program{Main: systems.OnZooKeeper(func(c zoo.Client) error {
		_, err := c.Create("/r/zzz-", nil, zoo.EphemeralSequential)
		if err != nil {
			return err
		}
		return c.Sleep(2 * time.Second)
	})}
	lock := systems.Program{Start: time.Second, Main: func(w systems.World) error {
		return r.Main(w, params(2,
			time.Second))
	}}
	if err := sim.Run(context.Background(), sim.Config{Parents: []string{"/r"}}, []systems.Program{foreign, lock},
		&log); err != nil {
		t.Fatal(err)
	}
	for _, e := range log.Events {
		if e.Kind == event.RecipePhase && e.Text == string(program.Holding) {
			if e.At < 2*time.Second {
				t.Fatalf("client-2 got in at %s, ahead of a smaller number", e.At)
			}
			return
		}
	}
	t.Fatal(fmt.Sprint("nobody got in: ", len(log.Events), " events"))
}
