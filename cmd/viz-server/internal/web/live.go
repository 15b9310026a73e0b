package web

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/fault"
	"github.com/zkviz/zkviz/engine/hub"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/lessons"
)

// Cluster is the ZooKeeper that the operator named. A page cannot name another.
type Cluster interface {
	// Place gives a scenario a root of its own below the configured path.
	Place(s run.Scenario) run.Scenario
	// Run runs a scenario that was given its place, and removes what it made.
	Run(ctx context.Context, s run.Scenario, sink event.Sink, inject <-chan fault.Fault) error
	// Observe reports a subtree and its changes until ctx ends or, with live.ErrLogFull, the log is long
	// enough. It never writes.
	Observe(ctx context.Context, path string, sink event.Sink) error
	// Sweep removes what a crashed server left below the configured path.
	Sweep(ctx context.Context) error
}

// Limits of the sessions that runs, figures and observations together have open on the cluster.
const (
	MaxLiveSessions = 300
	// MaxLiveSessionsOfAsker is how many one address may have: two of the largest runs, so that one can be started
	// again while it goes on.
	MaxLiveSessionsOfAsker = 2 * (MaxLiveClients + 1)
)

// live is the way to the cluster.
type live struct {
	cluster  Cluster
	servers  []string
	readOnly bool   // nothing is run there, only observed
	sessions *share // those that are open there
	opening  sync.Mutex
}

func newLive(cfg Config) *live {
	l := &live{cluster: cfg.Cluster, servers: cfg.ZK, readOnly: cfg.ReadOnly}
	l.sessions = newShare("sessions are open on "+l.place(), MaxLiveSessions, MaxLiveSessionsOfAsker)
	return l
}

// errReadOnly refuses what would write to the cluster.
var errReadOnly = errors.New("this server only reads from ZooKeeper, since others than its own machine can reach it; its operator can let them run recipes there with --zk-write")

// place is the address that sentences name.
func (l *live) place() string { return strings.Join(l.servers, ",") }

// usesCluster reports whether something of the room's still goes on there.
func usesCluster(r *room) bool { return (r.host == hostLive || r.host == hostObserved) && !r.over() }

// admit makes sure that the cluster gets no more to do than it should.
func (l *live) admit(rs *rooms, who asker) error {
	return rs.admit(who, rs.bounded("runs and observations on "+l.place(), MaxLive, MaxLiveOfAsker, usesCluster))
}

// take counts sessions for who, or returns a busy error. The caller calls give once they are closed.
func (l *live) take(who asker, sessions int) (give func(), err error) {
	if err := l.sessions.take(who, sessions); err != nil {
		return nil, err
	}
	return sync.OnceFunc(func() { l.sessions.give(who, sessions) }), nil
}

// takeIn is take for a room. If there are too many, the rooms that nobody follows begin to end.
func (l *live) takeIn(rs *rooms, who asker, sessions int) (give func(), err error) {
	if give, err = l.take(who, sessions); err != nil {
		rs.dropIdle(usesCluster)
	}
	return give, err
}

// sessionsOf is how many sessions a run opens: one for each client, and one of its own.
func sessionsOf(clients int) int { return clients + 1 }

// writable refuses runs, and those that are too large.
func (l *live) writable(clients int) error {
	switch {
	case l.readOnly:
		return errReadOnly
	case clients > MaxLiveClients:
		return fmt.Errorf("a page may open %d sessions on %s at once, not %d", MaxLiveClients, l.place(), clients)
	}
	return nil
}

// open starts a run on the cluster. The room is there at once; events come when the cluster lets them.
func (l *live) open(rs *rooms, who asker, sc run.Scenario, lesson *lessons.Lesson) (*room, error) {
	if err := l.writable(sc.Clients); err != nil {
		return nil, err
	}
	l.opening.Lock()
	defer l.opening.Unlock()
	if err := l.admit(rs, who); err != nil {
		return nil, err
	}
	give, err := l.takeIn(rs, who, sessionsOf(sc.Clients))
	if err != nil {
		return nil, err
	}
	r := rs.newRoom(hostLive, who)
	sc.MaxEvents = MaxLiveEvents
	sc = l.cluster.Place(sc)
	r.recipe, r.root, r.clients, r.query = sc.Recipe, sc.Root, sc.Clients, sc.Query()

	log := hub.New(hub.Config{Limit: MaxLiveEvents + lastWords, Bell: r.bell, Grow: r.grow})
	r.addBranch(branch{parent: -1, header: sc.Header(hostLive), log: log})
	inject := make(chan fault.Fault, 8)
	sink := &liveSink{room: r, log: log}
	r.carryOut = func(_ context.Context, _ int, f fault.Fault) error { return sink.carryOut(sc.Clients, inject, f) }
	ctx := r.startable()
	if err := rs.open(r); err != nil {
		give()
		return nil, err
	}
	if lesson != nil {
		sink.steps = lessons.NewTracker(lesson, true)
	}
	r.start(ctx, func(ctx context.Context) {
		defer give()
		l.run(ctx, sc, sink, inject)
	})
	return r, nil
}

