package view_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/run"
)

// ensembleRun folds a run of an ensemble, and calls each with every State before its next event.
func ensembleRun(t *testing.T, s run.Scenario, faults []string, each func(s *view.State, e event.Event)) *view.State {
	t.Helper()
	for _, written := range faults {
		f, err := fault.Parse(written)
		if err != nil {
			t.Fatal(err)
		}
		s.Faults = append(s.Faults, f)
	}
	s = s.WithDefaults()
	state := view.NewFor(s.Header(event.Simulated))
	if err := run.Sim(context.Background(), s, sink(func(e event.Event) {
		each(state, e)
		state.Apply(e)
	})); err != nil {
		t.Fatal(err)
	}
	return state
}

type sink func(event.Event)

func (f sink) Append(e event.Event) { f(e) }

// cutOff returns faults after which sessions expire while their clients' server still answers them.
func cutOff(servers, seed int) []string {
	n := 1 + seed%servers
	rest := ""
	for i := range servers {
		if i+1 != n {
			rest += fmt.Sprintf(" server-%d", i+1)
		}
	}
	return []string{
		fmt.Sprintf("partition server-%d |%s at %dms for 25s", n, rest, 4000+seed*37),
		fmt.Sprintf("crash client-%d at 3s", 1+seed%3), fmt.Sprintf("pause server-%d at 40s for 13s", 1+(seed+1)%servers),
	}
}

// TestLeadersAccount: by what the leader has heard, a session expires after its timeout, at the next tick. What
// followers hear would make it too late, and leaving out what they pass on too early.
func TestLeadersAccount(t *testing.T) {
	const tick = 2 * time.Second
	expired, behind := 0, 0
	for seed := range 30 {
		servers := 3 + seed%2*2
		ensembleRun(t, run.Scenario{Recipe: "predecessor-lock", Clients: 6, Servers: servers, Seed: uint64(seed),
			Hold: 20 * time.Second, SessionTimeout: 6 * time.Second, Latency: 30 * time.Millisecond,
		}, cutOff(servers, seed), func(s *view.State, e event.Event) {
			if e.Kind != event.SessionExpired {
				return
			}
			c := s.Clients.Get(e.Peer)
			expired++
			if silent := e.At - s.Ensemble.LeaderHeard(c); silent <= c.Timeout || silent > c.Timeout+tick+time.Second {
				t.Errorf("seed %d, event %d: %s's session of %v expires %v after the leader heard of it",
					seed, e.Seq, c.Name, c.Timeout, silent)
			}
			if c.Linked && c.Server != 0 && c.Server != s.Ensemble.Leader() && !c.Paused {
				behind++
			}
		})
	}
	if expired < 30 || behind < 10 {
		t.Errorf("%d sessions expired, %d of them behind a follower that is cut off: too few", expired, behind)
	}
}

// TestSilence checks that the bar of a follower that hears nothing runs out exactly when it gives up its leader.
func TestSilence(t *testing.T) {
	given := 0
	for seed := range 20 {
		ensembleRun(t, run.Scenario{Recipe: "predecessor-lock", Clients: 3, Servers: 3, Seed: uint64(seed),
			Hold: 20 * time.Second, Latency: 30 * time.Millisecond,
		}, cutOff(3, seed), func(s *view.State, e event.Event) {
			n := e.Actor.Number()
			if e.Kind != event.LeaderLost || e.Reason != event.LostSilent || s.Ensemble.Servers[n-1].Leads(n) {
				return
			}
			leader := s.Ensemble.Servers[n-1].Leader.Number()
			before, runs := s.Ensemble.Silence(&s.Header, n, leader, e.At-10*time.Millisecond)
			clock, is := s.Ensemble.Silence(&s.Header, n, leader, e.At)
			switch {
			case !is:
			case clock.Left != 0 || clock.Part != 1 || !runs || before.Left <= 0:
				t.Errorf("seed %d, event %d: %v gives server-%d up with %v left, and 10 ms before %v",
					seed, e.Seq, e.Actor, leader, clock.Left, before.Left)
			default:
				given++
			}
		})
	}
	if given < 5 {
		t.Errorf("%d followers gave their leader up: too few", given)
	}
}

