// Package cluster runs scenarios on a real ZooKeeper, through engine/live, and on other real systems, through
// engine/remote/real, and observes a ZooKeeper.
//
// It is apart from engine/run so that what only simulates need not carry their clients. The command line
// and the web server call it.
package cluster

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/access"
	"github.com/zkviz/zkviz/engine/capture"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/fault"
	"github.com/zkviz/zkviz/engine/feed"
	"github.com/zkviz/zkviz/engine/live"
	"github.com/zkviz/zkviz/engine/observe"
	"github.com/zkviz/zkviz/engine/remote/real"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/sentence"
	"github.com/zkviz/zkviz/engine/sessions"
	"github.com/zkviz/zkviz/engine/systems"
	"github.com/zkviz/zkviz/recipes"
)

// Cluster is what the operator named: a ZooKeeper, other systems, or both.
type Cluster struct {
	Servers []string      // of the ZooKeeper, host:port
	Access  access.Dialer // how connections to it are opened
	Path    string        // the znode that all runs work below, itself below the chroot
	// PathExists says that Path may be a znode that was not made for runs.
	PathExists bool
	// ReachWithin is how long a run tries to reach any of the servers before it gives up; see live.Config.
	ReachWithin time.Duration
	// Slow holds every message up for the scenario's latency, so that a person can follow.
	Slow bool
	// AtOnce has clients start as the scenario says, and where there is no ZooKeeper with their connections open: what a
	// run takes is that of the recipe, and not of a host that gets ready. Else the first has a head start.
	AtOnce bool
	// Report is told, a line each, which znodes a run or a sweep has left because it did not make them. Runs may
	// call it at the same time. It may be nil.
	Report func(lines []string)
	// Feed is what the ensemble that is observed says of its transactions; nil if it is read only.
	Feed *feed.Feed
	// Budget is what all that only read together may ask of the ZooKeeper; nil for one for each.
	Budget *observe.Budget
	// Sessions asks the ZooKeeper's servers about sessions while somebody looks; nil if nobody may.
	Sessions *sessions.Poller
	// Elsewhere are the nodes of the other systems.
	Elsewhere Elsewhere
}

// Given reports whether anything is named.
func (c Cluster) Given() bool { return len(c.Servers) > 0 || len(c.Elsewhere) > 0 }

// headStart is how much earlier than all others the first client starts at least. Connections of a real
// ZooKeeper come up in any order; with it client-1 is the first to queue, as on the simulator, and what a
// fault does to client-1 is done to the first holder.
const headStart = 500 * time.Millisecond

// All are the addresses of all that is named.
func (c Cluster) All() []string {
	all := slices.Clone(c.Servers)
	for _, kind := range slices.Sorted(maps.Keys(c.Elsewhere)) {
		all = append(all, c.Elsewhere.addresses(kind)...)
	}
	return all
}

// Takes refuses a scenario whose systems are not all named.
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

// Where are the addresses of the systems that a scenario is run on, none if it is not taken.
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

// recipe is the scenario's, with the systems that it has here.
func (c Cluster) recipe(s run.Scenario) (recipes.Recipe, error) {
	r, err := run.Recipe(s.Recipe)
	if err != nil {
		return r, err
	}
	return c.choose(s, r).On(r), nil
}

// choose is a scenario with the database that it runs on here: if it names none, the recipe's own, or else the one that
// is there.
func (c Cluster) choose(s run.Scenario, r recipes.Recipe) run.Scenario {
	own := run.Database(r)
	if s.Database != "" || own == "" || len(c.Elsewhere[own]) > 0 {
		return s
	}
	if there := c.Elsewhere.Databases(); len(there) > 0 {
		s.Database = there[0]
	}
	return s
}

// Place is a root for one run to work under, different each time, and the database that it runs on.
func (c Cluster) Place(s run.Scenario) run.Scenario {
	s.Root = live.NewRoot(c.Path)
	r, ok := recipes.Find(s.Recipe)
	if !ok {
		return s
	}
	if !event.HasZooKeeper(r.Systems) {
		s.Root = real.NewRoot()
	}
	return c.choose(s, r)
}

// Header is that of the log of a scenario's run. It names several servers, by whose numbers the log calls them.
func (c Cluster) Header(s run.Scenario) event.Header {
	h := s.Header(event.Cluster)
	if len(c.Servers) > 1 && h.HasZooKeeper() {
		h.Systems[0].Addresses = c.Servers
	}
	return c.Elsewhere.header(h)
}

// Run runs a scenario that Place has given its root, and removes what it made. A fault that comes in on
// inject, which may be nil, is carried out at once.
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

// processes are those of the scenario. The first starts before all others, unless they start at once or it is said when
// they come.
func (c Cluster) processes(s run.Scenario, r recipes.Recipe) []systems.Program {
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

// Observed is the header of the log of a subtree that is observed: by the ensemble's transactions if it has been
// joined, else by reading.
func (c Cluster) Observed(path string) event.Header {
	h := event.Header{Host: event.Observed, Root: path}
	if c.Feed != nil && c.Feed.Joined() {
		h.Host = event.Joined
	}
	return h
}

// Observe reports such a subtree and its changes until ctx ends. It never writes.
func (c Cluster) Observe(ctx context.Context, h event.Header, sink event.Sink) error {
	if h.Host == event.Joined {
		root, err := c.Access.Outer(h.Root)
		if err != nil {
			return err
		}
		beside := c.Sessions.Beside(ctx, below{c.Access, sink}, func(path string) (string, bool) {
			return path, capture.Within(path, root)
		})
		defer beside.End()
		return c.Feed.ObserveBeside(ctx, root, beside, 0, beside.Begin)
	}
	beside := c.Sessions.Beside(ctx, sink, func(path string) (string, bool) {
		path, err := c.Access.Inner(path)
		return path, err == nil && capture.Within(path, h.Root)
	})
	defer beside.End()
	a := observe.Observation{Servers: c.Servers, Access: c.Access, Path: h.Root, Budget: c.Budget, Begun: beside.Begin,
		Mine: c.Sessions.Mine}
	return a.Run(ctx, beside)
}

// below is a sink that has of each path what is below the chroot.
type below struct {
	access access.Dialer
	event.Sink
}

func (b below) Append(e event.Event) {
	if path, err := b.access.Inner(e.Path); err == nil { // not every event has one
		e.Path = path
	}
	b.Sink.Append(e)
}

// Sweep removes what a crashed program left below the path.
func (c Cluster) Sweep(ctx context.Context) error { return live.Sweep(ctx, c.base()) }

// SweepNow is Sweep for a program that does not stay: it does not wait for what has just crashed.
func (c Cluster) SweepNow(ctx context.Context) error { return live.SweepNow(ctx, c.base()) }

func (c Cluster) base() live.Base {
	return live.Base{Servers: c.Servers, Access: c.Access, Path: c.Path, Foreign: c.PathExists, Report: c.report}
}

func (c Cluster) report(left live.Leavings) {
	if c.Report != nil {
		c.Report(left.Lines())
	}
}

// AskWatches asks the servers who watches what, which every log that is being observed is told of. It holds each server
// up for a moment; if they were asked lately, they are not asked again.
func (c Cluster) AskWatches(ctx context.Context) error {
	if c.Sessions == nil {
		return sentence.Error("refused.watches")
	}
	_, err := c.Sessions.Watches(ctx)
	return err
}
