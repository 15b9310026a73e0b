package lab

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/room"
)

// gated is a cluster whose runs wait at a gate.
type gated struct {
	room.ZooKeeper
	begun chan struct{} // receives one value for each run that begins
	gate  chan struct{} // lets one run end for each value
	ended chan error    // receives the error of each run that ends
}

func newGated() *gated {
	return &gated{begun: make(chan struct{}, 100), gate: make(chan struct{}), ended: make(chan error, 100)}
}

func (g *gated) Place(s run.Scenario) run.Scenario { return s }

func (g *gated) Header(s run.Scenario) event.Header { return s.Header(event.Cluster) }

func (g *gated) Run(ctx context.Context, _ run.Scenario, _ event.Sink, _ <-chan fault.Fault) (err error) {
	defer func() { g.ended <- err }()
	g.begun <- struct{}{}
	select {
	case <-g.gate:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// figuresOn measures on a gated cluster. Stop does what the server does when it ends.
func figuresOn(t *testing.T) (f *figures, g *gated, stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	g = newGated()
	runs := room.New(room.Config{ZooKeeper: g, Simulations: runtime.NumCPU() - 1})
	t.Cleanup(runs.Close)
	f = newFigures(ctx, runs.Cluster(), nil)
	stop = func() { cancel(); f.close() }
	t.Cleanup(stop)
	return f, g, stop
}

// asking is a client that waits for a run's figures on the cluster.
type asking struct {
	leave context.CancelFunc
	err   chan error
}

func (f *figures) askAs(t *testing.T, who room.ClientKey, clients int) asking {
	ctx, cancel := context.WithCancel(t.Context())
	a := asking{cancel, make(chan error, 1)}
	go func() {
		_, err := f.row(ctx, ctx, who, figuresKey{recipe: "unique-lock", clients: clients, host: event.Cluster})
		a.err <- err
	}()
	return a
}

// untilAskers returns when n clients wait for a run.
func (f *figures) untilAskers(clients, n int) {
	for {
		f.mu.Lock()
		m := f.inProgress[figuresKey{recipe: "unique-lock", clients: clients, host: event.Cluster}]
		there := m != nil && m.waiting == n || m == nil && n == 0
		f.mu.Unlock()
		if there {
			return
		}
		runtime.Gosched()
	}
}

func TestEqualFiguresAreComputedOnce(t *testing.T) {
	f, g, _ := figuresOn(t)
	var all []asking
	for i := range 5 {
		all = append(all, f.askAs(t, room.ClientKey(fmt.Sprint(i)), 3))
		f.untilAskers(3, i+1)
	}
	<-g.begun
	all[0].leave() // the client that may have begun the run
	var b room.Busy
	if err := <-all[0].err; !errors.As(err, &b) {
		t.Errorf("who leaves gets %v", err)
	}
	g.gate <- struct{}{}
	for _, a := range all[1:] {
		if err := <-a.err; err != nil {
			t.Error(err)
		}
	}
	if err := <-f.askAs(t, "late", 3).err; err != nil || len(g.begun) > 0 {
		t.Errorf("who asks later gets %v, after %d more runs", err, len(g.begun))
	}
}

func TestAComputationEndsWithItsAskers(t *testing.T) {
	f, g, stop := figuresOn(t)
	a, b := f.askAs(t, "a", 3), asking{}
	<-g.begun
	b = f.askAs(t, "b", 3)
	f.untilAskers(3, 2)
	a.leave()
	<-a.err
	if len(g.ended) > 0 {
		t.Fatal("it has ended with the first that left")
	}
	b.leave()
	if err := <-g.ended; !errors.Is(err, context.Canceled) {
		t.Errorf("when all have left it ends with %v", err)
	}
	c := f.askAs(t, "c", 3) // begins another run
	<-g.begun
	stop()
	if err := <-g.ended; !errors.Is(err, context.Canceled) {
		t.Errorf("when the server stops it ends with %v", err)
	}
	if err := <-c.err; !errors.Is(err, room.ErrClosing) {
		t.Errorf("anyone who asks a server that stops gets %v", err)
	}
	if err := <-f.askAs(t, "d", 3).err; !errors.Is(err, room.ErrClosing) {
		t.Errorf("anyone who asks after the end gets %v", err)
	}
	if taken := f.live.Sessions(); taken != 0 {
		t.Errorf("%d sessions are counted, want none", taken)
	}
}

// TestWhoLoadsThePageAgainFindsTheRun checks that a run in progress goes on after its page was sent without it.
func TestWhoLoadsThePageAgainFindsTheRun(t *testing.T) {
	f, g, _ := figuresOn(t)
	key := figuresKey{recipe: "unique-lock", clients: 3, host: event.Cluster}
	patience, impatient := context.WithCancel(t.Context())
	first := make(chan error)
	go func() {
		_, err := f.row(t.Context(), patience, "a", key)
		first <- err
	}()
	<-g.begun
	impatient()
	var b room.Busy
	if err := <-first; !errors.As(err, &b) || len(g.ended) > 0 {
		t.Errorf("the page gets %v, and %d runs have ended", err, len(g.ended))
	}
	again := f.askAs(t, "a", 3)
	f.untilAskers(3, 2)
	g.gate <- struct{}{}
	if err := <-again.err; err != nil || len(g.begun) > 0 {
		t.Errorf("the page that is loaded again gets %v, after %d more runs", err, len(g.begun))
	}
}

// TestFiguresTakeTurns checks that one client's many figures leave another client the second turn.
func TestFiguresTakeTurns(t *testing.T) {
	f, g, _ := figuresOn(t)
	for n := 2; n < 22; n++ {
		f.askAs(t, "greedy", n)
		f.untilAskers(n, 1)
	}
	<-g.begun
	untilWaiting(f.onCluster, 19)
	polite := f.askAs(t, "polite", 50)
	untilWaiting(f.onCluster, 20)
	g.gate <- struct{}{}
	g.gate <- struct{}{}
	if err := <-polite.err; err != nil {
		t.Error(err)
	}
	if n := len(g.begun); n > 2 {
		t.Errorf("%d runs began before the polite one was over, want up to 2", n)
	}
}

// TestTheFirstFiguresAreForgotten checks that the latest figures are kept, no matter how many came before.
func TestTheFirstFiguresAreForgotten(t *testing.T) {
	f, g, _ := figuresOn(t)
	for i := range maxResults {
		f.results.Put(figuresKey{recipe: "unique-lock", clients: 1000 + i, host: event.Simulated}, figure{}, 1)
	}
	a := f.askAs(t, "a", 3)
	g.gate <- struct{}{}
	<-a.err
	if _, ok := f.find(figuresKey{recipe: "unique-lock", clients: 3, host: event.Cluster}); !ok {
		t.Error("the latest figures are not kept")
	}
}

// untilWaiting returns when n clients wait for a turn.
func untilWaiting(c *room.Turns, n int) {
	for c.Waiting() != n {
		runtime.Gosched()
	}
}

// crowd fills a queue with one client's maximum of waiting computations, whose turn never comes.
func crowd(t *testing.T, who room.ClientKey) *room.Turns {
	c := room.NewTurns(0)
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	t.Cleanup(func() { cancel(); wg.Wait() })
	for range room.MaxWaitingPerClient {
		wg.Go(func() { _, _ = c.Enter(ctx, who) })
	}
	untilWaiting(c, room.MaxWaitingPerClient)
	return c
}

// TestBusyIs503 checks that missing figures are left out and counted. If all are missing, the status is 503.
func TestBusyIs503(t *testing.T) {
	s, _, get := served(t)
	const who = "192.0.2.1" // httptest's address
	s.figures.slow = crowd(t, who)
	w := get("/lab/compare?recipe=unique-lock&clients=1000,2")
	if w.Code != http.StatusOK || w.Header().Get("Refresh") != "5" ||
		!strings.Contains(w.Body.String(), "still being computed: 1.") ||
		!strings.Contains(w.Body.String(), `<th scope="row">1</th>`) {
		t.Errorf("with one of two figures: %d, Refresh %q", w.Code, w.Header().Get("Refresh"))
	}
	s.figures.quick = crowd(t, who)
	for _, address := range []string{"/lab/compare?recipe=children-lock&clients=2,1000",
		"/api/figures?recipe=children-lock&clients=2"} {
		w := get(address)
		if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "5" ||
			!strings.Contains(w.Body.String(), "computations are already waiting") {
			t.Errorf("%s: %d, Retry-After %q: %.200s", address, w.Code, w.Header().Get("Retry-After"), w.Body)
		}
	}
}
