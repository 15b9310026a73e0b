package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
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
	"github.com/zkviz/zkviz/engine/stores/redis/resp"
	"github.com/zkviz/zkviz/engine/stores/remote/real"
	"github.com/zkviz/zkviz/engine/testing/daemon"
	"github.com/zkviz/zkviz/engine/testing/redistest"
	"github.com/zkviz/zkviz/recipes"
)

// on returns nodes of a system at these addresses.
func on(t *testing.T, kind event.SystemKind, addresses ...string) cluster.Cluster {
	t.Helper()
	c := cluster.Cluster{Elsewhere: cluster.Elsewhere{}}
	for _, a := range addresses {
		if err := c.Elsewhere.Add(kind, a, noEnvironment); err != nil {
			t.Fatal(err)
		}
	}
	return c
}

func noEnvironment(string) string { return "" }

// onRedis returns nodes at these servers.
func onRedis(t *testing.T, servers ...*daemon.Server) cluster.Cluster {
	t.Helper()
	var addresses []string
	for _, s := range servers {
		addresses = append(addresses, s.Addr())
	}
	return on(t, event.RedisSystem, addresses...)
}

// play runs a scenario there and returns its log.
func play(t *testing.T, e cluster.Cluster, s run.Scenario) *event.Log {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	s = e.Place(s.WithDefaults())
	log := &event.Log{Header: e.Header(s)}
	if err := e.Run(ctx, s, log, nil); err != nil {
		t.Fatalf("%s: %v", s.Recipe, err)
	}
	return log
}

func verdict(log *event.Log) check.Report {
	c := check.New(log.Header.Rules(), log.Header)
	for _, e := range log.Events {
		c.Append(e)
	}
	return c.Report()
}

// keysOf returns the keys in a Redis.
func keysOf(t *testing.T, s *daemon.Server) string {
	t.Helper()
	c, err := net.Dial("tcp", s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.Write(resp.AppendCommand(nil, []string{"SCAN", "0", "COUNT", "1000"})); err != nil {
		t.Fatal(err)
	}
	v, err := resp.NewReader(c).Value()
	if err != nil {
		t.Fatal(err)
	}
	return v.List[1].String()
}

// TestRedisRecipes runs the catalogue's Redis recipes on a real one: the correct ones keep their promises, and
// nothing is left behind.
func TestRedisRecipes(t *testing.T) {
	t.Parallel()
	var five []*daemon.Server
	for range 5 {
		five = append(five, redistest.Start(t))
	}
	for _, r := range recipes.All() {
		if event.HasZooKeeper(r.Systems) || r.Systems[0].Kind != event.RedisSystem {
			continue
		}
		t.Run(r.Name, func(t *testing.T) {
			t.Parallel()
			on := onRedis(t, five[0])
			if r.Systems[0].Apart {
				on = onRedis(t, five...)
			}
			log := play(t, on, run.Scenario{Recipe: r.Name, Clients: max(3, r.MinClients), Rounds: 2,
				SessionTimeout: 5 * time.Second, Hold: 30 * time.Millisecond})
			if r.Kind == recipe.Pitfall {
				return // it may go well
			}
			if v := verdict(log).Violations; len(v) > 0 {
				t.Errorf("broken: %+v", v)
			}
		})
	}
	t.Cleanup(func() {
		for _, s := range five {
			if left := keysOf(t, s); left != "[]" {
				t.Errorf("left behind: %s", left)
			}
		}
	})
}

// TestFrozenOnRedis freezes a holder for longer than its key lasts: two believe that they are inside, and only one is.
func TestFrozenOnRedis(t *testing.T) {
	t.Parallel()
	on := onRedis(t, redistest.Start(t))
	log := whileFrozen(t, on, run.Scenario{Recipe: "redis-set-nx-px", Clients: 2, SessionTimeout: time.Second,
		Hold: 500 * time.Millisecond}, 4)
	var broken []string
	for _, v := range verdict(log).Violations {
		broken = append(broken, v.Rule)
	}
	if !slices.Equal(broken, []string{promise.BeliefExclusion}) {
		t.Errorf("broken are %q", broken)
	}
}

func faults(t *testing.T, texts ...string) (list []fault.Fault) {
	t.Helper()
	list, err := fault.ParseAll(texts, fault.Scope{Nodes: 1})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestFaultsOnRedis tries each fault on a client of a real Redis, and checks what the log says about it.
func TestFaultsOnRedis(t *testing.T) {
	t.Parallel()
	on := onRedis(t, redistest.Start(t))
	for text, want := range map[string]string{
		"crash client-1 at 100ms":          "client.crashed",
		"vanish client-1 at 100ms":         "client.vanished client.crashed",
		"stall client-1 at 100ms for 2s":   "process.stalled process.moves",
		"drop client-1 at 100ms":           "conn.closed",
		"cut client-1 at 100ms for 5s":     "conn.closed",
		"delay client-1 at 100ms for 1s":   "",
		"pause client-1 at 100ms for 50ms": "client.paused client.resumed",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			log := play(t, on, run.Scenario{Recipe: "redis-watchdog", Clients: 2, SessionTimeout: 3 * time.Second,
				Hold: 2 * time.Second, Faults: faults(t, text)})
			var said []string
			for _, e := range log.Events {
				if e.Actor == 1 && strings.Contains(want+" ", e.Kind.String()+" ") {
					said = append(said, e.Kind.String())
				}
			}
			if got := strings.Join(slices.Compact(said), " "); got != want {
				t.Errorf("the log says %q, want %q", got, want)
			}
			if last := log.Events[len(log.Events)-1]; last.Reason != event.EndAllDone {
				t.Errorf("it ended because of %v", last.Reason)
			}
			for _, v := range verdict(log).Violations {
				if v.Rule == promise.TruthExclusion {
					t.Errorf("%+v", v)
				}
			}
		})
	}
}

