package room

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/hub"
	"github.com/zkviz/zkviz/engine/protocol"
	"github.com/zkviz/zkviz/engine/run"
)

// Config says what runs there can be. Its zero value has the simulator only.
type Config struct {
	// Lesson finds a lesson by its slug; there are none if it is nil.
	Lesson func(slug string) (Lesson, bool)

	ZooKeeper ZooKeeper // nil if the operator named none, nor any other system
	Servers   string    // what sentences call it
	// Named are more that can be observed, and that viewers choose by their names.
	Named    map[string]ZooKeeper
	ReadOnly bool // it is observed only
	Treeless bool // it is other systems alone: nothing can be observed
	// Takes refuses scenarios that cannot be run on what the operator named; nil for none.
	Takes func(run.Scenario) error

	Zoo    Zoo      // nil if no ZooKeeper runs inside the program
	Inside []Inside // other systems that run there

	Past Past // what files tell of what has been; nil if there are none

	// Simulations is how many are computed at once, 1 to MaxComputing.
	Simulations int
	// Log is told what the operator should know; dropped if nil.
	Log *slog.Logger
}

// Lesson is one that viewers can open.
type Lesson struct {
	Scenario run.Scenario
	// Track follows a run of it, one that is seen as it happens if late.
	Track func(late bool) Tracker
}

// Tracker finds where a lesson's steps stop in a log.
type Tracker interface {
	// Track takes the log's next event and reports whether a step stops there.
	Track(e event.Event) bool
	// Steps are those that have been reached.
	Steps() []protocol.Step
}

// Runs are all runs that are kept, and the way to more. Close ends them.
type Runs struct {
	lesson  func(slug string) (Lesson, bool)
	rooms   *rooms
	sims    *simulations
	cluster *Cluster                      // nil if the operator named none
	named   map[string]*Cluster           // more, to observe
	inside  map[event.SystemKind]*zooHost // what runs inside this program
	past    Past                          // nil if there are no files
	seats   *seats
	frames  *frames

	stop       context.CancelFunc
	background sync.WaitGroup
}

// New makes Runs that look after themselves.
func New(cfg Config) *Runs {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Lesson == nil {
		cfg.Lesson = func(string) (Lesson, bool) { return Lesson{}, false }
	}
	s := &Runs{
		lesson: cfg.Lesson, rooms: newRooms(), frames: newFrames(), past: cfg.Past,
		inside: map[event.SystemKind]*zooHost{},
		seats:  newSeats(MaxSockets, MaxSocketsOfAsker),
	}
	s.sims = newSimulations(s.rooms, cfg.Log, min(max(1, cfg.Simulations), MaxComputing))
	if cfg.ZooKeeper != nil {
		s.cluster = newCluster(s.rooms, cfg)
	}
	s.named = map[string]*Cluster{}
	for name, zk := range cfg.Named {
		s.named[name] = newCluster(s.rooms, Config{ZooKeeper: zk, Servers: name, ReadOnly: true})
	}
	if cfg.Zoo != nil {
		s.inside[event.ZooKeeperSystem] = &zooHost{rooms: s.rooms, server: cfg.Zoo, contend: cfg.Zoo.Contend}
	}
	for _, in := range cfg.Inside {
		s.inside[in.System().Kind] = &zooHost{rooms: s.rooms, server: in}
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.stop = cancel
	s.background.Go(func() { s.sweep(ctx) })
	return s
}

// Cluster is the way to the real ZooKeeper, nil if there is none.
func (s *Runs) Cluster() *Cluster { return s.cluster }

// Seat takes a place for a viewer of who's, whose connection cut ends when it gives way to another. It returns a busy
// error if there is none.
func (s *Runs) Seat(who Asker, cut context.CancelFunc) (*Seat, error) {
	return s.seats.take(who, cut, time.Now())
}

// Serve talks with a viewer until it leaves, breaks the rules, is gone, or stopping ends. What is computed for it then
// ends, too. ctx ends when it gives way to others.
func (s *Runs) Serve(ctx, stopping context.Context, seat *Seat, v Viewer) {
	c := visit{v: v, who: seat.who, seat: seat, lobby: s, rooms: s.rooms, frames: s.frames}
	c.serve(ctx, stopping)
}

// sweep drops runs that nobody watches any more.
func (s *Runs) sweep(ctx context.Context) {
	for hub.Pause(ctx, sweepEvery) {
		s.rooms.sweep(time.Now())
	}
}

// Close ends all runs, and returns when those on the cluster have cleaned up.
func (s *Runs) Close() {
	s.stop()
	s.sims.close()
	s.rooms.close()
	s.background.Wait()
}

// Log is the history of a branch, as long as its run is kept.
type Log struct {
	Run    string // its name, without what tells its generations
	Header event.Header

	room   *room
	branch int
}

// Log finds a branch of a run. It reports whether the run is kept, and whether it has the branch.
func (s *Runs) Log(run string, branch int) (log Log, kept, found bool) {
	r, ok := s.rooms.find(run)
	if !ok {
		return Log{}, false, false
	}
	h, ok := r.headerOf(branch)
	return Log{Run: r.id, Header: h, room: r, branch: branch}, true, ok
}

// Events calls yield with all events, those before the branch began included, until it says no. It reports whether
// yield got them all or said no: the run may be dropped meanwhile.
func (l Log) Events(yield func(event.Event) bool) bool { return l.room.events(l.branch, yield) }

func (r *room) headerOf(branch int) (event.Header, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if branch < 0 || branch >= len(r.branches) {
		return event.Header{}, false
	}
	return r.branches[branch].header, true
}
