package room

import (
	"context"
	"strings"
	"sync"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/hub"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run"
)

// ZooKeeper is the real cluster that the operator configured. Viewers cannot name another.
type ZooKeeper interface {
	// Place gives a scenario its own root below the configured path.
	Place(s run.Scenario) run.Scenario
	// Header returns the header of the log of that scenario's run.
	Header(s run.Scenario) event.Header
	// Run runs a scenario that has its place, and removes what it created.
	Run(ctx context.Context, s run.Scenario, sink event.Sink, inject <-chan fault.Fault) error
	// Observed returns the header of the log of an observed subtree.
	Observed(path string) event.Header
	// Observe reports that subtree and its changes until ctx ends or, with event.ErrLogFull, until the log is full.
	// It never writes.
	Observe(ctx context.Context, h event.Header, sink event.Sink) error
	// AskWatches asks the servers who watches what, and the observed logs then show it. It does nothing if they
	// were asked just before.
	AskWatches(ctx context.Context) error
}

// Limits on open sessions on the cluster, for all runs, figures and observations together.
const (
	MaxLiveSessions = 300
	// MaxLiveSessionsPerClient is the limit for one address. It allows two runs of maximum size, so that one can be
	// restarted while it still runs.
	MaxLiveSessionsPerClient = 2 * (MaxLiveClients + 1)
)

// Cluster gives access to a real ZooKeeper and divides its capacity.
type Cluster struct {
	rooms    *rooms
	zk       ZooKeeper
	name     string // the cluster's name in sentences
	readOnly bool   // only observation is allowed
	takes    func(run.Scenario) error
	treeless bool
	sessions *share // open sessions
	opening  sync.Mutex
}

func newCluster(rs *rooms, cfg Config) *Cluster {
	if cfg.Takes == nil {
		cfg.Takes = func(run.Scenario) error { return nil }
	}
	return &Cluster{
		takes: cfg.Takes, treeless: cfg.Treeless,
		rooms: rs, zk: cfg.ZooKeeper, name: cfg.Servers, readOnly: cfg.ReadOnly,
		sessions: newShare(sentence.Text(cfg.Servers), MaxLiveSessions, MaxLiveSessionsPerClient),
	}
}

// ErrReadOnly refuses requests that would write to the cluster.
var ErrReadOnly = sentence.Error("refused.read-only")

func usesCluster(r *room) bool { return r.uses(ofCluster) }

// admit makes room for one more use of the cluster.
func (l *Cluster) admit(who ClientKey) error {
	return l.rooms.admit(who, l.rooms.bounded("live", sentence.Text(l.name), MaxLive, MaxLivePerClient, usesCluster))
}

// Sessions returns the number of open sessions there.
func (l *Cluster) Sessions() int {
	l.sessions.mu.Lock()
	defer l.sessions.mu.Unlock()
	return l.sessions.taken
}

// Measure runs a scenario for a client without a room, in its own place, or returns a busy error.
func (l *Cluster) Measure(
	ctx context.Context, who ClientKey, sc run.Scenario, measure func(run.Scenario, run.Runner) error,
) error {
	if err := l.takes(sc); err != nil {
		return err
	}
	give, err := l.take(who, sessionsOf(sc.Clients))
	if err != nil {
		return err
	}
	defer give()
	return measure(l.zk.Place(sc), func(ctx context.Context, s run.Scenario, sink event.Sink) error {
		return l.zk.Run(ctx, s, sink, nil)
	})
}

// take reserves sessions for a client, or returns a busy error. The caller calls give once they are closed.
func (l *Cluster) take(who ClientKey, sessions int) (give func(), err error) {
	if err := l.sessions.take(who, sessions); err != nil {
		return nil, err
	}
	return func() { l.sessions.give(who, sessions) }, nil
}

// takeIn does what take does, for a room. If there are too many sessions, it starts to drop rooms that nobody follows.
func (l *Cluster) takeIn(who ClientKey, sessions int) (give func(), err error) {
	if give, err = l.take(who, sessions); err != nil {
		l.rooms.dropIdle(usesCluster)
	}
	return give, err
}

// sessionsOf returns how many sessions a run opens: one for each client, and one of its own.
func sessionsOf(clients int) int { return clients + 1 }

// Writable returns an error for runs that are forbidden or too large.
func (l *Cluster) Writable(clients int) error {
	switch {
	case l.readOnly:
		return ErrReadOnly
	case clients > MaxLiveClients:
		return sentence.Error("refused.sessions", sentence.Number(MaxLiveClients), sentence.Text(l.name),
			sentence.Number(clients))
	}
	return nil
}

// open starts a run on the cluster. The room exists at once, and events follow when the cluster is in reach.
func (l *Cluster) open(who ClientKey, sc run.Scenario, track func(late bool) Tracker) (*room, error) {
	if err := l.Writable(sc.Clients); err != nil {
		return nil, err
	}
	if err := l.takes(sc); err != nil {
		return nil, err
	}
	l.opening.Lock()
	defer l.opening.Unlock()
	if err := l.admit(who); err != nil {
		return nil, err
	}
	give, err := l.takeIn(who, sessionsOf(sc.Clients))
	if err != nil {
		return nil, err
	}
	sc.MaxEvents = MaxLiveEvents
	sc = l.zk.Place(sc)
	r := l.rooms.newGrowing(l.zk.Header(sc), who, ofCluster)
	r.query = sc.Query()

	first := r.growingBranch(MaxLiveEvents + lastWords)
	r.addBranch(first)
	inject := make(chan fault.Fault, 8)
	sink := first.recorder(r)
	r.carryOut = func(_ context.Context, _ int, f fault.Fault) error { return sink.carryOut(sc.Clients, inject, f) }
	ctx := r.startable()
	if err := l.rooms.open(r); err != nil {
		give()
		return nil, err
	}
	if track != nil {
		sink.steps = track(true)
	}
	r.start(ctx, func(ctx context.Context) {
		defer give()
		l.run(ctx, sc, sink, inject)
	})
	return r, nil
}

// lastWords is how many events a run may still report after it reaches its limit.
const lastWords = 1000

// run retries until the cluster is in reach, and then runs the scenario once.
func (l *Cluster) run(ctx context.Context, sc run.Scenario, sink *recorder, inject <-chan fault.Fault) {
	for {
		inner, cancel := context.WithCancel(ctx)
		sink.full = cancel
		err := l.zk.Run(inner, sc, sink, inject)
		cancel()
		if err == nil || sink.begun() || ctx.Err() != nil {
			sink.end(err)
			return
		}
		sink.room.setConnection(false, unreachable(l.name, err))
		if !hub.Pause(ctx, RetryEvery) {
			return
		}
	}
}

func unreachable(place string, err error) sentence.Sentence {
	if strings.Contains(err.Error(), place) {
		return sentence.Of("link.again", sentence.Cause(err))
	}
	return sentence.Of("link.again.at", sentence.Text(place), sentence.Cause(err))
}
