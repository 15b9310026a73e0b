package lab

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/zkviz/zkviz/cmd/viz-server/internal/web/site"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/hub"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/compare"
	"github.com/zkviz/zkviz/engine/run/room"
)

// figures measures the costs of runs and keeps the results.
//
// A thousand clients take seconds. So one slow run is measured at a time, and one quick run beside it, and clients take
// turns in each. Requests for the same run share one measurement, which ends when nobody waits for it.
type figures struct {
	live *room.Cluster // nil if the operator named no cluster
	// atOnce runs contests on it, in which no client has a head start; nil to leave them to live.
	atOnce  run.Runner
	results *site.Cache[figuresKey, figure]

	quick, slow, onCluster *room.Turns

	stop       context.Context // ends when the server stops
	running    sync.WaitGroup
	mu         sync.Mutex
	closed     bool
	inProgress map[figuresKey]*measurement
}

// figure is a run's result.
type figure struct {
	row compare.Row
	at  time.Time
}

// figuresKey identifies a run. On a real ZooKeeper the numbers of servers and observers can't be chosen, and are 0.
type figuresKey struct {
	recipe             string
	clients            int
	servers, observers int
	host               event.Host
	moments            bool          // also tell the run: see compare.MeasureMoments
	contest            contestParams // zero for a run of compare
}

// contestParams holds a contest's additional parameters of a run.
type contestParams struct {
	rounds int
	hold   time.Duration
	seed   uint64
	poll   recipe.Poll
	// database holds the recipe's tables, empty for its own.
	database event.SystemKind
}

// apply applies the contest's parameters to a scenario.
func (e contestParams) apply(s run.Scenario) run.Scenario {
	like := compare.Contest()
	s.Rounds, s.Hold, s.Seed, s.Poll, s.Database = e.rounds, e.hold, e.seed, e.poll, e.database
	s.Latency, s.Jitter, s.Stagger = like.Latency, like.Jitter, like.Stagger
	return s
}

// measurement is a measurement that clients wait for.
type measurement struct {
	ctx    context.Context // ends with the run, or when nobody waits
	cancel context.CancelFunc

	// Guarded by figures.mu.
	waiting int
	started bool
	linger  bool // it goes on for a client that has left and will come back

	done chan struct{} // closed when row and err are set
	row  compare.Row
	err  error
}

const (
	// maxResults limits the kept results, which take about rowBytes each, and those with moments as many more as fit.
	maxResults, rowBytes = 4000, 500
	// quickClients is the maximum number of clients of a quick run, on one server. It takes a tenth of a second.
	quickClients = 200
	// figuresTimeout includes the wait for a turn.
	figuresTimeout = time.Minute
	// lingerTime is how long a run goes on after its page was sent without it, in case the page is loaded again.
	lingerTime = 15 * time.Second
	// liveFiguresTTL is how long the cluster's figures stay valid: longer than one comparison takes.
	liveFiguresTTL = 5 * time.Minute
)

func newFigures(stop context.Context, live *room.Cluster, atOnce run.Runner) *figures {
	return &figures{
		live: live, atOnce: atOnce, results: site.NewCache[figuresKey, figure](maxResults),
		quick: room.NewTurns(1), slow: room.NewTurns(1), onCluster: room.NewTurns(1),
		stop: stop, inProgress: map[figuresKey]*measurement{},
	}
}

// close waits until all measurements have ended. The server's context must have ended.
func (f *figures) close() {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	f.running.Wait()
}

// serveFigures answers /api/figures?recipe=NAME&clients=N with the output of `viz-server compare NAME --clients N
// --json` on the simulator, or with an error in words. With &with=moments it also tells the run, for herd.js.
func (s *Pages) serveFigures(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	clients, err := strconv.Atoi(q.Get("clients"))
	if err != nil {
		s.site.Refuse(w, r, http.StatusBadRequest, sentence.Error("bad.figures.clients", sentence.Quote(q.Get("clients"))))
		return
	}
	key := figuresKey{recipe: q.Get("recipe"), clients: clients, servers: 1, host: event.Simulated,
		moments: q.Get("with") == "moments"}
	_, err = scenarioOf(key)
	if err != nil {
		s.site.Refuse(w, r, http.StatusBadRequest, err)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), figuresTimeout)
	defer cancel()
	row, err := s.figures.row(ctx, ctx, site.ClientOf(r), key)
	s.answer(w, r, row, err)
}

// scenarioOf returns the scenario of a run, with defaults for other parameters.
func scenarioOf(key figuresKey) (run.Scenario, error) {
	var g run.Given
	err := errors.Join(g.Set("recipe", key.recipe), g.Set("clients", strconv.Itoa(key.clients)))
	if !key.host.Traits().RealTime {
		err = errors.Join(err, g.Set("servers", strconv.Itoa(key.servers)), g.Set("observers", strconv.Itoa(key.observers)))
	}
	if err != nil {
		return run.Scenario{}, err
	}
	s := g.Scenario()
	if key.contest != (contestParams{}) {
		s = key.contest.apply(s)
	}
	return s, s.Validate()
}

