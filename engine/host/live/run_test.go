package live_test

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/host/live"
	"github.com/zkviz/zkviz/engine/observe"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/testing/eventtext"
	"github.com/zkviz/zkviz/engine/testing/zktest"
	"github.com/zkviz/zkviz/recipes"
	languages "github.com/zkviz/zkviz/static/strings"
)

// TestEveryRecipe runs every recipe with some clients, except the pitfalls: those may well get stuck.
func TestEveryRecipe(t *testing.T) {
	t.Parallel()
	srv, base := zktest.Shared(t), zktest.Root(t)
	t.Run("recipe", func(t *testing.T) { // so that all have ended when it does
		for _, r := range recipes.All() {
			if r.Kind != recipe.Pitfall && event.HasZooKeeper(r.Systems) {
				t.Run(r.Name, func(t *testing.T) { t.Parallel(); toTheEnd(t, srv, base, r) })
			}
		}
	})
	if there, _, err := direct(t, srv).Exists(base); err != nil || there {
		t.Errorf("%s is there: %v, %v", base, there, err)
	}
}

func toTheEnd(t *testing.T, srv *zktest.Server, base string, recipe recipe.Recipe) {
	cfg, list := procs(t, recipe.Name, live.NewRoot(base), max(6, recipe.MinClients), 20*time.Millisecond)
	r := &recorder{}
	if err := runLive(t, srv, cfg, list, r, nil); err != nil {
		t.Fatal(err)
	}
	exits := 0
	for _, e := range r.log() {
		if e.Kind == event.ClientExited {
			exits++
			if e.Text != "" {
				t.Errorf("client-%d: %s", e.Actor, e.Text)
			}
		}
		if e.Kind == event.ClientBlocked && e.Line == 0 {
			t.Errorf("client-%d waits in no line", e.Actor)
		}
	}
	if exits != len(list) {
		r.dump(t)
		t.Errorf("%d clients of %d ended", exits, len(list))
	}
	absent(t, srv, cfg.Root)
}

