package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/compare"
	"github.com/zkviz/zkviz/engine/testing/zktest"
	"github.com/zkviz/zkviz/engine/zookeeper/embed"
)

// tries bounds the attempts at something that a busy machine may spoil.
const tries = 5

// tryLive runs `viz-server run ARGS --zk … --json`.
func tryLive(t *testing.T, zk *zktest.Server, args ...string) (code int, s run.Summary) {
	t.Helper()
	var out, errs bytes.Buffer
	args = append([]string{"run", "--json", "--zk", zk.Addr, "--zk-path", zktest.Root(t)}, args...)
	code = execute(args, &terminal{ctx: t.Context(), out: &out, err: &errs})
	if err := json.Unmarshal(out.Bytes(), &s); err != nil {
		t.Fatalf("%q: exit code %d; stderr: %s; %v in %s", args, code, errs.String(), err, out.String())
	}
	return code, s
}

// TestLiveCostsTheSame checks that locks on a real ZooKeeper cost the same as on the simulator.
func TestLiveCostsTheSame(t *testing.T) {
	t.Parallel()
	zk := zktest.Shared(t)
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

// TestLivePauseOfTheHolder freezes a holder's connection until its session expires. If the machine stalls, another
// client may hold the lock, or none. Then it tries again. By ZooKeeper's records there is at most one holder,
// whichever client is frozen.
func TestLivePauseOfTheHolder(t *testing.T) {
	t.Parallel()
	zk := zktest.Shared(t)
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

// TestKilledRunsAreSwept kills a run on a real ZooKeeper, next to a live run and foreign znodes. The commands run,
// compare and serve must remove the killed run's leftovers and nothing else.
func TestKilledRunsAreSwept(t *testing.T) {
	t.Parallel()
	server := zktest.Shared(t)
	conn, _, err := zk.Connect([]string{server.Addr}, time.Minute, zk.WithLogInfo(false))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, command := range [][]string{
		{"run", "unique-lock", "--clients", "2"},
		{"compare", "unique-lock", "--clients", "2"},
		{"serve", "--addr", "127.0.0.1:0"},
	} {
		base := zktest.Root(t) + "-by-" + command[0]
		theirs := map[string]*zk.Stat{}
		for _, path := range []string{base, base + "/run-2026112201", base + "/run-2026112201/results", base +
			"/run-abcdefghij",
			base + "/run-abcdefghij/x", base + "/run-abcdefghij-clients"} {
			if _, err := conn.Create(path, []byte("theirs"), 0, zk.WorldACL(zk.PermAll)); err != nil {
				t.Fatalf("create %s: %v", path, err)
			}
		}
		for _, path := range []string{"/run-2026112201/results", "/run-abcdefghij/x", "/run-abcdefghij-clients"} {
			_, theirs[base+path], err = conn.Exists(base + path)
			if err != nil {
				t.Fatal(err)
			}
		}
		flags := []string{"--zk", server.Addr, "--zk-path", base, "--zk-path-exists"}
		alive, _ := running(t, conn, base, append(flags, "--session-timeout", zktest.MaxSession.String()))
		foreign := alive + "/results"
		if _, err := conn.Create(foreign, nil, 0, zk.WorldACL(zk.PermAll)); err != nil {
			t.Fatal(err)
		}
		killed, kill := running(t, conn, base, append(flags, "--session-timeout", "1s"))
		kill()
		waitFor(t, "the killed run's sessions to end", func() bool {
			names, _, err := conn.Children(killed + "-clients")
			return err == nil && len(names) == 0
		})
		errs := sweeping(t, append(command, flags...), func() bool {
			there, _, err := conn.Exists(killed + "-clients")
			return err == nil && !there
		})
		said := strings.ReplaceAll(errs, `\"`, `"`) // serve's log quotes its messages
		if !strings.Contains(said, "left \""+base+"/run-abcdefghij\": ") || strings.Contains(errs, "run-2026112201") {
			t.Errorf("%s says %s", command[0], errs)
		}
		left, _, err := conn.Children(base)
		slices.Sort(left)
		want := []string{path.Base(alive), path.Base(alive) + "-clients", "run-2026112201", "run-abcdefghij",
			"run-abcdefghij-clients"}
		slices.Sort(want)
		if err != nil || !slices.Equal(left, want) {
			t.Errorf("%s has left %q, want %q (%v)", command[0], left, want, err)
		}
		for path, was := range theirs {
			if _, stat, err := conn.Exists(path); err != nil || *stat != *was {
				t.Errorf("after %s, %s is %+v (%v) and was %+v", command[0], path, stat, err, was)
			}
		}
		if there, _, err := conn.Exists(foreign); err != nil || !there {
			t.Errorf("after %s, %s is gone (%v)", command[0], foreign, err)
		}
	}
}

// running starts a run in another process, below base, until kill is called or the test ends. It returns the run's
// root once the clients queue there.
func running(t *testing.T, conn *zk.Conn, base string, flags []string) (root string, kill func()) {
	t.Helper()
	before, _, err := conn.Children(base)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("viz-server", append([]string{"run", "predecessor-lock", "--hold", "1h"}, flags...)...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill = sync.OnceFunc(func() {
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()         // reports that it was killed
	})
	t.Cleanup(kill)
	waitFor(t, "a run to go on", func() bool {
		names, _, err := conn.Children(base)
		for _, name := range names {
			if err == nil && !slices.Contains(before, name) && !strings.HasSuffix(name, "-clients") {
				root = base + "/" + name
			}
		}
		queue, _, err := conn.Children(root)
		return root != "" && err == nil && len(queue) == 6
	})
	return root, kill
}

// sweeping runs a command until it has swept, interrupts it if it is serve, and returns its stderr.
func sweeping(t *testing.T, args []string, swept func() bool) string {
	t.Helper()
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	var out, errs bytes.Buffer
	code := make(chan int, 1)
	go func() { code <- execute(args, &terminal{ctx: ctx, out: &out, err: &errs}) }()
	if args[0] == "serve" {
		waitFor(t, "the server to sweep", swept)
		interrupt()
	}
	if got := <-code; got != exitOK {
		t.Errorf("%q: exit code %d; stderr: %s", args, got, errs.String())
	}
	if !swept() {
		t.Errorf("%q has not swept", args)
	}
	return errs.String()
}

// waitFor waits for something that takes a moment on an idle machine.
func waitFor(t *testing.T, what string, done func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Minute); !done(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// bell calls ring when the awaited text is written to it.
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

// TestUnreachableCluster names an address without a server. The run says so and keeps trying until interrupted.
func TestUnreachableCluster(t *testing.T) {
	t.Parallel()
	ctx, interrupt := context.WithTimeout(t.Context(), 10*time.Minute)
	defer interrupt()
	const addr = "127.0.0.1:1"
	var out bytes.Buffer
	errs := bell{awaited: addr, ring: func() { time.AfterFunc(time.Second, interrupt) }}
	code := execute([]string{"run", "unique-lock", "--zk", addr}, &terminal{ctx: ctx, out: &out, err: &errs})
	if code != 130 || !strings.Contains(errs.String(), addr) ||
		!strings.HasSuffix(errs.String(), "viz-server: interrupted\n") {
		t.Errorf("exit code %d, stderr %q; want 130, the address, and that it was interrupted", code, errs.String())
	}
}

// TestNothingReachable names addresses without servers, and waits until run gives up.
func TestNothingReachable(t *testing.T) {
	t.Parallel()
	var out, errs bytes.Buffer
	args := []string{"run", "unique-lock", "--zk", "127.0.0.1:1,127.0.0.1:2"}
	code := execute(args, &terminal{ctx: t.Context(), out: &out, err: &errs})
	const ends = "no server opened a session within"
	for _, want := range []string{"127.0.0.1:1: ", "127.0.0.1:2: ", "trying again\n", ends,
		"; check that the addresses are right"} {
		if code != exitTrouble || !strings.Contains(errs.String(), want) {
			t.Errorf("exit code %d, stderr %q; want %d and %q", code, errs.String(), exitTrouble, want)
		}
	}
}

// TestServersReported runs with three servers and a wrong address, which the run reports and does without.
func TestServersReported(t *testing.T) {
	t.Parallel()
	e, err := embed.ListenEnsemble(embed.EnsembleConfig{Servers: 3, Config: embed.Config{Tick: zktest.Tick}})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if err := e.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	const nobody = "127.0.0.1:1"
	args := []string{"run", "predecessor-lock", "--zk", e.ConnectString() + "," + nobody}
	var out, errs bytes.Buffer
	if code := execute(args, &terminal{ctx: t.Context(), out: &out, err: &errs}); code != exitOK {
		t.Fatalf("exit code %d; stderr: %s", code, errs.String())
	}
	for _, want := range []string{
		"  servers       server-1, " + e.State()[0].Addr + ": ", "server-4, " + nobody + ": can't be reached, 0 clients\n",
		": leads, ", " sessions to another server\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, out.String())
		}
	}
	out.Reset()
	if code := execute(append(args, "--json"), &terminal{ctx: t.Context(), out: &out, err: &errs}); code != exitOK {
		t.Fatalf("exit code %d; stderr: %s", code, errs.String())
	}
	var s run.Summary
	if err := json.Unmarshal(out.Bytes(), &s); err != nil {
		t.Fatal(err)
	}
	clients := 0
	for i, x := range s.Ensemble.Servers {
		clients += x.Clients
		if (x.Role == check.Leader) != (i+1 == e.Leader()) || (x.Role == check.OutOfReach) != (i == 3) {
			t.Errorf("%s is %+v", x.Name, x)
		}
	}
	if len(s.Ensemble.Servers) != 4 || clients != s.Clients {
		t.Errorf("%+v", s.Ensemble)
	}
}

// TestCompareSideBySide compares the simulator and a real ZooKeeper in one command. For two locks whose every request
// is known, they must agree to the byte, except for session names. If a stalled machine ends a session, the costs
// differ, and the test tries again.
func TestCompareSideBySide(t *testing.T) {
	t.Parallel()
	zk := zktest.Shared(t)
	var wrong []string
	for range tries {
		if wrong = compareSideBySide(t, zk.Addr); wrong == nil {
			return
		}
		t.Log(strings.Join(wrong, "\n"))
	}
	t.Errorf("in %d tries: %q", tries, wrong)
}

// compareSideBySide returns the disagreements of the two hosts.
func compareSideBySide(t *testing.T, addr string) (wrong []string) {
	t.Helper()
	var out, errs bytes.Buffer
	args := []string{"compare", "unique-lock", "predecessor-lock", "--clients", "2,10", "--json", "--zk", addr,
		"--zk-path", zktest.Root(t)}
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
		// The paths differ in length, since a live run's root has its own name.
		if ratio := float64(live.Bytes) / float64(sim.Bytes); ratio < 1 || ratio > 1.5 {
			say("%s with %d clients: %d bytes simulated, %d live", sim.Recipe, sim.Clients, sim.Bytes, live.Bytes)
		}
		if live.PerRelease.TimeMS <= 0 {
			say("%s with %d clients: a release took no time", live.Recipe, live.Clients)
		}
	}
	return wrong
}
