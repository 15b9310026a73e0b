package run_test

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

// plain returns a scenario with room on every side.
func plain() run.Scenario {
	s := run.Scenario{Recipe: "predecessor-lock", Clients: 3, Latency: time.Second, Seed: 1}.WithDefaults()
	s.MaxEvents = 500
	return s
}

// with returns the scenario with one change.
func with(set func(*run.Scenario)) run.Scenario {
	s := plain()
	set(&s)
	return s
}

// TestEveryLimit: the last value within each limit runs, the first beyond it is refused with a sentence that states
// the limit.
func TestEveryLimit(t *testing.T) {
	crashes := func(n int) (list []fault.Fault) {
		return slices.Repeat([]fault.Fault{{Kind: fault.Crash, Client: 1, At: time.Second}}, n)
	}
	one := func(f fault.Fault) func(*run.Scenario) {
		return func(s *run.Scenario) { s.Faults = []fault.Fault{f} }
	}
	for _, c := range []struct {
		within, beyond func(*run.Scenario)
		want           string
	}{
		{func(s *run.Scenario) { s.Clients = 1 }, func(s *run.Scenario) { s.Clients = -1 },
			"predecessor-lock runs with 1 to 1000 clients, not -1"},
		{func(s *run.Scenario) { s.Clients = 1000 }, func(s *run.Scenario) { s.Clients = 1001 },
			"predecessor-lock runs with 1 to 1000 clients, not 1001"},
		{func(s *run.Scenario) { s.Recipe, s.Clients = "barrier", 2 }, func(s *run.Scenario) {
			s.Recipe,
				s.Clients = "watch-the-lowest", 1
		},
			"watch-the-lowest runs with 3 to 1000 clients, not 1"},
		{func(s *run.Scenario) { s.Rounds = 1 }, func(s *run.Scenario) { s.Rounds = -1 },
			"a run has 1 to 1000 rounds, not -1"},
		{func(s *run.Scenario) { s.Rounds = 1000 }, func(s *run.Scenario) { s.Rounds = 1001 },
			"a run has 1 to 1000 rounds, not 1001"},
		{func(s *run.Scenario) { s.Hold = program.UntilSettled }, func(s *run.Scenario) { s.Hold = -2 },
			"a client holds for up to 1h0m0s, not -2ns"},
		{func(s *run.Scenario) { s.Hold = time.Hour }, func(s *run.Scenario) { s.Hold = time.Hour + 1 },
			"a client holds for up to 1h0m0s, not 1h0m0.000000001s"},
		{func(s *run.Scenario) { s.SessionTimeout = time.Millisecond },
			func(s *run.Scenario) { s.SessionTimeout = time.Millisecond - 1 },
			"a session timeout is 1ms to 1h0m0s, not 999.999µs"},
		{func(s *run.Scenario) { s.SessionTimeout = time.Hour }, func(s *run.Scenario) { s.SessionTimeout = time.Hour + 1 },
			"a session timeout is 1ms to 1h0m0s, not 1h0m0.000000001s"},
		{func(s *run.Scenario) { s.MaxEvents = 1 }, func(s *run.Scenario) { s.MaxEvents = -1 },
			"a run has 1 to 100000000 events, not -1"},
		{func(s *run.Scenario) {}, func(s *run.Scenario) { s.MaxEvents = 100_000_001 },
			"a run has 1 to 100000000 events, not 100000001"},
		{func(s *run.Scenario) { s.Root = "/z" }, func(s *run.Scenario) { s.Root = "/" },
			`the root "/" is not the path of a znode, like /zkviz`},
		{func(s *run.Scenario) { s.Root = "/z/z" }, func(s *run.Scenario) { s.Root = "z/z" },
			`the root "z/z" is not the path of a znode, like /zkviz`},
		{func(s *run.Scenario) { s.Latency, s.Jitter = 1, 1 }, func(s *run.Scenario) { s.Latency = -1 },
			"the latency is 0s to 1m0s, not -1ns"},
		{func(s *run.Scenario) { s.Latency = time.Minute }, func(s *run.Scenario) { s.Latency = time.Minute + 1 },
			"the latency is 0s to 1m0s, not 1m0.000000001s"},
		{func(s *run.Scenario) { s.Jitter = time.Second }, func(s *run.Scenario) { s.Jitter = -1 },
			"the jitter is 0s to 1m0s, not -1ns"},
		{func(s *run.Scenario) { s.Jitter = time.Second }, func(s *run.Scenario) { s.Jitter = time.Second + 1 },
			"the jitter is at most the latency of 1s, not 1.000000001s"},
		{func(s *run.Scenario) {}, func(s *run.Scenario) { s.Jitter = time.Minute + 1 },
			"the jitter is 0s to 1m0s, not 1m0.000000001s"},
		{func(s *run.Scenario) { s.Stagger = -1 }, func(s *run.Scenario) { s.Stagger = time.Minute + 1 },
			"the stagger is 0s to 1m0s, not 1m0.000000001s"},
		{func(s *run.Scenario) { s.Stagger = time.Minute }, func(s *run.Scenario) { s.Stagger = math.MaxInt64 },
			"the stagger is 0s to 1m0s, not 2562047h"},
		{func(s *run.Scenario) { s.Servers = 3 }, func(s *run.Scenario) { s.Servers = -1 },
			"ZooKeeper has from 1 to 9 servers here, not -1"},
		{func(s *run.Scenario) { s.Servers, s.Observers = 8, 1 }, func(s *run.Scenario) { s.Servers, s.Observers = 8, 2 },
			"ZooKeeper has up to 9 servers here, observers included, not 10"},
		{func(s *run.Scenario) {}, func(s *run.Scenario) { s.Observers = 1 }, "a server alone has no observers"},
		{func(s *run.Scenario) {}, func(s *run.Scenario) { s.Servers, s.Observers = 3, -1 }, "from 0 to 8 observers, not -1"},
		{func(s *run.Scenario) { s.Faults = crashes(1000) }, func(s *run.Scenario) { s.Faults = crashes(1001) },
			"a run takes up to 1000 faults, not 1001"},
		{one(fault.Fault{Kind: fault.Crash, Client: 1}), one(fault.Fault{Kind: fault.Crash}),
			`fault "crash server at 0s": there is no client-0 among 3 clients`},
		{one(fault.Fault{Kind: fault.Crash, Client: 3}), one(fault.Fault{Kind: fault.Crash, Client: 4}),
			"there is no client-4 among 3 clients"},
		{one(fault.Fault{Kind: fault.Restart, For: 1}), one(fault.Fault{Kind: fault.Restart, For: 1, At: -1}),
			`fault "restart server at -1ns for 1ns": its times are 0s to 24h0m0s`},
		{one(fault.Fault{Kind: fault.Drop, Client: 1, At: 24 * time.Hour}), one(fault.Fault{Kind: fault.Drop, Client: 1,
			At: 24*time.Hour + 1}), "its times are 0s to 24h0m0s"},
		{one(fault.Fault{Kind: fault.Cut, Client: 1, For: 24 * time.Hour}), one(fault.Fault{Kind: fault.Cut, Client: 1,
			For: 24*time.Hour + 1}), "its times are 0s to 24h0m0s"},
		{func(s *run.Scenario) {}, one(fault.Fault{Kind: fault.Cut, Client: 1, For: -1}), "its times are 0s to 24h0m0s"},
		{func(s *run.Scenario) {}, func(s *run.Scenario) {
			s.Faults = append(crashes(2), fault.Fault{Kind: fault.Crash,
				Client: 9})
		},
			"there is no client-9 among 3 clients"},
	} {
		if err := with(c.within).Validate(); err != nil {
			t.Errorf("within the limit: %v", err)
		}
		if err := run.Sim(context.Background(), with(c.within), &event.Log{}); err != nil {
			t.Errorf("within the limit: %v", err)
		}
		refusedWith(t, with(c.beyond), c.want)
	}
}