// lastWords is how many events a run may still report that has reached its limit and ends.
const lastWords = 1000

// carryOut hands a fault to the run, which does it now, whatever time f names.
func (s *liveSink) carryOut(clients int, inject chan<- fault.Fault, f fault.Fault) error {
	if f.Client > clients {
		return fmt.Errorf("fault %q: there is no client-%d among %d clients", f, f.Client, clients)
	}
	if s.log.Status().Ended {
		return errors.New("the run is over; open it anew to do this")
	}
	if _, gone := s.gone.Load(event.Actor(f.Client)); gone {
		return fmt.Errorf("fault %q: client-%d has ended, so nothing can be done to it; start the run again and do it earlier", f, f.Client)
	}
	select {
	case inject <- f:
		return nil
	default:
		return errors.New("the run has not got to the faults before this one; try again")
	}
}

// run keeps trying until the cluster can be reached, then lets the scenario run once.
func (l *live) run(ctx context.Context, sc run.Scenario, sink *liveSink, inject <-chan fault.Fault) {
	for {
		inner, cancel := context.WithCancel(ctx)
		sink.full = cancel
		err := l.cluster.Run(inner, sc, sink, inject)
		cancel()
		if err == nil || sink.begun() || ctx.Err() != nil {
			sink.end(Advised(err))
			return
		}
		sink.room.setLink(false, unreachable(l.place(), err))
		if !pause(ctx, retryEvery) {
			return
		}
	}
}

func unreachable(place string, err error) string {
	text := clip(err.Error())
	if !strings.Contains(text, place) {
		text = place + ": " + text
	}
	return text + "; trying again"
}

// pause lets d pass; false if ctx ended first.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

// startable makes the room's stop, and returns the context that it ends.
func (r *room) startable() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	r.done = make(chan struct{})
	r.stop = func() {
		cancel()
		select {
		case <-r.done:
		case <-time.After(closeTimeout):
		}
	}
	return ctx
}

// start lets f run until it returns; it does soon after ctx ended.
func (r *room) start(ctx context.Context, f func(context.Context)) {
	go func() {
		defer close(r.done)
		f(ctx)
	}()
}

// over reports whether what ran in the room has ended.
func (r *room) over() bool {
	select {
	case <-r.done: // nil, and so never, in a room where nothing runs
		return true
	default:
		return false
	}
}

// liveSink puts what a cluster reports into a room.
type liveSink struct {
	room  *room
	log   *hub.Log
	steps *lessons.Tracker // nil outside a lesson
	full  func()           // called when the log takes no more
	count int
	gone  sync.Map // the clients, as event.Actor, whose process has ended
}

// Append takes the next event.
func (s *liveSink) Append(e event.Event) {
	s.log.Append(shortened(e))
	s.count++
	switch e.Kind {
	case event.Disconnected:
		s.room.setLink(false, clip(e.Text)+"; trying again")
	case event.Reconnected:
		s.room.setLink(true, "")
	case event.ClientExited, event.ClientCrashed:
		s.gone.Store(e.Actor, true)
	default:
		if s.count == 1 {
			s.room.setLink(true, "")
		}
	}
	if s.steps != nil {
		before := len(s.steps.Positions())
		if s.steps.Append(e); len(s.steps.Positions()) > before {
			s.room.setSteps(stepRows(s.steps))
		}
	}
	if s.log.Status().Ended {
		s.full()
	}
}

func (s *liveSink) begun() bool { return s.count > 0 }

// end closes the log and tells the followers.
func (s *liveSink) end(err error) {
	s.log.End(err)
	if err != nil && !errors.Is(err, context.Canceled) {
		s.room.fail(clip(err.Error()))
	}
	s.room.touchLog(s.log)
}
