package live_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/host/live"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/stores/systems"
	"github.com/zkviz/zkviz/engine/testing/eventtext"
	"github.com/zkviz/zkviz/engine/testing/zktest"
	_ "github.com/zkviz/zkviz/recipes"
)

const base = "/zkviz-test"

// longest limits anything that takes a moment on an idle machine.
const longest = 10 * time.Minute

// unhurried is a session timeout for runs in which no session should end: a busy machine may stall for many
// seconds.
const unhurried = 30 * time.Second

// recorder keeps a log that tests may read while it grows.
type recorder struct {
	mu     sync.Mutex
	events []event.Event
	on     func(event.Event)
}

func (r *recorder) Append(e event.Event) {
	r.mu.Lock()
	r.events = append(r.events, e)
	on := r.on
	r.mu.Unlock()
	if on != nil {
		on(e)
	}
}

func (r *recorder) log() []event.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]event.Event(nil), r.events...)
}

func (r *recorder) count(match func(event.Event) bool) int {
	n := 0
	for _, e := range r.log() {
		if match(e) {
			n++
		}
	}
	return n
}

func (r *recorder) find(t *testing.T, what string, match func(event.Event) bool) event.Event {
	t.Helper()
	for _, e := range r.log() {
		if match(e) {
			return e
		}
	}
	r.dump(t)
	t.Fatalf("there is no event: %s", what)
	return event.Event{}
}

func (r *recorder) dump(t *testing.T) {
	t.Helper()
	const most = 2000
	log := r.log()
	for _, e := range log[max(0, len(log)-most):] {
		t.Log(eventtext.Of(e))
	}
}

func is(kind event.Kind) func(event.Event) bool {
	return func(e event.Event) bool { return e.Kind == kind }
}

// procs configures a run with the clients of a recipe.
func procs(t *testing.T, name, root string, clients int, hold time.Duration) (live.Config, []systems.Program) {
	t.Helper()
	r, ok := recipe.Find(name)
	if !ok {
		t.Fatalf("there is no recipe %s", name)
	}
	cfg := live.Config{Root: root, Parents: r.Parents(root), Recipe: name, Source: r.File, SessionTimeout: unhurried}
	var list []systems.Program
	for i := range clients {
		p := recipe.Params{Root: root, Index: i + 1, Clients: clients, Rounds: 1, Hold: hold}
		list = append(list, systems.Program{
			Start: time.Duration(i) * 500 * time.Microsecond,
			Main:  func(w systems.World) error { return r.Main(w, p) },
		})
	}
	return cfg, list
}

// runLive carries out a run and checks the rules that every log must keep.
func runLive(t *testing.T, srv *zktest.Server, cfg live.Config, list []systems.Program, r *recorder,
	inject <-chan fault.Fault) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), longest)
	defer cancel()
	cfg.Servers = []string{srv.Addr}
	err := live.Run(ctx, cfg, list, r, inject)
	lawful(t, r)
	return err
}

// undisturbed plays a run. It plays it again if the session of a client without a fault has ended: then the machine
// stalled for longer than sessions last, and the run doesn't show what it should.
func undisturbed(t *testing.T, play func() *recorder) *recorder {
	t.Helper()
	const tries = 5
	for n := 1; ; n++ {
		r := play()
		harmed := map[event.Actor]bool{}
		ended := r.count(func(e event.Event) bool {
			harmed[e.Peer] = harmed[e.Peer] || e.Kind == event.FaultInjected
			return e.Kind == event.SessionExpired && !harmed[e.Peer]
		})
		if ended == 0 || n == tries {
			return r
		}
		t.Logf("try %d: %d sessions ended by themselves", n, ended)
	}
}

// heard returns the earliest possible time of the server's last contact with a client before an event. The client's
// session can't expire before its timeout has passed since then.
func (r *recorder) heard(from event.Actor, before event.Seq) (at time.Duration) {
	log := r.log()
	for _, e := range log[:before-1] {
		if e.Peer == from && (e.Kind == event.MsgReceived || e.Kind == event.TxnApplied) && e.Cause > 0 {
			at = log[e.Cause-1].At
		}
	}
	return at
}

