package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/zkviz/zkviz/engine/run"
)

// figures answers /api/figures?recipe=NAME&clients=N with what `viz-server run NAME --clients N --json`
// prints. A thousand clients take seconds, so one is computed at a time and every answer is kept: there are
// few recipes and sizes that anybody asks for, and no more than maxCachedFigures are kept.
type figures struct {
	stop context.Context // ends with the server
	turn chan struct{}   // held while figures are computed

	mu    sync.Mutex
	known map[figuresKey]content
}

type figuresKey struct {
	recipe  string
	clients int
}

// maxCachedFigures bounds what is kept, in answers of about 400 bytes.
const maxCachedFigures = 2000

// figuresTimeout is for all that wait for one another, too.
const figuresTimeout = time.Minute

func newFigures(stop context.Context) *figures {
	return &figures{stop: stop, turn: make(chan struct{}, 1), known: map[figuresKey]content{}}
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
	defer context.AfterFunc(f.stop, cancel)()
	c, err := f.of(ctx, s)
	if err != nil {
		w.Header().Set("Retry-After", "5")
		http.Error(w, "The server is busy with other figures; try again.", http.StatusServiceUnavailable)
		return
	}
	c.serve(w, r, askAgain)
}

func (f *figures) of(ctx context.Context, s run.Scenario) (content, error) {
	key := figuresKey{s.Recipe, s.Clients}
	if c, ok := f.find(key); ok {
		return c, nil
	}
	select {
	case f.turn <- struct{}{}:
		defer func() { <-f.turn }()
	case <-ctx.Done():
		return content{}, ctx.Err()
	}
	if c, ok := f.find(key); ok { // somebody else asked for the same meanwhile
		return c, nil
	}
	tally := run.NewTally(s.Header(hostSim))
	if err := run.Sim(ctx, s, tally); err != nil {
		return content{}, err
	}
	body, err := json.Marshal(tally.Summary())
	if err != nil {
		return content{}, err
	}
	c := pack("application/json", body, 4)
	f.keep(key, c)
	return c, nil
}

func (f *figures) find(key figuresKey) (content, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c, ok := f.known[key]
	return c, ok
}

func (f *figures) keep(key figuresKey, c content) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.known) < maxCachedFigures {
		f.known[key] = c
	}
}
