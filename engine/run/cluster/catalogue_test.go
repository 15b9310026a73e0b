package cluster_test

import (
	"context"
	"flag"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/cluster"
	"github.com/zkviz/zkviz/engine/testing/eventtext"
	"github.com/zkviz/zkviz/engine/testing/zktest"
	"github.com/zkviz/zkviz/recipes"
)

const (
	base    = "/zkviz-catalogue"
	session = 2 * time.Second  // of clients that are frozen, at first
	long    = 30 * time.Second // of all others: a busy machine may stand still for many seconds
	atOnce  = 24               // runs on one server
	patient = 3 * time.Minute
)

// trial is a run of a recipe on a real server, with its outcome.
type trial struct {
	recipe recipe.Recipe
	inject chan fault.Fault
	// begun is called at the first phase beyond waiting, before anything else can happen. A demonstration, which
	// has no phases, begins with its first note.
	begun func(*trial, event.Event)

	once sync.Once
	mu   sync.Mutex
	log  []event.Event

	rules []string
	err   error
	seen  check.Report
}

// Append implements event.Sink.
func (tr *trial) Append(e event.Event) {
	tr.mu.Lock()
	tr.log = append(tr.log, e)
	tr.mu.Unlock()
	begun := e.Kind == event.RecipePhase && program.Phase(e.Text) != program.Waiting || e.Kind == event.RecipeNote
	if begun && tr.begun != nil {
		tr.once.Do(func() { tr.begun(tr, e) })
	}
}

// play runs the trial and judges it.
func (tr *trial) play(servers []string, timeout time.Duration, rules []string) {
	rounds := 2
	if tr.inject != nil && slices.Contains(tr.recipe.Limits, promise.Progress) {
		rounds = 1 // a second one would wait for ever for a member that has gone
	}
	s := run.Scenario{
		Recipe: tr.recipe.Name, Clients: max(4, tr.recipe.MinClients), Rounds: rounds,
		Hold: 100 * time.Millisecond, SessionTimeout: timeout,
	}
	where := cluster.Cluster{Servers: servers, Path: base}
	s = where.Place(s).WithDefaults()
	tr.rules = rules
	judge := check.New(rules, s.Header("live"))
	ctx, cancel := context.WithTimeout(context.Background(), patient)
	defer cancel()
	tr.err = where.Run(ctx, s, tr, tr.inject)
	for _, e := range tr.log {
		judge.Append(e)
	}
	tr.seen = judge.Report()
}

// report fails the test for what the trial didn't keep.
func (tr *trial) report(t *testing.T) {
	t.Helper()
	for _, v := range tr.seen.Violations {
		t.Errorf("%s: %s", v.Rule, v.Sentence)
	}
	if tr.err != nil {
		t.Error(tr.err)
	}
	last := tr.log[len(tr.log)-1]
	if last.Kind != event.RunEnded || slices.Contains(tr.rules, promise.Progress) && last.Reason != event.EndAllDone {
		t.Errorf("it ended with %s", eventtext.Of(last))
	}
	t.Logf("%d events in %v", len(tr.log), last.At)
	if t.Failed() {
		for _, e := range tr.log[max(0, len(tr.log)-200):] {
			t.Log(eventtext.Of(e))
		}
	}
}

func (tr *trial) count(kind event.Kind) (n int) {
	for _, e := range tr.log {
		if e.Kind == kind {
			n++
		}
	}
	return n
}

// kept returns the rules for a recipe. A pitfall only has to come to an end.
func kept(r recipe.Recipe, within bool) []string {
	switch {
	case r.Kind == recipe.Pitfall:
		return nil
	case within:
		return slices.Concat(r.Promises, r.Limits)
	}
	return r.Promises
}

// TestMain lets the tests run side by side: they wait far longer than they compute.
func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", "8"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// onZooKeeper returns the recipes that use ZooKeeper.
func onZooKeeper() []recipe.Recipe {
	return slices.DeleteFunc(recipes.All(), func(r recipe.Recipe) bool { return !event.HasZooKeeper(r.Systems) })
}

// TestCalm runs the whole catalogue on a real server without faults.
func TestCalm(t *testing.T) {
	t.Parallel()
	var trials []*trial
	for _, r := range onZooKeeper() {
		trials = append(trials, &trial{recipe: r})
	}
	srv := zktest.Start(t)
	playAll(trials, atOnce, func(tr *trial) { tr.play([]string{srv.Addr}, long, kept(tr.recipe, true)) })
	reportAll(t, trials, (*trial).report)
	gone(t, srv)
}

