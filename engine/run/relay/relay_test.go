package relay_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/hub"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run/relay"
	"github.com/zkviz/zkviz/engine/run/shared"
	"github.com/zkviz/zkviz/engine/testing/natstest"
)

// patience is how long a test waits for an event, and unhurried a lease that no busy machine ends.
const (
	patience  = 2 * time.Minute
	unhurried = time.Hour
)

func patient(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// world is what servers observe: facts, the numbers 1, 2, 3 and so on.
type world struct {
	bell hub.Bell

	mu      sync.Mutex
	facts   int
	looks   int  // Sources that run
	most    int  // of them at once
	afresh  bool // a Source can't go on with a log
	failure error
	asked   int
}

func (w *world) add(n int) {
	w.mu.Lock()
	w.facts += n
	w.mu.Unlock()
	w.bell.Ring()
}

func (w *world) see(by int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.looks += by
	w.most = max(w.most, w.looks)
}

func (w *world) now() (facts int, failure error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.facts, w.failure
}

var errAfresh = errors.New("no way to go on")

// observe reports the facts. If it goes on with a log, it says so first.
func (w *world) observe(ctx context.Context, after iter.Seq[event.Event], sink event.Sink) error {
	w.see(1)
	defer w.see(-1)
	known, seq := 0, event.Seq(0)
	emit := func(e event.Event) {
		seq++
		e.Seq, e.Session = seq, rand.Int64() // so that two never report the same event
		sink.Append(e)
	}
	if after != nil {
		if w.afresh {
			return errAfresh
		}
		for e := range after {
			if seq = e.Seq; e.Kind == event.RecipeNote {
				known = int(e.N)
			}
		}
		emit(event.Event{Kind: event.Disconnected})
	}
	for {
		news := w.bell.Next()
		facts, failure := w.now()
		for ; known < facts; known++ {
			emit(event.Event{Kind: event.RecipeNote, N: int64(known + 1)})
		}
		if failure != nil {
			return failure
		}
		select {
		case <-news:
		case <-ctx.Done():
			emit(event.EndOf(ctx.Err()))
			return ctx.Err()
		}
	}
}

func (w *world) observation(most int) relay.Observation {
	return relay.Observation{Group: "the world", Source: w.observe, Max: most, Ask: func(context.Context) error {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.asked++
		return sentence.Error("refused.watches")
	}}
}

// server has somebody who looks at the world, in one log after the other.
type server struct {
	t     *testing.T
	ctx   context.Context
	bus   *shared.Bus
	relay *relay.Relay
	o     relay.Observation

	bell hub.Bell
	mu   sync.Mutex
	logs []log
	stop func()
}

// log is a log as one server has it: D for an event that says that the observer was gone.
type log struct {
	events []event.Event
	end    error
}

func (l log) String() string {
	var b strings.Builder
	for i, e := range l.events {
		if e.Seq != event.Seq(i+1) {
			fmt.Fprintf(&b, "[event %d at %d] ", e.Seq, i+1)
		}
		if e.Kind == event.Disconnected {
			b.WriteString("D ")
		} else {
			fmt.Fprintf(&b, "%d ", e.N)
		}
	}
	if l.end != nil {
		fmt.Fprintf(&b, "(%s) ", sentence.From(l.end).Key)
	}
	return strings.TrimSpace(b.String())
}

func open(t *testing.T, cfg shared.Config) *shared.Bus {
	t.Helper()
	bus, err := shared.Open(patient(t), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(bus.Close)
	return bus
}

func serve(t *testing.T, cfg shared.Config, o relay.Observation) *server {
	t.Helper()
	s := &server{t: t, ctx: patient(t), bus: open(t, cfg), o: o}
	s.relay = relay.New(func() *shared.Bus { return s.bus }, slog.New(slog.DiscardHandler))
	s.look()
	return s
}

func (s *server) observe(ctx context.Context) error {
	if s.o.Source == nil {
		return s.relay.See(ctx, s.o.Group, s.o.Path, s)
	}
	return s.relay.Observe(ctx, s.o, s)
}

// look has somebody look from now on.
func (s *server) look() {
	ctx, cancel := context.WithCancel(s.ctx)
	var looking sync.WaitGroup
	looking.Go(func() {
		for ctx.Err() == nil {
			s.change(func() { s.logs = append(s.logs, log{}) })
			err := s.observe(ctx)
			s.change(func() { s.logs[len(s.logs)-1].end = err })
		}
	})
	s.stop = sync.OnceFunc(func() { cancel(); looking.Wait() })
	s.t.Cleanup(s.stop)
}

func (s *server) change(f func()) {
	s.mu.Lock()
	f()
	s.mu.Unlock()
	s.bell.Ring()
}

// Append takes the log's next event.
func (s *server) Append(e event.Event) {
	s.change(func() {
		l := &s.logs[len(s.logs)-1]
		l.events = append(l.events, e)
	})
}

// last returns the log that the server has now. Callers hold s.mu.
func (s *server) last() string {
	if len(s.logs) == 0 {
		return ""
	}
	return s.logs[len(s.logs)-1].String()
}

// until waits until something is true of the server.
func (s *server) until(is func() bool) {
	s.t.Helper()
	for {
		news := s.bell.Next()
		s.mu.Lock()
		ok := is()
		s.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-news:
		case <-s.ctx.Done():
			s.t.Fatalf("it doesn't come; the logs are %v", s.all())
		}
	}
}

// all returns the logs of the server.
func (s *server) all() []log {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.logs)
}

