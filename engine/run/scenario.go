package run

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/arrival"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/stores/sql"
	"github.com/zkviz/zkviz/engine/stores/systems"
	"github.com/zkviz/zkviz/engine/zookeeper/zab"
)

// StreamEvents is the most events of a run whose log isn't kept, and KeptEvents the most of one whose log is kept
// in memory, at 10 to 20 bytes each.
const (
	StreamEvents = 100_000_000
	KeptEvents   = 6_000_000
)

// Scenario describes a run. In Go code, a zero value means the default that WithDefaults fills in, except for the
// seed. What somebody wrote is a Given, which knows what was specified. The table of parameters has the rest.
type Scenario struct {
	Recipe         string
	Root           string // the znode that the recipe works under
	Clients        int
	Rounds         int           // how often each client goes through the recipe
	Hold           time.Duration // how long the recipe's work takes, or program.UntilSettled
	Seed           uint64
	SessionTimeout time.Duration    // that each client requests
	Latency        time.Duration    // of each message, one way (simulator)
	Jitter         time.Duration    // the random deviation of a message's latency, either way (simulator)
	Stagger        time.Duration    // between the starts of two clients, or Together
	Servers        int              // of the ensemble (simulator); 1 for a standalone server
	Observers      int              // in addition to them
	Flaws          zab.Flaws        // of these servers
	Database       event.SystemKind // holds the recipe's tables; empty if unspecified
	Store          string           // that clients write to, if not the recipe's usual one
	Faults         []fault.Fault
	Arrivals       []arrival.Arrival // when clients come, and for how long; the others follow Stagger, Rounds and Hold
	FirstNumber    int32             // of the sequential znodes below each of the recipe's (simulator)
	Poll           recipe.Poll       // how refused clients try again, if not as the recipe does
	Lines          bool              // record the recipe's source line that each client is in
	MaxEvents      int
	// Yield is called every few events. A program that has only one thread lets others have it; nil does nothing.
	Yield func()
}

// WithDefaults returns s with every zero value replaced.
func (s Scenario) WithDefaults() Scenario {
	for _, p := range parameters {
		if p.unset(s) {
			p.fill(&s)
		}
	}
	return s.withLimits()
}

// withLimits sets the fields that have no parameter.
func (s Scenario) withLimits() Scenario {
	s.Root = cmp.Or(s.Root, "/zkviz/"+s.Recipe)
	s.MaxEvents = cmp.Or(s.MaxEvents, StreamEvents)
	return s
}

// Usual returns what its recipe and faults alone imply. A command line may leave out these values, and is read with
// them.
func (s Scenario) Usual() Scenario {
	return Scenario{Recipe: s.Recipe, Seed: defaultSeed, Faults: s.Faults}.WithDefaults()
}

// Written returns a parameter of the scenario as text: a list has several texts.
func (s Scenario) Written(name string) []string {
	p, ok := parameter(name)
	if !ok {
		panic("a scenario has no parameter " + name)
	}
	return p.write(s)
}

// Validate returns a whole sentence on what is wrong with a scenario, defaults filled in, or nil.
func (s Scenario) Validate() error {
	r, err := Recipe(s.Recipe)
	if err != nil {
		return err
	}
	return s.validate(r)
}

func (s Scenario) validate(r recipe.Recipe) error {
	for _, p := range parameters {
		if err := p.judge(s, r); err != nil {
			return err
		}
	}
	switch {
	case s.Servers > 1 && !event.HasZooKeeper(r.Systems):
		return sentence.Error("bad.servers.none", sentence.Text(s.Recipe))
	case s.Servers+s.Observers > MaxServers:
		return sentence.Error("bad.servers.all", sentence.Number(MaxServers), sentence.Number(s.Servers+s.Observers))
	case s.Observers > 0 && s.Servers == 1:
		return sentence.Error("bad.observers.alone")
	case s.MaxEvents < 1 || s.MaxEvents > StreamEvents:
		return sentence.Error("bad.events", sentence.Number(StreamEvents), sentence.Number(s.MaxEvents))
	case len(s.Root) < 2 || s.Root[0] != '/':
		return sentence.Error("bad.root", sentence.Quote(s.Root))
	}
	return nil
}

// Header describes the scenario's log on a host.
func (s Scenario) Header(host event.Host) event.Header {
	r, _ := recipe.Find(s.Recipe)
	return s.HeaderOf(r, host)
}

