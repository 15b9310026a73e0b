package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/compare"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run"
)

// figures answers /api/figures?recipe=NAME&clients=N with what `viz-server compare NAME --clients N --json`
// prints of that run, on the simulator. A thousand clients take seconds, so one is computed at a time and every answer is kept: there are
// few recipes and sizes that anybody asks for, and no more than maxCachedFigures are kept.
type figures struct {
	stop context.Context // ends with the server
	live *live           // nil if the operator named no cluster
	turn chan struct{}   // held while figures are computed

	mu    sync.Mutex
	known map[figuresKey]figure
}

// figure is what a run came to.
type figure struct {
	row compare.Row
	at  time.Time
}

type figuresKey struct {
	recipe  string
	clients int
	host    string
}

// maxCachedFigures bounds what is kept, in answers of about 500 bytes.
const maxCachedFigures = 2000

// figuresTimeout is for all that wait for one another, too.
const figuresTimeout = time.Minute

// liveFigures are as good as new for so long: a page that is loaded again does not keep a cluster busy.
const liveFigures = time.Minute

func newFigures(stop context.Context, l *live) *figures {
	return &figures{stop: stop, live: l, turn: make(chan struct{}, 1), known: map[figuresKey]figure{}}
}

// ServeHTTP answers with JSON, or with a sentence about what was wrong.
func (f *figures) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	clients, err := strconv.Atoi(q.Get("clients"))
	if err != nil {
		http.Error(w, fmt.Sprintf("clients=%q is not a number of clients.", clip(q.Get("clients"))), http.StatusBadRequest)
		return
	}
	s := run.Scenario{Recipe: q.Get("recipe"), Clients: clients, Seed: 1}.WithDefaults()
	s.Clients = clients // 0 is no default here
	if err := s.Validate(); err != nil {
		http.Error(w, clip(err.Error()), http.StatusBadRequest)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), figuresTimeout)
	defer cancel()
	row, err := f.row(ctx, figuresKey{s.Recipe, s.Clients, hostSim})
	if err != nil {
		w.Header().Set("Retry-After", "5")
		http.Error(w, "The server is busy with other figures; try again.", http.StatusServiceUnavailable)
		return
	}
	body, err := json.Marshal(row)
	if err != nil {
		http.Error(w, "The figures could not be written.", http.StatusInternalServerError)
		return
	}
	c := pack("application/json", body, 4)
	c.serve(w, r, askAgain)
}

// row measures a run that was validated, or remembers it.
func (f *figures) row(ctx context.Context, key figuresKey) (compare.Row, error) {
	if row, ok := f.find(key); ok {
		return row, nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(f.stop, cancel)()
	select {
	case f.turn <- struct{}{}:
		defer func() { <-f.turn }()
	case <-ctx.Done():
		return compare.Row{}, ctx.Err()
	}
	if row, ok := f.find(key); ok { // somebody else asked for the same meanwhile
		return row, nil
	}
	s, host := run.Scenario{Recipe: key.recipe, Clients: key.clients, Seed: 1}.WithDefaults(), compare.Host(run.Sim)
	if key.host == hostLive {
		s = f.live.cluster.Place(s)
		host = func(ctx context.Context, s run.Scenario, sink event.Sink) error {
			return f.live.cluster.Run(ctx, s, sink, nil)
		}
	}
	row, err := compare.Measure(ctx, key.host, host, s, nil)
	if err == nil {
		f.keep(key, row)
	}
	return row, err
}

func (f *figures) find(key figuresKey) (compare.Row, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c, ok := f.known[key]
	if key.host == hostLive && time.Since(c.at) > liveFigures {
		return compare.Row{}, false
	}
	return c.row, ok
}

func (f *figures) keep(key figuresKey, row compare.Row) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, again := f.known[key]; again || len(f.known) < maxCachedFigures {
		f.known[key] = figure{row, time.Now()}
	}
}
