// Package cluster runs scenarios on a real ZooKeeper, through engine/host/live, and on other real systems, through
// engine/host/realtime, and observes a ZooKeeper. observe.go composes the stages of an observation.
//
// It is separate from engine/run so that programs which only simulate need not include the clients of real systems.
// The command line and the web server call it.
package cluster

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/host/live"
	"github.com/zkviz/zkviz/engine/observe"
	"github.com/zkviz/zkviz/engine/observe/ensemble"
	"github.com/zkviz/zkviz/engine/observe/feed"
	"github.com/zkviz/zkviz/engine/observe/sessions"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/stores/remote/real"
	"github.com/zkviz/zkviz/engine/stores/systems"
	"github.com/zkviz/zkviz/engine/zookeeper/access"
)

// Cluster is what the operator named: a ZooKeeper, other systems, or both.
type Cluster struct {
	Servers []string      // the ZooKeeper's, host:port
	Access  access.Dialer // opens connections to it
	Path    string        // the znode below which all runs work, itself below the chroot
	// PathExists allows Path to be a znode that was not made for runs.
	PathExists bool
	// ReachWithin is how long a run tries to reach any of the servers before it gives up; see live.Config.
	ReachWithin time.Duration
	// Slow delays every message by the scenario's latency, so that a person can follow.
	Slow bool
	// AtOnce starts clients as the scenario says and, without a ZooKeeper, with open connections: then a run's
	// duration is the recipe's, without the host's preparations. Otherwise the first client has a head start.
	AtOnce bool
	// Report receives lines about znodes that a run or a sweep left because it had not made them. Runs may call it
	// at the same time. It may be nil.
	Report func(lines []string)
	// Feed is the observed ensemble's stream of transactions; nil if it is only read.
	Feed *feed.Feed
	// Budget limits what all readers together may ask the ZooKeeper; nil for a budget each.
	Budget *observe.Budget
	// Sessions asks the ZooKeeper's servers about sessions while somebody watches; nil if nobody may.
	Sessions *sessions.Poller
	// Ensemble asks them how they are, likewise.
	Ensemble *ensemble.Poller
	// Recording says where observations are recorded.
	Recording Recording
	// Elsewhere lists the nodes of the other systems.
	Elsewhere Elsewhere
}

// Given reports whether the operator named anything.
func (c Cluster) Given() bool { return len(c.Servers) > 0 || len(c.Elsewhere) > 0 }

// headStart is the least head start of the first client. Connections of a real ZooKeeper come up in any order. With
// the head start client-1 is the first to queue, as on the simulator, and faults on client-1 hit the first holder.
const headStart = 500 * time.Millisecond

// All returns the addresses of everything named.
func (c Cluster) All() []string {
	all := slices.Clone(c.Servers)
	for _, kind := range slices.Sorted(maps.Keys(c.Elsewhere)) {
		all = append(all, c.Elsewhere.addresses(kind)...)
	}
	return all
}

// Takes returns an error for a scenario whose systems aren't all named.
func (c Cluster) Takes(s run.Scenario) error {
	r, err := c.recipe(s)
	if err != nil {
		return err
	}
	if event.HasZooKeeper(r.Systems) && len(c.Servers) == 0 {
		return sentence.Error("bad.elsewhere.zookeeper", sentence.Text(r.Name))
	}
	_, err = c.Elsewhere.nodes(r, s.Root)
	return err
}

// Where returns the addresses of the systems that a scenario runs on, none if Takes refuses it.
func (c Cluster) Where(s run.Scenario) (all []string) {
	r, err := c.recipe(s)
	if err != nil || c.Takes(s) != nil {
		return nil
	}
	if event.HasZooKeeper(r.Systems) {
		all = append(all, c.Servers...)
	}
	for _, sys := range r.Systems {
		all = append(all, c.Elsewhere.addresses(sys.Kind)...)
	}
	return all
}