// HeaderOf does the same for a recipe that need not be in the catalogue.
func (s Scenario) HeaderOf(r recipe.Recipe, host event.Host) event.Header {
	h := event.Header{
		Recipe: s.Recipe, Host: host, Root: s.Root,
		Clients: s.Clients, Rounds: s.Rounds, Hold: s.Hold, Seed: s.Seed,
		SessionTimeout: s.SessionTimeout,
		Systems:        s.systems(r, host),
	}
	if host.Traits().Computed {
		h.Latency = s.Latency
	}
	describe(&h, s.On(r))
	if s.Servers > 1 && host.Traits().Computed {
		h.Promises = slices.Concat(h.Promises, promise.Invariants())
	}
	h.Faults = written(s.Faults)
	return h
}

// systems returns the systems that the recipe's programs talk to, with what is known about its ZooKeeper.
func (s Scenario) systems(r recipe.Recipe, host event.Host) []event.System {
	list := slices.Clone(s.On(r).Systems)
	if len(list) == 0 {
		list = []event.System{{Kind: event.ZooKeeperSystem}}
	}
	for i := range list {
		z := &list[i]
		if z.Kind != event.ZooKeeperSystem || !host.Traits().Computed {
			continue
		}
		z.Servers, z.Observers, z.Flaws = max(s.Servers, 1), s.Observers, s.Flaws.Names()
		if s.Servers > 1 {
			z.SyncLimit = zab.DefaultSyncLimit * tick
		}
	}
	return list
}

// ZooHeader describes the log of a subtree of what runs inside zkviz, on these servers. Whatever clients do, several
// ZooKeeper servers keep the invariants. Servers with addresses belong to somebody, and others may use them too.
func ZooHeader(root string, servers event.System) event.Header {
	h := event.Header{Host: event.Embedded, Root: root}
	switch {
	case len(servers.Addresses) > 0:
		h.Host, h.Systems = event.Tapped, []event.System{servers}
	case servers.Kind != event.ZooKeeperSystem && servers.Kind != "":
		h.Systems = []event.System{servers}
	case servers.Servers > 1:
		h.Systems, h.Promises = []event.System{servers}, promise.Invariants()
	}
	return h
}

// describe fills in what the recipe says about its runs.
func describe(h *event.Header, r recipe.Recipe) {
	h.Promises, h.Limits, h.Drawing, h.Keeps = r.Promises, r.Limits, r.Drawing, r.Keeps
	if r.Parents != nil {
		h.Parents = r.Parents(h.Root)
	}
}

// Complete fills in what a header of trace version 1 leaves out, if the catalogue knows its recipe: its promises,
// and its drawing.
func Complete(h event.Header) event.Header {
	r, ok := recipe.Find(h.Recipe)
	if !ok || len(h.Promises)+len(h.Limits) > 0 || !h.Host.Traits().Recipe {
		return h
	}
	parents, keeps := h.Parents, h.Keeps
	describe(&h, r)
	if len(parents) > 0 {
		h.Parents, h.Keeps = parents, keeps
	}
	return h
}

// Processes returns the scenario's clients with the given recipe, as a host runs them.
func (s Scenario) Processes(r recipe.Recipe) []systems.Program {
	procs := make([]systems.Program, s.Clients)
	known := s.arrivals()
	for i := range procs {
		procs[i] = s.process(r, i+1, known[i+1])
	}
	return procs
}

func (s Scenario) process(r recipe.Recipe, index int, known arrival.Arrival) systems.Program {
	p := recipe.Params{Root: s.Root, Index: index, Clients: s.Clients, Rounds: s.Rounds, Hold: s.Hold,
		Lease: s.SessionTimeout, Poll: s.Poll, Store: s.Store, Role: known.Role, Visits: known.Visits}
	p.Database, _ = sql.DialectOf(Database(s.On(r)))
	start := time.Duration(index-1) * max(s.Stagger, 0)
	if len(known.Visits) > 0 {
		p.Rounds, start = len(known.Visits), known.Visits[0].At
	}
	role := known.Role
	if r.Role != nil && role == "" {
		role = r.Role(index, s.Clients)
	}
	if r.Clocks && start > 0 {
		role = "clock −" + strconv.FormatFloat(start.Seconds(), 'f', -1, 64) + " s"
	}
	after := 0
	if r.After != nil {
		after = r.After(index, s.Clients)
	}
	return systems.Program{
		Role:           role,
		After:          after,
		Start:          start,
		SessionTimeout: known.Timeout,
		Main:           func(w systems.World) error { return r.Main(w, p) },
	}
}