// refusedWith checks that a scenario doesn't run, with an error that says why, and no event.
func refusedWith(t *testing.T, s run.Scenario, want string) {
	t.Helper()
	if err := s.WithDefaults().Validate(); err == nil || !strings.Contains(said(err), want) {
		t.Errorf("got %v, want %q", err, want)
	}
	var log event.Log
	if err := run.Sim(context.Background(), s, &log); err == nil || !strings.Contains(said(err), want) ||
		len(log.Events) > 0 {
		t.Errorf("run for %d events, %v, want %q", len(log.Events), err, want)
	}
	if _, err := run.NewTree(context.Background(), s); err == nil && s.MaxEvents <= run.StreamEvents && s.MaxEvents >= 0 {
		t.Errorf("a tree of what is refused: %q", want)
	}
}

// TestDefaults names each default, and what setting one value does to the others.
func TestDefaults(t *testing.T) {
	usual := run.Scenario{
		Recipe: "barrier", Root: "/zkviz/barrier", Clients: 6, Rounds: 1, Hold: program.UntilSettled,
		SessionTimeout: 10 * time.Second,
		Latency:        time.Millisecond, Jitter: 50 * time.Microsecond, Stagger: 500 * time.Microsecond,
		Servers: 1, MaxEvents: 100_000_000,
	}
	if got := fmt.Sprintf("%+v", run.Scenario{Recipe: "barrier"}.WithDefaults()); got != fmt.Sprintf("%+v", usual) {
		t.Errorf("the defaults are %s", got)
	}
	own := run.Scenario{
		Recipe: "barrier", Root: "/r", Clients: 2, Rounds: 3, Hold: 4, Seed: 5, SessionTimeout: 6, Latency: 7, Jitter: 8,
		Stagger: -1, Servers: 3, Observers: 1,
		Faults: faults(t, "crash client-1 at 9s"), Lines: true, MaxEvents: 10,
	}
	if got := fmt.Sprintf("%+v", own.WithDefaults()); got != fmt.Sprintf("%+v", own) {
		t.Errorf("defaults make of what is given %s", got)
	}
	usual.Faults, usual.Hold, usual.Seed = own.Faults, 10*time.Second, 1
	if got := fmt.Sprintf("%+v", own.Usual()); got != fmt.Sprintf("%+v", usual) {
		t.Errorf("usual is %s", got)
	}
	for want, list := range map[time.Duration][]string{
		program.UntilSettled: {}, time.Second: {"crash client-1 at 0s"}, 4 * time.Second: {"crash client-1 at 3s",
			"pause client-2 at 1s for 9s"},
		time.Hour: {"crash client-1 at 24h"}, time.Hour - 1: {"crash client-1 at 59m58.999999999s"},
	} {
		if got := (run.Scenario{Faults: faults(t, list...)}).WithDefaults().Hold; got != want {
			t.Errorf("with %q a client holds for %s, want %s", list, got, want)
		}
	}
}