// sees waits until the server's log is as wanted.
func (s *server) sees(want string) {
	s.t.Helper()
	s.until(func() bool { return s.last() == want })
}

// TestOneObserves checks that all servers get the log of one, and that another goes on with it when that one leaves.
func TestOneObserves(t *testing.T) {
	cfg := shared.Config{URL: natstest.Start(t).URL(), Lease: unhurried}
	w := &world{facts: 2}
	a := serve(t, cfg, w.observation(100))
	a.sees("1 2")
	b, c := serve(t, cfg, w.observation(100)), serve(t, cfg, w.observation(100))
	b.sees("1 2")
	c.sees("1 2")
	w.add(1)
	for _, s := range []*server{a, b, c} {
		s.sees("1 2 3")
	}
	a.stop()
	b.sees("1 2 3 D")
	c.sees("1 2 3 D")
	w.add(1)
	b.sees("1 2 3 D 4")
	c.sees("1 2 3 D 4")
	a.look()
	a.sees("1 2 3 D 4")
	if w.most != 1 {
		t.Errorf("%d have observed at once", w.most)
	}
}

// TestAskOfOwner checks that what the observer is asked for is done by that, and by nobody else.
func TestAskOfOwner(t *testing.T) {
	cfg := shared.Config{URL: natstest.Start(t).URL(), Lease: unhurried}
	w := &world{facts: 1}
	a := serve(t, cfg, w.observation(100))
	a.sees("1")
	b := serve(t, cfg, w.observation(100))
	b.sees("1")
	here := func(context.Context) error { return nil }
	err := b.relay.Ask(b.ctx, b.o.Group, here)
	if err == nil || sentence.From(err).Key != "refused.watches" || w.asked != 1 {
		t.Errorf("asked %d times, it says %v", w.asked, err)
	}
	if err := a.relay.Ask(a.ctx, a.o.Group, here); err != nil || w.asked != 1 {
		t.Errorf("the owner says %v", err)
	}
	if got := b.relay.Stats(); got != (relay.Stats{Relayed: 1}) {
		t.Errorf("the other one has %+v", got)
	}
}

// TestLogIsFull checks that all begin anew with the same log when one is full.
func TestLogIsFull(t *testing.T) {
	cfg := shared.Config{URL: natstest.Start(t).URL(), Lease: unhurried}
	w := &world{facts: 2}
	a := serve(t, cfg, w.observation(3))
	a.sees("1 2")
	b := serve(t, cfg, w.observation(3))
	b.sees("1 2")
	w.add(2)
	for _, s := range []*server{a, b} {
		s.until(func() bool { return len(s.logs) > 1 })
		if got := s.logs[0].String(); got != "1 2 3 (error.text)" {
			t.Errorf("the full log is %s", got)
		}
	}
}