// TestNothingRunsOn compares the number of goroutines before and after runs, one of them with a crash. So no other
// test may run at the same time.
func TestNothingRunsOn(t *testing.T) {
	srv := zktest.Start(t)
	before := runtime.NumGoroutine()
	for range 3 {
		cfg, list := procs(t, "predecessor-lock", live.NewRoot(base), 5, 50*time.Millisecond)
		cfg.SessionTimeout = time.Second
		cfg.Faults = parse(t, "crash client-2 at 20ms", "expire client-3 at 30ms")
		if err := runLive(t, srv, cfg, list, &recorder{}, nil); err != nil {
			t.Fatal(err)
		}
	}
	late, giveUp := context.WithCancel(context.Background())
	defer giveUp()
	cfg, list := byHand(time.Second,
		func(c zoo.Client, _ string) error { giveUp(); return c.Work(time.Minute) },
		func(zoo.Client, string) error { return nil })
	list[1].After = 1 // and waits for it when the run is given up
	cfg.Servers = []string{srv.Addr}
	if err := live.Run(late, cfg, list, &recorder{}, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	look := observe.Observation{Servers: []string{srv.Addr}, Path: "/"}
	if err := look.Run(ctx, &recorder{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
	after := 0
	for end := time.Now().Add(5 * time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if after = runtime.NumGoroutine(); after <= before {
			return
		}
	}
	var stacks [1 << 16]byte
	t.Errorf("%d goroutines before, %d after:\n%s", before, after, stacks[:runtime.Stack(stacks[:], true)])
}

// slow delays messages, so that a person can follow.
func slow(t *testing.T, srv *zktest.Server) {
	cfg, list := procs(t, "predecessor-lock", live.NewRoot(base), 3, 20*time.Millisecond)
	cfg.Latency = 60 * time.Millisecond
	r := &recorder{}
	if err := runLive(t, srv, cfg, list, r, nil); err != nil {
		t.Fatal(err)
	}
	log := r.log()
	for _, e := range log {
		if e.Kind == event.WatchDelivered {
			if fired := log[e.Cause-1]; e.At-fired.At < cfg.Latency || fired.N != int64(cfg.Latency) {
				t.Errorf("a watch event took %v, of %v", e.At-fired.At, time.Duration(fired.N))
			}
		}
		if e.Kind == event.TxnApplied {
			if sent := log[e.Cause-1]; e.At-sent.At < cfg.Latency {
				t.Errorf("a request took %v", e.At-sent.At)
			}
		}
	}
}

// TestRestart kills the server in the middle of a run and starts it again: the sessions survive.
func TestRestart(t *testing.T) {
	t.Parallel()
	srv := zktest.Start(t)
	cfg, list := procs(t, "predecessor-lock", live.NewRoot(base), 4, 300*time.Millisecond)
	cfg.SessionTimeout = zktest.MaxSession
	second, killed := make(chan struct{}), make(chan struct{})
	held := 0
	r := &recorder{on: func(e event.Event) {
		if e.Kind == event.RecipePhase && e.Text == string(program.Holding) {
			if held++; held == 2 { // the first is gone by then
				close(second)
				<-killed // and nobody gets on meanwhile
			}
		}
	}}
	done := make(chan error, 1)
	go func() { done <- runLive(t, srv, cfg, list, r, nil) }()
	select {
	case <-second:
	case err := <-done:
		t.Fatalf("it ended before the second was in: %v", err)
	}
	srv.Kill()
	close(killed)
	srv.Start()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	for _, e := range r.log() {
		if e.Kind == event.ClientExited && e.Text != "" {
			t.Errorf("client-%d: %s", e.Actor, e.Text)
		}
	}
	away := r.find(t, "the server is away", is(event.Disconnected))
	back := r.find(t, "the server is back", is(event.Reconnected))
	if !strings.HasPrefix(away.Text, srv.Addr) || back.Seq < away.Seq {
		t.Errorf("away: %q", away.Text)
	}
	if n := r.count(is(event.SessionExpired)); n != 0 {
		r.dump(t)
		t.Errorf("%d sessions expired", n)
	}
	absent(t, srv, cfg.Root)
}

// nobody is an address on which nothing listens, now or later: no program gets such a port by chance.
const nobody = "127.0.0.1:1"

// TestUnreachable checks that a run keeps trying until it is stopped, and says where.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	const addr = nobody
	var r *recorder
	var err error
	for range 5 {
		cfg, list := procs(t, "unique-lock", live.NewRoot(base), 2, 0)
		cfg.Servers = []string{addr}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		r = &recorder{on: func(e event.Event) {
			if e.Kind == event.Disconnected {
				time.AfterFunc(1500*time.Millisecond, cancel)
			}
		}}
		if err = live.Run(ctx, cfg, list, r, nil); !strings.Contains(err.Error(), addr+": i/o timeout") {
			break
		}
	}
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), addr+": connection refused") {
		t.Errorf("it ended with %v", err)
	}
	if e := r.find(t, "that it is away", is(event.Disconnected)); e.Text != addr+": connection refused" {
		t.Errorf("it says %q", e.Text)
	}
	if end := r.find(t, "the end", is(event.RunEnded)); end.At > 0 {
		t.Errorf("the run began, and went on for %v", end.At)
	}
	lawful(t, r)
}

// TestNeverReached checks that a run gives up if no server answers from the start, and names those that it tried.
func TestNeverReached(t *testing.T) {
	t.Parallel()
	const other = "127.0.0.1:2"
	within := 2 * time.Second
	var r *recorder
	var err error
	for { // on a busy machine it may not get to try both
		cfg, list := procs(t, "unique-lock", live.NewRoot(base), 2, 0)
		cfg.Servers, cfg.ReachWithin = []string{nobody, other}, within
		r = &recorder{}
		err = live.Run(t.Context(), cfg, list, r, nil)
		if r.count(is(event.Disconnected)) > 0 || within > time.Minute {
			break
		}
		within *= 2
	}
	for _, want := range []string{nobody + ": ", other + ": ", "no server opened a session within " + within.String()} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("it ended with %v, without %q", err, want)
		}
	}
	r.find(t, "that they are away", is(event.Disconnected))
	end := r.find(t, "the end", is(event.RunEnded))
	if end.Reason != event.EndFailed || !strings.Contains(end.Text, "within "+within.String()) {
		t.Errorf("it ended with %s", eventtext.Of(end))
	}
	if n := r.count(func(e event.Event) bool { return e.Reason == event.ServerUnreached }); n != 2 {
		t.Errorf("%d servers are out of reach, not 2", n)
	}
	lawful(t, r)
}

