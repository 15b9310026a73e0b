package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/compare"
	"github.com/zkviz/zkviz/engine/live"
	"github.com/zkviz/zkviz/engine/live/zktest"
	"github.com/zkviz/zkviz/engine/run"
)

// tries bounds how often something is tried that a machine may be too busy for.
const tries = 5

// tryLive is `viz-server run ARGS --zk … --json`.
func tryLive(t *testing.T, zk *zktest.Server, args ...string) (code int, s run.Summary) {
	t.Helper()
	var out, errs bytes.Buffer
	args = append([]string{"run", "--json", "--zk", zk.Addr}, args...)
	code = execute(args, &terminal{ctx: t.Context(), out: &out, err: &errs})
	if err := json.Unmarshal(out.Bytes(), &s); err != nil {
		t.Fatalf("%q: exit code %d; stderr: %s; %v in %s", args, code, errs.String(), err, out.String())
	}
	return code, s
}

// TestLiveCostsTheSame holds the locks on a real ZooKeeper to the figures that the simulator hits.
func TestLiveCostsTheSame(t *testing.T) {
	t.Parallel()
	zk := zktest.Start(t)
	for _, n := range []int{10, 100} {
		get := func(recipe string) run.Summary {
			code, s := tryLive(t, zk, recipe, "--clients", fmt.Sprint(n), "--session-timeout", zktest.MaxSession.String())
			if code != exitOK || s.Host != "live" || s.Acquisitions != n {
				t.Errorf("%s: exit code %d, host %q, %d acquisitions", recipe, code, s.Host, s.Acquisitions)
			}
			return s
		}
		type figures struct{ requests, byRelease, most int }
		of := func(s run.Summary) figures {
			return figures{s.Requests, s.Wakeups.ByRelease, s.Wakeups.MaxPerRelease}
		}
		if got, want := of(get("unique-lock")), (figures{n*n + n, n * (n - 1) / 2, n - 1}); got != want {
			t.Errorf("unique-lock, %d clients: %+v, want %+v", n, got, want)
		}
		if got, want := of(get("predecessor-lock")), (figures{5*n - 2, n - 1, 1}); got != want {
			t.Errorf("predecessor-lock, %d clients: %+v, want %+v", n, got, want)
		}
		c := get("children-lock")
		if got, want := of(c), (figures{n + n*(n+1)/2 + n + c.Wakeups.ByArrival, n * (n - 1) / 2, n - 1}); got != want {
			t.Errorf("children-lock, %d clients: %+v, want %+v", n, got, want)
		}
	}
}

// TestLivePauseOfTheHolder freezes a holder's connection until ZooKeeper has expired its session. On a machine that
// stands still meanwhile another client may be the holder, or nobody: then it is tried again. Whoever is frozen, by
// ZooKeeper's account there is one holder at most.
func TestLivePauseOfTheHolder(t *testing.T) {
	t.Parallel()
	zk := zktest.Start(t)
	for range tries {
		code, s := tryLive(t, zk, "predecessor-lock", "--clients", "2", "--hold", "4s",
			"--session-timeout", "3s", "--fault", "pause client-1 at 2s for 9s")
		var rules []string
		for _, v := range s.Violations {
			rules = append(rules, v.Rule)
		}
		if slices.Contains(rules, "truth-exclusion") {
			t.Fatalf("violations %+v, want no truth-exclusion", s.Violations)
		}
		if code == exitVerdict && slices.Contains(rules, "belief-exclusion") {
			return
		}
		t.Logf("exit code %d, violations %+v", code, s.Violations)
	}
	t.Error("two never believed that they were inside")
}

// TestKilledRunsAreSwept leaves on a real ZooKeeper what a killed run and one that still goes on leave there: run
// and compare remove the one and not the other.
func TestKilledRunsAreSwept(t *testing.T) {
	t.Parallel()
	server := zktest.Start(t)
	conn, _, err := zk.Connect([]string{server.Addr}, time.Minute, zk.WithLogInfo(false))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	create := func(path string, flags int32) {
		t.Helper()
		if _, err := conn.Create(path, nil, flags, zk.WorldACL(zk.PermAll)); err != nil {
			t.Fatalf("create %s: %v", path, err)
		}
	}
	for _, command := range [][]string{
		{"run", "unique-lock", "--clients", "2"},
		{"compare", "unique-lock", "--clients", "2"},
	} {
		base := "/left-by-" + command[0]
		killed, alive := live.NewRoot(base), live.NewRoot(base)
		create(base, 0)
		for _, root := range []string{killed, alive} {
			create(root, 0)
			create(root+"/lock", 0)
			create(root+"-clients", 0)
		}
		create(alive+"-clients/server", zk.FlagEphemeral)
		var out, errs bytes.Buffer
		args := append(command, "--zk", server.Addr, "--zk-path", base)
		if code := execute(args, &terminal{ctx: t.Context(), out: &out, err: &errs}); code != exitOK {
			t.Errorf("%q: exit code %d; stderr: %s", args, code, errs.String())
		}
		left, _, err := conn.Children(base)
		slices.Sort(left)
		want := []string{path.Base(alive), path.Base(alive) + "-clients"}
		if err != nil || !slices.Equal(left, want) {
			t.Errorf("%s has left %q, want %q (%v)", command[0], left, want, err)
		}
	}
}