// recipe returns the scenario's recipe, with the systems that it has here.
func (c Cluster) recipe(s run.Scenario) (recipe.Recipe, error) {
	r, err := run.Recipe(s.Recipe)
	if err != nil {
		return r, err
	}
	return c.choose(s, r).On(r), nil
}

// choose sets the database that a scenario runs on here: if it names none, the recipe's own, or else one that exists.
func (c Cluster) choose(s run.Scenario, r recipe.Recipe) run.Scenario {
	own := run.Database(r)
	if s.Database != "" || own == "" || len(c.Elsewhere[own]) > 0 {
		return s
	}
	if there := c.Elsewhere.Databases(); len(there) > 0 {
		s.Database = there[0]
	}
	return s
}

// Place sets a new root for one run to work under, and the database that it runs on.
func (c Cluster) Place(s run.Scenario) run.Scenario {
	s.Root = live.NewRoot(c.Path)
	r, ok := recipe.Find(s.Recipe)
	if !ok {
		return s
	}
	if !event.HasZooKeeper(r.Systems) {
		s.Root = real.NewRoot()
	}
	return c.choose(s, r)
}

// Header returns the log header of a scenario's run. It lists several servers, by whose numbers the log names them.
func (c Cluster) Header(s run.Scenario) event.Header {
	h := s.Header(event.Cluster)
	if len(c.Servers) > 1 && h.HasZooKeeper() {
		h.Systems[0].Addresses = c.Servers
	}
	return c.Elsewhere.header(h)
}

// Run runs a scenario whose root Place has set, and removes what it made. It carries out faults from inject, which
// may be nil, at once.
func (c Cluster) Run(ctx context.Context, s run.Scenario, sink event.Sink, inject <-chan fault.Fault) error {
	s = s.WithDefaults()
	if err := s.Validate(); err != nil {
		return err
	}
	r, err := c.recipe(s)
	if err != nil {
		return err
	}
	if err := c.Takes(s); err != nil {
		return err
	}
	if !event.HasZooKeeper(r.Systems) {
		return c.runElsewhere(ctx, s, r, sink, inject)
	}
	nodes, err := c.Elsewhere.nodes(r, s.Root)
	if err != nil {
		return err
	}
	cfg := live.Config{
		Nodes:   nodes,
		Servers: c.Servers, Access: c.Access, Root: s.Root, Parents: r.Parents(s.Root),
		SessionTimeout: s.SessionTimeout, Latency: c.latency(s),
		Recipe: s.Recipe, Faults: s.Faults, MaxEvents: s.MaxEvents, ReachWithin: c.ReachWithin,
		ForeignBase: c.PathExists, Report: c.report,
	}
	if s.Lines {
		cfg.Source = r.File
	}
	return live.Run(ctx, cfg, c.processes(s, r), sink, inject)
}

// processes returns the scenario's processes. The first starts before all others, unless they start at once or the
// scenario says when they come.
func (c Cluster) processes(s run.Scenario, r recipe.Recipe) []systems.Program {
	procs := s.Processes(r)
	for i := 1; i < len(procs) && !c.AtOnce && len(s.Arrivals) == 0; i++ {
		procs[i].Start = max(procs[i].Start, headStart)
	}
	return procs
}

func (c Cluster) latency(s run.Scenario) time.Duration {
	if c.Slow {
		return s.Latency
	}
	return 0
}

// Sweep removes what a crashed program left below the path.
func (c Cluster) Sweep(ctx context.Context) error { return live.Sweep(ctx, c.base()) }

// SweepNow does the same for a short-lived program: it doesn't wait for what has just crashed.
func (c Cluster) SweepNow(ctx context.Context) error { return live.SweepNow(ctx, c.base()) }

func (c Cluster) base() live.Base {
	return live.Base{Servers: c.Servers, Access: c.Access, Path: c.Path, Foreign: c.PathExists, Report: c.report}
}

func (c Cluster) report(left live.Leftovers) {
	if c.Report != nil {
		c.Report(left.Lines())
	}
}