// TestTooFewConnections checks that a run ends if the server doesn't let its clients in. The connections are taken
// before the run starts: the server counts a connection some time after accepting it, so many that come at once may
// all get in.
func TestTooFewConnections(t *testing.T) {
	t.Parallel()
	const forTheRunItself = 1
	srv := zktest.Start(t, "maxClientCnxns=4")
	for range 4 - forTheRunItself {
		if _, _, err := direct(t, srv).Get("/"); err != nil {
			t.Fatal(err)
		}
	}
	var err error
	for range 5 {
		cfg, list := procs(t, "unique-lock", live.NewRoot(base), 6, program.UntilSettled)
		r := &recorder{}
		err = runLive(t, srv, cfg, list, r, nil)
		if r.count(is(event.Disconnected)) == 0 {
			break
		}
		t.Log("the run itself lost its place for a while, and others may have got in")
	}
	if err == nil || !strings.Contains(err.Error(), "maxClientCnxns") {
		t.Errorf("it ended with %v", err)
	}
}

// stuck ends a run in which everyone waits for a client that has crashed.
func stuck(t *testing.T, srv *zktest.Server) {
	r := undisturbed(t, func() *recorder { return waitForCrashed(t, srv) })
	log := r.log()
	if end := log[len(log)-1]; end.Reason != event.EndStuck {
		t.Errorf("it ended because %v", end.Reason)
	}
	r.find(t, "the crashed session expires first", is(event.SessionExpired))
}