// TestFrozenClient freezes the first client that makes progress for longer than its session lasts.
func TestFrozenClient(t *testing.T) {
	t.Parallel()
	var trials []*trial
	for _, r := range onZooKeeper() {
		trials = append(trials, &trial{recipe: r})
	}
	srv := zktest.Start(t)
	playAll(trials, atOnce, func(tr *trial) { tr.freeze(srv.Addr) })
	reportAll(t, trials, func(tr *trial, t *testing.T) {
		tr.report(t)
		if tr.count(event.ClientPaused) != 1 {
			t.Error("nobody was frozen")
		}
	})
	gone(t, srv)
}

// freeze plays the trial with a client frozen. If nobody was, because on a busy machine all sessions ended first or
// the client had gone home, it plays it again with sessions twice as long.
func (tr *trial) freeze(addr string) {
	for timeout := session; timeout <= zktest.MaxSession; timeout *= 2 {
		try := &trial{recipe: tr.recipe}
		try.freezeOnce(addr, timeout)
		tr.rules, tr.log, tr.seen, tr.err = try.rules, try.log, try.seen, try.err
		if tr.count(event.ClientPaused) > 0 || tr.err != nil || len(tr.seen.Violations) > 0 {
			return
		}
	}
}

// freezeOnce freezes a client for longer than its session lasts, with what the server may add to it. In some
// pitfalls nobody makes progress, on a busy machine from the start: then it finally freezes the first client.
func (tr *trial) freezeOnce(addr string, timeout time.Duration) {
	tr.inject = make(chan fault.Fault, 1)
	tr.begun = func(tr *trial, e event.Event) {
		tr.inject <- fault.Fault{Kind: fault.Pause, Client: int(e.Actor), For: 2*timeout + time.Second}
		close(tr.inject)
	}
	hopeless := time.AfterFunc(patient/6, func() {
		tr.once.Do(func() { tr.begun(tr, event.Event{Actor: 1}) })
	})
	defer hopeless.Stop()
	tr.play([]string{addr}, timeout, kept(tr.recipe, false))
}

// TestServerKilled holds up all recipes in the middle, kills the server under them, and starts it again.
func TestServerKilled(t *testing.T) {
	t.Parallel()
	srv := zktest.Start(t)
	heldUp(t, []string{srv.Addr}, func() { srv.Kill() }, srv.Start)
	gone(t, srv)
}

// heldUp holds up all recipes in the middle, kills something under them, and does something more once they go on.
func heldUp(t *testing.T, servers []string, kill, then func()) {
	t.Helper()
	var trials []*trial
	var underWay sync.WaitGroup
	killed := make(chan struct{})
	for _, r := range onZooKeeper() {
		if r.Kind == recipe.Right {
			underWay.Add(1)
			trials = append(trials, &trial{recipe: r, begun: func(*trial, event.Event) {
				underWay.Done()
				<-killed
			}})
		}
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		playAll(trials, len(trials), func(tr *trial) {
			tr.play(servers, long, kept(tr.recipe, false))
			tr.once.Do(underWay.Done) // it came to nothing
		})
	}()
	underWay.Wait()
	kill()
	close(killed)
	then()
	<-over
	reportAll(t, trials, func(tr *trial, t *testing.T) {
		tr.report(t)
		if tr.count(event.Disconnected) == 0 {
			t.Error("it did not notice that its server was away")
		}
	})
}

// playAll plays some trials at once, and returns when all are over.
func playAll(trials []*trial, atOnce int, play func(*trial)) {
	var all sync.WaitGroup
	places := make(chan struct{}, atOnce)
	for _, tr := range trials {
		all.Add(1)
		go func() {
			defer all.Done()
			places <- struct{}{}
			play(tr)
			<-places
		}()
	}
	all.Wait()
}

func reportAll(t *testing.T, trials []*trial, report func(*trial, *testing.T)) {
	for _, tr := range trials {
		t.Run(tr.recipe.Name, func(t *testing.T) { report(tr, t) })
	}
}

// gone fails the test if the server has any znodes but its own.
func gone(t *testing.T, srv *zktest.Server) {
	t.Helper()
	const own = 5 // the root and what is at /zookeeper
	if got := znodes(srv); got != own {
		t.Errorf("the server is left with %d znodes, not %d", got, own)
	}
}

// znodes returns the number of znodes on the server.
func znodes(srv *zktest.Server) int {
	for line := range strings.Lines(srv.Ask("mntr")) {
		if count, ok := strings.CutPrefix(line, "zk_znode_count"); ok {
			n, _ := strconv.Atoi(strings.TrimSpace(count))
			return n
		}
	}
	return 0
}