// TestSilenceAtBothEnds: the two ends of a cut link count, nobody else, and nobody after it is healed.
func TestSilenceAtBothEnds(t *testing.T) {
	most := map[string]int{}
	ensembleRun(t, run.Scenario{Recipe: "predecessor-lock", Clients: 2, Servers: 3, Seed: 1, Hold: 30 * time.Second,
		Latency: 30 * time.Millisecond,
	}, []string{"partition server-1 | server-2 server-3 at 5s for 8s"}, func(s *view.State, e event.Event) {
		for of := range len(s.Ensemble.Servers) {
			for n := range len(s.Ensemble.Servers) {
				clock, runs := s.Ensemble.Silence(&s.Header, of+1, n+1, e.At)
				link := fmt.Sprint(of+1, " of ", n+1)
				if at := int(clock.Part * 10); runs && at >= 2 {
					most[link] = max(most[link], at)
				}
				if runs && e.At > 15*time.Second && clock.Part > 0.25 {
					t.Errorf("event %d: server %s has heard nothing for %.2f of its time", e.Seq, link, clock.Part)
				}
			}
		}
	})
	if len(most) != 2 || most["1 of 3"] < 7 || most["3 of 1"] < 7 {
		t.Errorf("silent were, in tenths, %v", most)
	}
}

// TestOwner checks that the leader knows each client's server, also after a change.
func TestOwner(t *testing.T) {
	moved := 0
	s := ensembleRun(t, run.Scenario{Recipe: "predecessor-lock", Clients: 4, Servers: 5, Seed: 3, Hold: 20 * time.Second,
		Latency: 30 * time.Millisecond,
	}, []string{"crash server-2 at 6s", "crash server-1 at 12s"}, func(s *view.State, e event.Event) {
		if e.Kind != event.ConnOpened || e.Peer == 0 {
			return
		}
		if c := s.Clients.Get(e.Actor); c.BackAt == 0 && c.Cut && s.Ensemble.Owner(c) == e.Peer {
			moved++
		}
	})
	if moved == 0 {
		t.Error("no client has moved")
	}
	for i := range s.Clients {
		if c := &s.Clients[i]; c.Ended == view.Alive && c.Linked && s.Ensemble.Owner(c) != c.Server {
			t.Errorf("%s is at %v, and by the leader's account at %v", c.Name, c.Server, s.Ensemble.Owner(c))
		}
	}
}

// TestNobodyCounts checks that a session's time stands still while the only server is down, and starts over with it.
func TestNobodyCounts(t *testing.T) {
	s := run.Scenario{Recipe: "predecessor-lock", Clients: 2, Hold: 20 * time.Second,
		SessionTimeout: 6 * time.Second}
	down, expired := 0, 0
	var up time.Duration
	ensembleRun(t, s, []string{"crash client-1 at 2s", "restart server at 4s for 9s"},
		func(s *view.State, e event.Event) {
			if s.Lost == s.Counted() {
				t.Errorf("before %v the server is down: %v, and its clock runs: %v", e, s.Lost, s.Counted())
			}
			switch e.Kind {
			case event.ServerStopped:
				down++
			case event.ServerStarted:
				up = e.At
			case event.SessionExpired:
				c := s.Clients.Get(e.Peer)
				if ends := s.Ensemble.LeaderHeard(c) + c.Timeout; up == 0 || e.At < ends || e.At > ends+2*time.Second {
					t.Errorf("%v expires at %v, and by the picture at %v", e.Peer, e.At, ends)
				}
				expired++
			}
		})
	if down != 1 || expired == 0 {
		t.Errorf("the server was down %d times, and %d sessions expired", down, expired)
	}
}