// lawful checks the rules that every log must keep.
func lawful(t *testing.T, r *recorder) {
	t.Helper()
	log := r.log()
	for i, e := range log {
		if e.Seq != event.Seq(i+1) {
			t.Fatalf("event %d has number %d", i+1, e.Seq)
		}
		if err := e.Valid(); err != nil {
			t.Fatal(err)
		}
		if i > 0 && e.At < log[i-1].At {
			t.Fatalf("event %d goes back in time", e.Seq)
		}
		switch e.Kind {
		case event.WatchDelivered:
			if c := log[e.Cause-1]; c.Kind != event.WatchFired || c.Peer != e.Actor || c.Path != e.Path {
				t.Fatalf("event %d is delivered because of %s", e.Seq, eventtext.Of(c))
			}
		case event.OpDone:
			if e.Cause == 0 {
				t.Fatalf("event %d has no cause", e.Seq)
			}
		}
	}
	landed(t, log)
	if n := len(log); n == 0 || log[n-1].Kind != event.RunEnded {
		t.Fatal("the log does not end with the end of the run")
	}
}

// landed checks that every message came to an end: else a reader of the log would see it under way forever. Only the
// last messages may still be under way, if the machine stalled so that nothing more is heard of the client.
func landed(t *testing.T, log []event.Event) {
	t.Helper()
	const end = 2 * time.Second
	over := map[event.Seq]bool{}
	later := map[event.Actor]time.Duration{} // the time of the last sign of each client
	for _, e := range log {
		switch e.Kind {
		case event.MsgReceived, event.MsgDropped, event.OpDone, event.WatchDelivered, event.ConnOpened:
			over[e.Cause] = true
			later[max(e.Actor, e.Peer)] = e.At
		case event.ConnClosed, event.SessionExpired, event.SessionClosed:
			later[max(e.Actor, e.Peer)] = e.At
		}
	}
	last := log[len(log)-1].At - end
	for _, e := range log {
		switch e.Kind {
		case event.MsgSent, event.WatchFired:
			who := max(e.Actor, e.Peer)
			if e.At < last && !over[e.Seq] && later[who] > e.At+end && !ended(log, who, e.At+end) {
				t.Errorf("nobody knows what became of %s", eventtext.Of(e))
			}
		}
	}
}

// ended reports whether a process was over by a given time: nobody receives what is sent to it from then on.
func ended(log []event.Event, who event.Actor, by time.Duration) bool {
	for _, e := range log {
		if e.Actor == who && e.At <= by && (e.Kind == event.ClientExited || e.Kind == event.ClientCrashed) {
			return true
		}
	}
	return false
}

// judge checks a log against rules and returns the report.
func judge(r *recorder, clients int, rules ...string) check.Report {
	c := check.New(rules, event.Header{Host: "live", Clients: clients})
	for _, e := range r.log() {
		c.Append(e)
	}
	return c.Report()
}

// causes checks that the log knows the cause of every delivered watch event.
func causes(t *testing.T, r *recorder) {
	t.Helper()
	log := r.log()
	for _, e := range log {
		if e.Kind == event.WatchDelivered && log[e.Cause-1].Cause == 0 {
			t.Errorf("nobody knows why this fired: %s", eventtext.Of(log[e.Cause-1]))
		}
	}
}

func TestHerd(t *testing.T) {
	t.Parallel()
	srv, base := zktest.Shared(t), zktest.Root(t)
	for _, n := range []int{10, 100} {
		for _, test := range []struct {
			recipe            string
			release, requests int
			perArrival        bool
		}{
			{"unique-lock", n * (n - 1) / 2, n*n + n, false},
			{"children-lock", n * (n - 1) / 2, n + n*(n+1)/2 + n, true},
			{"predecessor-lock", n - 1, 5*n - 2, false},
		} {
			t.Run(test.recipe, func(t *testing.T) {
				cfg, list := procs(t, test.recipe, live.NewRoot(base), n, program.UntilSettled)
				r := &recorder{}
				start := time.Now()
				if err := runLive(t, srv, cfg, list, r, nil); err != nil {
					t.Fatal(err)
				}
				got := judge(r, n, promise.TruthExclusion, promise.BeliefExclusion, promise.Order)
				want := test.requests
				if test.perArrival {
					want += got.Figures.ByArrival
				} else if got.Figures.ByArrival != 0 {
					t.Errorf("%d wakeups by arrival", got.Figures.ByArrival)
				}
				if got.Figures.ByRelease != test.release || got.Figures.Requests != want || got.Figures.Acquisitions != n {
					t.Errorf("N=%d: want %d wakeups by release and %d requests, got %+v", n, test.release, want, got.Figures)
				}
				if len(got.Violations) > 0 {
					t.Errorf("violations: %v", got.Violations)
				}
				causes(t, r)
				t.Logf("N=%d in %v: %+v", n, time.Since(start).Round(time.Millisecond), got.Figures)
			})
		}
	}
}
