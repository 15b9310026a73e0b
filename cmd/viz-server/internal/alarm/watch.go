package alarm

import (
	"context"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/observe/ensemble"
	"github.com/zkviz/zkviz/engine/observe/locks"
	"github.com/zkviz/zkviz/engine/run/cluster/follow"
)

// Times of a watch.
const (
	lookEvery = 5 * time.Second
	// askedFor is how long a watch goes on after it was last asked: longer than the longest usual interval between two
	// scrapes, since Prometheus forgets a series after five minutes.
	askedFor = 150 * time.Second
	freshFor = 30 * time.Second // a state that is older is out of date
)

// Locks reports on the locks of a cluster and on its servers. *follow.Locks implements it.
type Locks interface {
	Report(ctx context.Context, path string, herds bool) (follow.Report, error)
	follow.Ensemble
}

// WatchConfig configures a Watch.
type WatchConfig struct {
	Cluster string // its name, empty for the one without
	Place   string // what the webhook calls it: its name or its servers
	Locks   Locks
	Paths   []string // those with figures of their own, besides the whole tree
	Asks    bool     // the servers are asked which clients are silent
	Webhook *Webhook // receives the troubles, and is reason enough to look; nil for none
}

// Watch looks at all locks of a cluster for as long as somebody asks for the figures or a webhook wants the troubles.
// It never asks the servers about watches, since that holds them up.
type Watch struct {
	cfg   WatchConfig
	meter *locks.Meter
	diff  locks.Diff
	of    ServerDiff
	wake  chan struct{}

	mu    sync.Mutex
	asked time.Time
	last  State
	at    time.Time // when last was current

	servers   ensemble.State
	serversAt time.Time // when it was current; zero if nobody tells
	leaders   int64     // changes of leader so far
	noted     int       // the number of the last change that is counted
}

// State is what was seen of a cluster's locks.
type State struct {
	Tallies []locks.Tally // of the whole tree, then of each path
	Reasons bool          // zkviz learns why znodes go
	Silence bool          // zkviz learns which clients are silent
	LeftOut bool          // there may be locks that zkviz doesn't follow
}

// Knows reports whether zkviz would see such a trouble.
func (s *State) Knows(k locks.Kind) bool {
	return !k.NeedsWatches() && (s.Reasons || !k.NeedsReasons()) && (s.Silence || k != locks.Quiet)
}

// NewWatch returns a Watch that looks once Run runs.
func NewWatch(cfg WatchConfig) *Watch {
	return &Watch{cfg: cfg, meter: locks.NewMeter(append([]string{"/"}, cfg.Paths...)...), wake: make(chan struct{}, 1)}
}

// Cluster returns the cluster's name.
func (w *Watch) Cluster() string { return w.cfg.Cluster }

// Run looks until ctx ends.
func (w *Watch) Run(ctx context.Context) {
	for ctx.Err() == nil {
		if !w.wanted() {
			select {
			case <-ctx.Done():
			case <-w.wake:
			}
			continue
		}
		w.lookAtServers(ctx)
		w.look(ctx)
		select {
		case <-ctx.Done():
		case <-time.After(lookEvery):
		}
	}
}

// wanted reports whether somebody wants to know.
func (w *Watch) wanted() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.cfg.Webhook != nil || !w.asked.IsZero() && time.Since(w.asked) < askedFor
}

// State asks for the figures, and returns those of a moment ago. It is false if the locks can't be seen now: the
// cluster is out of reach or has no quorum, or zkviz is still reading. It never waits.
func (w *Watch) State() (State, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = time.Now()
	select {
	case w.wake <- struct{}{}:
	default:
	}
	return w.last, !w.at.IsZero() && time.Since(w.at) < freshFor
}

// Ensemble returns how the servers are, as of a moment ago, and how often another one has led since the watch first
// looked. It is false if that isn't known. It never waits, and asks for nothing: State does.
func (w *Watch) Ensemble() (s ensemble.State, leaders int64, known bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.servers, w.leaders, !w.serversAt.IsZero() && time.Since(w.serversAt) < freshFor
}

// lookAtServers asks how the servers are.
func (w *Watch) lookAtServers(ctx context.Context) {
	s, ok := w.cfg.Locks.Ensemble(ctx)
	if ok && w.cfg.Webhook != nil {
		w.cfg.Webhook.SendServers(w.cfg.Place, w.of.Update(&s), time.Now())
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !ok {
		w.serversAt = time.Time{}
		return
	}
	for _, c := range s.Changes {
		if c.Number > w.noted && c.Kind == ensemble.NewLeader {
			w.leaders++
		}
		w.noted = max(w.noted, c.Number)
	}
	w.servers, w.serversAt = s, time.Now()
}

// look takes one report. While there is none, or it may be out of date, what was known of troubles stays.
func (w *Watch) look(ctx context.Context) {
	r, err := w.cfg.Locks.Report(ctx, "/", false)
	if err != nil || r.Away != "" || r.Reading || r.ReadOnly || r.AsOfMS != 0 {
		w.keep(State{}, time.Time{})
		return
	}
	now := time.Now()
	tallies := w.meter.Update(r.Summary, now.UnixMilli())
	if w.cfg.Webhook != nil {
		w.cfg.Webhook.Send(w.cfg.Place, w.diff.Update(r.Rows, now.UnixMilli()), now)
	}
	w.keep(State{Tallies: tallies, Reasons: r.Joined, Silence: w.cfg.Asks && len(r.Untold) == 0,
		LeftOut: r.Partial || r.Left > 0 || r.Unread.Count > 0 || r.Hidden.Of > 0}, now)
}

func (w *Watch) keep(s State, at time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last, w.at = s, at
}