// bell rings when what it is waiting for was written to it.
type bell struct {
	bytes.Buffer
	awaited string
	ring    func()
}

func (b *bell) Write(p []byte) (int, error) {
	n, err := b.Buffer.Write(p)
	if strings.Contains(b.String(), b.awaited) {
		b.ring()
	}
	return n, err
}

// TestUnreachableCluster names an address at which nobody listens: run says so and goes on trying until it is
// interrupted.
func TestUnreachableCluster(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithTimeout(t.Context(), 2*time.Minute)
	defer interrupt()
	const addr = "127.0.0.1:1"
	var out bytes.Buffer
	errs := bell{awaited: addr, ring: func() { time.AfterFunc(time.Second, interrupt) }}
	code := execute([]string{"run", "unique-lock", "--zk", addr}, &terminal{ctx: ctx, out: &out, err: &errs})
	if code != exitTrouble || !strings.Contains(errs.String(), addr) || !strings.HasSuffix(errs.String(), "viz-server: interrupted\n") {
		t.Errorf("exit code %d, stderr %q; want %d, the address, and that it was interrupted", code, errs.String(), exitTrouble)
	}
}

// TestCompareSideBySide: one command measures the simulator and a real ZooKeeper, and for the two locks whose
// every request is known they agree to the byte but for the names of the sessions. A machine that stands still for
// longer than a session lasts ends it, and what that costs is another matter: then it is tried again.
func TestCompareSideBySide(t *testing.T) {
	t.Parallel()
	zk := zktest.Start(t)
	var wrong []string
	for range tries {
		if wrong = compareSideBySide(t, zk.Addr); wrong == nil {
			return
		}
		t.Log(strings.Join(wrong, "\n"))
	}
	t.Errorf("in %d tries: %q", tries, wrong)
}

// compareSideBySide is what the two hosts do not agree in.
func compareSideBySide(t *testing.T, addr string) (wrong []string) {
	t.Helper()
	var out, errs bytes.Buffer
	args := []string{"compare", "unique-lock", "predecessor-lock", "--clients", "2,10", "--json", "--zk", addr}
	if code := execute(args, &terminal{ctx: t.Context(), out: &out, err: &errs}); code != exitOK {
		return []string{fmt.Sprintf("exit code %d; stderr: %s", code, errs.String())}
	}
	var rows []compare.Row
	if err := json.Unmarshal(out.Bytes(), &rows); err != nil {
		t.Fatalf("%v in %s", err, out.String())
	}
	if len(rows) != 8 {
		t.Fatalf("%d rows, want 8", len(rows))
	}
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	for i := 0; i < len(rows); i += 2 {
		sim, live := rows[i], rows[i+1]
		if sim.Host != "sim" || live.Host != "live" || sim.Recipe != live.Recipe || sim.Clients != live.Clients {
			t.Errorf("rows %d and %d are not a pair: %+v, %+v", i, i+1, sim, live)
		}
		if sim.Requests != live.Requests || sim.Wakeups.ByRelease != live.Wakeups.ByRelease {
			say("%s with %d clients: %d requests and %d wakeups simulated, %d and %d live", sim.Recipe, sim.Clients,
				sim.Requests, sim.Wakeups.ByRelease, live.Requests, live.Wakeups.ByRelease)
		}
		// The paths differ in length: the root of a live run has a name of its own.
		if ratio := float64(live.Bytes) / float64(sim.Bytes); ratio < 1 || ratio > 1.5 {
			say("%s with %d clients: %d bytes simulated, %d live", sim.Recipe, sim.Clients, sim.Bytes, live.Bytes)
		}
		if live.PerRelease.TimeMS <= 0 {
			say("%s with %d clients: a release took no time", live.Recipe, live.Clients)
		}
	}
	return wrong
}