// TestProcesses checks what each client is told, when it starts, and after whom.
func TestProcesses(t *testing.T) {
	var told []recipe.Params
	r := recipe.Recipe{
		Name: "told", Parents: func(root string) []string { return []string{root} },
		Role:  func(i, n int) string { return fmt.Sprintf("%d of %d", i, n) },
		After: func(i, n int) int { return i - 1 },
		Main:  func(_ systems.World, p recipe.Params) error { told = append(told, p); return nil },
	}
	for stagger, apart := range map[time.Duration]time.Duration{-1: 0, 20 * time.Millisecond: 20 * time.Millisecond} {
		told = nil
		var log event.Log
		s := run.Scenario{Recipe: "told", Clients: 3, Rounds: 2, Hold: 5, Stagger: stagger}
		if err := run.SimOf(context.Background(), r, s, &log); err != nil {
			t.Fatal(err)
		}
		var started []time.Duration
		for _, e := range log.Events {
			if e.Kind == event.ClientStarted {
				started = append(started, e.At)
				if e.Text != fmt.Sprintf("%d of 3", e.Actor) {
					t.Errorf("client-%d is %q", e.Actor, e.Text)
				}
			}
		}
		for i, p := range told {
			want := recipe.Params{Root: "/zkviz/told", Index: i + 1, Clients: 3,
				Rounds: 2, Lease: 10 * time.Second, Hold: 5}
			if !reflect.DeepEqual(p, want) {
				t.Errorf("the %d. client is told %+v", i+1, p)
			}
		}
		if len(told) != 3 || len(started) != 3 || started[0] != 0 || started[2] < 2*apart || started[1] < apart {
			t.Errorf("%s apart: started at %v, %d told", stagger, started, len(told))
		}
	}
}