// TestDeadRunsAreSwept: the next run removes what a dead run left; other keys stay.
func TestDeadRunsAreSwept(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	c, err := net.Dial("tcp", s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	in := resp.NewReader(c)
	for _, key := range []string{real.Roots + "abcdefgh23/lock", real.Roots + "abc/lock", "/zkviz/run-", "lock",
		"/zkviz/else"} {
		if _, err := c.Write(resp.AppendCommand(nil, []string{"SET", key, "x"})); err != nil {
			t.Fatal(err)
		}
		if _, err := in.Value(); err != nil {
			t.Fatal(err)
		}
	}
	play(t, onRedis(t, s), run.Scenario{Recipe: "redis-set-nx-px", Clients: 1, Hold: time.Millisecond})
	for _, want := range []string{real.Roots + "abc/lock", "/zkviz/run-", "lock", "/zkviz/else"} {
		if left := keysOf(t, s); !strings.Contains(left, want) {
			t.Errorf("%s is gone: there are %s", want, left)
		}
	}
	if left := keysOf(t, s); strings.Contains(left, "abcdefgh23") {
		t.Errorf("there still are %s", left)
	}
}

// TestRefusedOnRedis checks the error for what can't run there. It never contains a password.
func TestRefusedOnRedis(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t, "--requirepass", "open-sesame")
	replica := redistest.Start(t, "--replicaof", "127.0.0.1 1")
	for _, c := range []struct {
		address, recipe, fault, want string
	}{
		{s.Addr(), "redis-set-nx-px", "", "it wants a password"},
		{"redis://:wrong-word@" + s.Addr(), "redis-set-nx-px", "", "refuses the user or the password"},
		{"redis://:open-sesame@" + s.Addr() + "/99", "redis-set-nx-px", "", "no database 99"},
		{replica.Addr(), "redis-set-nx-px", "", "it is a replica"},
		{"127.0.0.1:1", "redis-set-nx-px", "", "cannot reach Redis at 127.0.0.1:1"},
		{"redis://:open-sesame@" + s.Addr(), "unique-lock", "", "bad.elsewhere.zookeeper"},
		{"redis://:open-sesame@" + s.Addr(), "redlock", "", "bad.elsewhere.nodes"},
		{"redis://:open-sesame@" + s.Addr(), "redis-set-nx-px", "restart node-1 at 1s for 1s", "refused.node"},
		{"redis://:open-sesame@" + s.Addr(), "redis-set-nx-px", "drop command 1 from client-1 to node-1 at 1s",
			"refused.message"},
		{"redis://:open-sesame@" + s.Addr() + "/3", "redis-set-nx-px", "", ""},
	} {
		on := on(t, event.RedisSystem, c.address)
		sc := run.Scenario{Recipe: c.recipe, Clients: 1, Hold: time.Millisecond}
		if c.fault != "" {
			sc.Faults = faults(t, c.fault)
		}
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
		err := on.Run(ctx, on.Place(sc.WithDefaults()), &event.Log{}, nil)
		cancel()
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(fmt.Sprint(err), c.want)) {
			t.Errorf("%s on %s: %v, want %q", c.recipe, c.address, err, c.want)
		}
		if err != nil && (strings.Contains(err.Error(), "sesame") || strings.Contains(err.Error(), "wrong-word")) {
			t.Errorf("the password is in %v", err)
		}
	}
}

// TestStoppedOnRedis stops a run: it ends at once, and takes its keys with it.
func TestStoppedOnRedis(t *testing.T) {
	t.Parallel()
	s := redistest.Start(t)
	on := onRedis(t, s)
	ctx, cancel := context.WithCancel(context.Background())
	sc := on.Place(run.Scenario{Recipe: "redis-watchdog", Clients: 3, Hold: time.Hour}.WithDefaults())
	sink := onEvent(func(e event.Event) {
		if e.Kind == event.RecipePhase && program.Phase(e.Text).Inside() {
			cancel()
		}
	})
	if err := on.Run(ctx, sc, sink, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if left := keysOf(t, s); left != "[]" {
		t.Errorf("left behind: %s", left)
	}
}

// onEvent is a sink that calls a function with each event.
type onEvent func(event.Event)

func (f onEvent) Append(e event.Event) { f(e) }