// row measures a validated run or returns the kept result. It returns a busy error when patience ends first, which is
// derived from ctx. If ctx is still open then and the run has begun, the run goes on for a while.
func (f *figures) row(ctx, patience context.Context, who room.ClientKey, key figuresKey) (compare.Row, error) {
	if row, ok := f.find(key); ok {
		return row, nil
	}
	m, err := f.join(key)
	if err != nil {
		return compare.Row{}, err
	}
	defer f.leave(key, m)
	if err := f.start(patience, who, key, m); err != nil {
		return compare.Row{}, err
	}
	select {
	case <-m.done:
		return m.row, m.err
	case <-patience.Done():
		if ctx.Err() == nil {
			f.keepGoing(key, m)
		}
	}
	return compare.Row{}, room.Busy{Why: sentence.Error("busy.figures"), Again: room.AgainSoon}
}

// join adds a client to a measurement.
func (f *figures) join(key figuresKey) (*measurement, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return nil, room.ErrClosing
	}
	m := f.inProgress[key]
	if m == nil {
		m = &measurement{done: make(chan struct{})}
		m.ctx, m.cancel = context.WithCancel(f.stop)
		f.inProgress[key] = m
	}
	m.waiting++
	return m, nil
}

// leave removes a client. The measurement ends with the last one.
func (f *figures) leave(key figuresKey, m *measurement) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if m.waiting--; m.waiting == 0 {
		f.discard(key, m)
	}
}

// discard ends a measurement, so that the next client begins another. f.mu must be held.
func (f *figures) discard(key figuresKey, m *measurement) {
	m.cancel()
	if f.inProgress[key] == m {
		delete(f.inProgress, key)
	}
}

// start waits for a turn and begins the run, unless another client does first.
func (f *figures) start(ctx context.Context, who room.ClientKey, key figuresKey, m *measurement) error {
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(m.ctx, cancel)()
	leave, err := f.turns(key).Enter(waiting, who)
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case err != nil && m.started:
		return nil // the figures are there or will come
	case err != nil:
		return err
	case m.started || f.closed:
		leave()
		return nil
	}
	m.started = true
	f.running.Go(func() {
		defer leave()
		m.row, m.err = f.measure(m.ctx, who, key)
		close(m.done)
		f.mu.Lock()
		defer f.mu.Unlock()
		f.discard(key, m)
	})
	return nil
}

// keepGoing keeps a run that has begun alive for a while without clients.
func (f *figures) keepGoing(key figuresKey, m *measurement) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !m.started || m.linger || f.closed {
		return
	}
	m.linger = true
	m.waiting++
	f.running.Go(func() {
		hub.Pause(m.ctx, lingerTime)
		f.mu.Lock()
		m.linger = false
		f.mu.Unlock()
		f.leave(key, m)
	})
}

// turns returns the queue that a run waits in.
func (f *figures) turns(key figuresKey) *room.Turns {
	switch {
	case key.host.Traits().RealTime:
		return f.onCluster
	case key.clients <= quickClients && key.servers == 1:
		return f.quick
	}
	return f.slow
}

// measure runs on the simulator or on the cluster and keeps the figures.
func (f *figures) measure(ctx context.Context, who room.ClientKey, key figuresKey) (compare.Row, error) {
	var row compare.Row
	measure := func(s run.Scenario, runner run.Runner) (err error) {
		if key.host.Traits().RealTime && key.contest != (contestParams{}) && f.atOnce != nil {
			runner = f.atOnce
		}
		if key.moments {
			row, err = compare.MeasureMoments(ctx, key.host, runner, s)
			return err
		}
		row, err = compare.Measure(ctx, key.host, runner, s, nil)
		return err
	}
	s, err := scenarioOf(key)
	switch {
	case err != nil:
	case key.host.Traits().RealTime:
		err = f.live.Measure(ctx, who, s, measure)
	default:
		err = measure(s, run.Sim)
	}
	switch {
	case err == nil:
		more := 0
		for _, text := range row.Moments {
			more += len(text)
		}
		f.results.Put(key, figure{row, time.Now()}, 1+more/rowBytes)
	case errors.Is(err, context.Canceled):
		err = room.ErrClosing // all its clients have left
	}
	return row, err
}

// find returns a run's kept figures, those of the cluster only within liveFigures.
func (f *figures) find(key figuresKey) (compare.Row, bool) {
	c, ok := f.results.Get(key)
	if key.host.Traits().RealTime && time.Since(c.at) > liveFiguresTTL {
		return compare.Row{}, false
	}
	return c.row, ok
}