// TestAfresh checks that all begin anew when the new owner can't go on with the log, and get why an observation fails.
func TestAfresh(t *testing.T) {
	cfg := shared.Config{URL: natstest.Start(t).URL(), Lease: unhurried}
	w := &world{facts: 2, afresh: true}
	a := serve(t, cfg, w.observation(100))
	a.sees("1 2")
	b, c := serve(t, cfg, w.observation(100)), serve(t, cfg, w.observation(100))
	b.sees("1 2")
	c.sees("1 2")
	a.stop()
	b.until(func() bool { return len(b.logs) > 1 })
	b.sees("1 2")
	c.sees("1 2")
	w.mu.Lock()
	w.failure = sentence.Error("failed.observation")
	w.mu.Unlock()
	w.bell.Ring()
	for _, s := range []*server{b, c} {
		s.until(func() bool {
			return slices.ContainsFunc(s.logs, func(l log) bool { return l.String() == "1 2 (failed.observation)" })
		})
	}
}

// TestApart cuts the observing server off. Another goes on with the log; that one observes by itself, in another log,
// and gets the shared one when the link is back.
func TestApart(t *testing.T) {
	n := natstest.Start(t)
	link := n.Relay(t)
	w := &world{facts: 2}
	a := serve(t, shared.Config{URL: link.URL(), Lease: shared.LeaseAtLeast}, w.observation(100))
	a.sees("1 2")
	b := serve(t, shared.Config{URL: n.URL(), Lease: shared.LeaseAtLeast}, w.observation(100))
	b.sees("1 2")
	link.Cut()
	b.until(func() bool { return strings.HasSuffix(b.last(), "D") })
	a.until(func() bool { return len(a.logs) > 1 })
	w.add(1)
	a.sees("1 2 3")
	b.until(func() bool { return strings.HasSuffix(b.last(), "3") })
	link.Heal()
	a.until(func() bool {
		b.mu.Lock()
		defer b.mu.Unlock()
		return len(a.logs) > 2 && a.last() == b.last()
	})
	if got := a.logs[0].end; !errors.Is(got, relay.ErrApart) {
		t.Errorf("the first log ended because of %v", got)
	}
}

// TestNoRoom has a server without room for the shared log observe by itself.
func TestNoRoom(t *testing.T) {
	cfg := shared.Config{URL: natstest.Start(t).URL(), Lease: unhurried}
	w := &world{facts: 3}
	a := serve(t, cfg, w.observation(100))
	a.sees("1 2 3")
	b := serve(t, cfg, w.observation(100))
	b.sees("1 2 3")
	b.stop()
	ctx, cancel := context.WithCancel(b.ctx)
	defer cancel()
	small := sinkFunc(func(e event.Event) {
		if e.Seq == 2 {
			cancel() // as a room does whose log is full
		}
	})
	if err := b.relay.Observe(ctx, b.o, small); !errors.Is(err, context.Canceled) {
		t.Errorf("it ended because of %v", err)
	}
	b.look()
	b.sees("1 2 3")
	if w.most != 2 {
		t.Errorf("%d have observed at once", w.most)
	}
}

type sinkFunc func(event.Event)

func (f sinkFunc) Append(e event.Event) { f(e) }

// TestWithoutOthers checks a server that has no NATS.
func TestWithoutOthers(t *testing.T) {
	w := &world{facts: 2}
	s := &server{t: t, ctx: patient(t), o: w.observation(100)}
	s.relay = relay.New(func() *shared.Bus { return nil }, slog.New(slog.DiscardHandler))
	s.look()
	s.sees("1 2")
	if err := s.relay.Ask(s.ctx, s.o.Group, func(context.Context) error { return errAfresh }); err != errAfresh {
		t.Errorf("asked, it says %v", err)
	}
}