func waitForCrashed(t *testing.T, srv *zktest.Server) *recorder {
	cfg, list := byHand(8*time.Second,
		func(c zoo.Client, root string) error { return c.Sleep(time.Minute) },
		func(c zoo.Client, root string) error {
			_, _, w, err := c.ExistsW(root + "/never")
			if err == nil {
				_, err = c.Await(0, w)
			}
			return err
		})
	inject := make(chan fault.Fault, 1)
	ready := map[event.Actor]bool{}
	r := &recorder{on: func(e event.Event) {
		if e.Kind == event.ConnOpened && e.Actor == 1 || e.Kind == event.ClientBlocked && e.Actor == 2 {
			before := len(ready)
			if ready[e.Actor] = true; before == 1 && len(ready) == 2 { // not when one of them connects again
				inject <- fault.Fault{Kind: fault.Crash, Client: 1}
				close(inject) // nothing more comes in
			}
		}
	}}
	if err := runLive(t, srv, cfg, list, r, inject); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestLostAnswers kills the server again and again while a client creates znodes: the log must have every one.
func TestLostAnswers(t *testing.T) {
	t.Parallel()
	srv := zktest.Start(t)
	stop := make(chan struct{})
	cfg, list := byHand(30*time.Second, func(c zoo.Client, root string) error {
		for {
			select {
			case <-stop:
				return nil
			default:
			}
			if _, err := c.Create(root+"/n-", nil, zoo.PersistentSequential); err != nil &&
				!errors.Is(err, zoo.ErrConnectionLoss) {
				return err
			}
		}
	})
	made := make(chan struct{}, 1)
	r := &recorder{on: func(e event.Event) {
		if e.Kind == event.OpDone && e.Op == event.Create && e.Code == 0 {
			select {
			case made <- struct{}{}:
			default:
			}
		}
	}}
	done := make(chan error, 1)
	go func() { done <- runLive(t, srv, cfg, list, r, nil) }()
	another := func() {
		select { // one that was created before
		case <-made:
		default:
		}
		select {
		case <-made:
		case err := <-done:
			t.Fatalf("the run is over: %v", err)
		}
	}
	for range 3 {
		another()
		srv.Restart()
	}
	another() // everybody is back
	names, _, err := direct(t, srv).Children(cfg.Root)
	close(stop)
	if err := errors.Join(err, <-done); err != nil {
		t.Fatal(err)
	}
	logged := map[string]bool{}
	for _, e := range r.log() {
		if e.Kind == event.ZnodeCreated {
			if logged[e.Path] {
				t.Errorf("%s was made twice", e.Path)
			}
			logged[e.Path] = true
		}
	}
	for _, name := range names {
		if !logged[cfg.Root+"/"+name] {
			t.Errorf("nobody knows that %s was made", name)
		}
	}
	lost := r.count(func(e event.Event) bool { return zoo.Code(e.Code) == zoo.ErrConnectionLoss })
	t.Logf("%d znodes, %d answers lost", len(names), lost)
}

// oneOfThree runs on an ensemble of which two members are away. The log must not report that as a disconnection
// unless the third doesn't answer for a while.
func oneOfThree(t *testing.T, srv *zktest.Server) {
	cfg, list := procs(t, "predecessor-lock", live.NewRoot(base), 4, 10*time.Millisecond)
	cfg.Servers = []string{nobody, srv.Addr, "127.0.0.1:2"}
	ctx, cancel := context.WithTimeout(context.Background(), longest)
	defer cancel()
	r := &recorder{}
	if err := live.Run(ctx, cfg, list, r, nil); err != nil {
		t.Fatal(err)
	}
	for _, e := range r.log() {
		if e.Kind == event.Disconnected && !strings.Contains(e.Text, srv.Addr) {
			t.Errorf("out of reach: %s", e.Text)
		}
	}
}

func TestBadConfig(t *testing.T) {
	good, list := procs(t, "unique-lock", live.NewRoot(base), 2, 0)
	good.Servers = []string{nobody}
	for want, spoil := range map[string]func(*live.Config){
		"no server is given":           func(c *live.Config) { c.Servers = nil },
		"was not made by NewRoot":      func(c *live.Config) { c.Root = "/zkviz" },
		"not under":                    func(c *live.Config) { c.Parents = []string{c.Root + "x"} },
		"the latency must be between":  func(c *live.Config) { c.Latency = -time.Second },
		"the session timeout":          func(c *live.Config) { c.SessionTimeout = -1 },
		"the limit of events must not": func(c *live.Config) { c.MaxEvents = -1 },
		"there is no client-3":         func(c *live.Config) { c.Faults = parse(t, "crash client-3 at 1s") },
	} {
		cfg := good
		spoil(&cfg)
		err := live.Run(context.Background(), cfg, list, &recorder{}, nil)
		if err == nil || !strings.Contains(sentence.Voice{Say: languages.English().Say}.Error(err), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}

// TestSweep checks that a sweep removes the runs of servers that have crashed, and no others.
func TestSweep(t *testing.T) {
	t.Parallel()
	srv := zktest.Start(t)
	c := direct(t, srv)
	must(c.Create(base, []byte("made by zkviz"), 0, anyone))
	must(c.Create(base+"/mine", nil, 0, anyone))
	dead, dying, alive := live.NewRoot(base), live.NewRoot(base), live.NewRoot(base)
	kill := doomed(t, srv, dead)
	killLater := doomed(t, srv, dying)
	doomed(t, srv, alive)
	kill()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	swept := make(chan error, 1)
	go func() {
		for {
			start := time.Now()
			err := live.Sweep(ctx, live.Base{Servers: []string{srv.Addr}, Path: base})
			if err != nil || time.Since(start) < live.SweepGrace { // else this test was too slow for it
				swept <- err
				return
			}
		}
	}()
	goes(t, c, dead)
	killLater()
	goes(t, c, dying)
	cancel()
	if err := <-swept; !errors.Is(err, context.Canceled) {
		t.Error("it did not wait for the run that is alive:", err)
	}
	absent(t, srv, dead)
	absent(t, srv, dying)
	for _, path := range []string{alive + "/many/n-0000000000", alive + "-clients/server", base + "/mine"} {
		if there, _, err := c.Exists(path); err != nil || !there {
			t.Errorf("%s is gone: %v", path, err)
		}
	}
	if err := live.Sweep(context.Background(), live.Base{Servers: []string{srv.Addr}, Path: "/not/there"}); err != nil {
		t.Error(err)
	}
}

// goes waits until a run's root and its holder are gone.
func goes(t *testing.T, c *zk.Conn, root string) {
	t.Helper()
	for end := time.Now().Add(longest); ; time.Sleep(20 * time.Millisecond) {
		here, _, err := c.Exists(root)
		beside, _, err2 := c.Exists(root + "-clients")
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		if !here && !beside {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s does not go", root)
		}
	}
}
