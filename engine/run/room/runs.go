package room

import (
	"context"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/hub"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/protocol"
)

// Config says what can run. Its zero value has only the simulator.
type Config struct {
	// Lesson finds a lesson by its slug; nil for no lessons.
	Lesson func(slug string) (Lesson, bool)

	ZooKeeper ZooKeeper // nil without a configured cluster or system
	Servers   string    // its name in sentences
	// Named holds more clusters to observe, which viewers choose by name.
	Named    map[string]ZooKeeper
	ReadOnly bool // only observation is allowed
	Treeless bool // only other systems: nothing can be observed
	// Takes refuses scenarios that the configured system cannot run; nil accepts all.
	Takes func(run.Scenario) error

	Zoo    Zoo      // nil without a ZooKeeper inside the program
	Inside []Inside // other systems inside the program
	// Away returns the ZooKeeper at which a class's clients are, if that is inside another program, and nil if it is this
	// one's; nil for always that.
	Away func(class, path string) (Inside, error)

	Past Past // history from files; nil without any
	// File takes a trace file that a viewer has handed over under a name. It reports false without such a file; nil if
	// viewers can hand over none.
	File func(name string) (text []byte, ok bool)

	// Simulations is how many simulations are computed at once, 1 to MaxComputing.
	Simulations int
	// Memory is how many bytes the logs of all runs may take; MaxKept if 0.
	Memory int
	// Page says that the rooms are in a page and for it alone. Then a simulation may take longer, and what is too much is
	// something for a server.
	Page bool
	// Yield is called every few events of a computation, for a program with one thread: see run.Scenario. It may be nil.
	Yield func()
	// Log receives messages for the operator; dropped if nil.
	Log Logger
}

// Logger takes messages for the operator, as a slog.Logger does: log/slog itself would make the page's engine a
// twentieth larger.
type Logger interface {
	Error(text string, args ...any)
}

// silent is a Logger that drops everything.
type silent struct{}

func (silent) Error(string, ...any) {}

// Lesson is a lesson that viewers can open.
type Lesson struct {
	Scenario run.Scenario
	// Track returns a Tracker for a run of it. late says that the run is followed live.
	Track func(late bool) Tracker
}

// Tracker finds where a lesson's steps stop in a log.
type Tracker interface {
	// Track handles the log's next event and reports whether a step stops there.
	Track(e event.Event) bool
	// Steps returns the steps reached so far.
	Steps() []protocol.Step
}

// Runs holds all kept runs and opens more. Close ends them.
type Runs struct {
	lesson       func(slug string) (Lesson, bool)
	rooms        *rooms
	sims         *simulations
	explorations *explorations
	cluster      *Cluster // nil without a configured cluster
	named        *NamedClusters
	inside       map[event.SystemKind]*zooHost // systems inside the program
	away         func(class, path string) (Inside, error)
	awayHost     *zooHost
	past         Past // nil without files
	file         func(name string) (text []byte, ok bool)
	yield        func()
	within       time.Duration // the limit of a request
	connections  *Connections
	frames       *frames

	stop       context.CancelFunc
	background sync.WaitGroup
}

// New returns Runs that maintain themselves.
func New(cfg Config) *Runs {
	if cfg.Log == nil {
		cfg.Log = silent{}
	}
	if cfg.Away == nil {
		cfg.Away = func(string, string) (Inside, error) { return nil, nil }
	}
	if cfg.Lesson == nil {
		cfg.Lesson = func(string) (Lesson, bool) { return Lesson{}, false }
	}
	s := &Runs{
		lesson: cfg.Lesson, rooms: newRooms(), frames: newFrames(), past: cfg.Past, away: cfg.Away,
		file: cfg.File, yield: cfg.Yield,
		inside:      map[event.SystemKind]*zooHost{},
		connections: NewConnections(MaxSockets, MaxSocketsPerClient),
	}
	if cfg.Memory > 0 {
		s.rooms.maxKept, s.rooms.maxKeptEach = cfg.Memory, cfg.Memory
	}
	s.sims = newSimulations(s.rooms, cfg.Log, min(max(1, cfg.Simulations), MaxComputing))
	s.explorations = newExplorations(s.sims, cfg.Yield)
	s.within = answerTimeout
	if cfg.Page {
		s.sims.page, s.sims.timeout, s.within = true, pageTimeout, pageTimeout+answerTimeout-computeTimeout
	}
	if cfg.ZooKeeper != nil {
		s.cluster = newCluster(s.rooms, cfg)
	}
	s.named = &NamedClusters{rooms: s.rooms, all: map[string]*Cluster{}}
	for name, zk := range cfg.Named {
		s.named.Add(name, zk)
	}
	if cfg.Zoo != nil {
		s.inside[event.ZooKeeperSystem] = &zooHost{rooms: s.rooms, server: cfg.Zoo, contend: cfg.Zoo.Contend}
	}
	for _, in := range cfg.Inside {
		s.inside[in.System().Kind] = &zooHost{rooms: s.rooms, server: in}
	}
	s.awayHost = &zooHost{rooms: s.rooms}
	ctx, cancel := context.WithCancel(context.Background())
	s.stop = cancel
	s.background.Go(func() { s.sweep(ctx) })
	return s
}

// Cluster returns the access to the real ZooKeeper, or nil.
func (s *Runs) Cluster() *Cluster { return s.cluster }

// Named returns the clusters that viewers choose by name.
func (s *Runs) Named() *NamedClusters { return s.named }

// Connect takes a place for a viewer. cut ends its connection when it gives way to another. Connect returns a busy
// error if there is no place.
func (s *Runs) Connect(who ClientKey, cut context.CancelFunc) (*Connection, error) {
	return s.connections.Admit(who, cut, time.Now())
}

// Serve serves a viewer until it leaves, breaks the rules, is gone, or stopping ends. Its computations then end
// too. ctx ends when it gives way to others.
func (s *Runs) Serve(ctx, stopping context.Context, conn *Connection, v Viewer) {
	c := visit{v: v, client: conn.client, connection: conn, finder: s, rooms: s.rooms, frames: s.frames,
		within: s.within}
	c.serve(ctx, stopping)
}

// sweep drops runs without viewers.
func (s *Runs) sweep(ctx context.Context) {
	for hub.Pause(ctx, sweepEvery) {
		s.rooms.sweep(time.Now())
	}
}

// Close ends all runs and returns when those on the cluster have cleaned up.
func (s *Runs) Close() {
	s.stop()
	s.sims.close()
	s.rooms.close()
	s.background.Wait()
}
