package view_test

import (
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/testing/eventtext"
	"github.com/zkviz/zkviz/engine/zookeeper/zab"
)

// ensembleOf returns the log of a lock that three servers keep.
func ensembleOf(t *testing.T, flaws zab.Flaws, faults ...string) []event.Event {
	t.Helper()
	s := run.Scenario{Recipe: "predecessor-lock", Clients: 2, Seed: 1, Hold: 20 * time.Second, Servers: 3, Flaws: flaws,
		SessionTimeout: 10 * time.Second, Latency: 300 * time.Millisecond, Jitter: 30 * time.Millisecond,
		Stagger: 8 * time.Second}
	for _, text := range faults {
		f, err := fault.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		s.Faults = append(s.Faults, f)
	}
	var log event.Log
	if err := run.Sim(t.Context(), s, &log); err != nil {
		t.Fatal(err)
	}
	return log.Events
}

// forgetful returns a log in which two servers lose what they had acknowledged, and the one that remembers it crashes.
func forgetful(t *testing.T) []event.Event {
	return ensembleOf(t, zab.AcksBeforeSync, "slow server-1 at 4600ms for 1600ms", "slow server-2 at 4600ms for 1600ms",
		"power server-1 at 6300ms for 2s", "power server-2 at 6300ms for 2s", "crash server-3 at 6800ms")
}

// TestForgottenIsNotThere checks that after servers lost committed transactions, the znodes are the leader's, and
// that a client is answered with the znode that the log says was made.
func TestForgottenIsNotThere(t *testing.T) {
	s, made, forgotten := view.New(), "", 0
	for _, e := range forgetful(t) {
		switch {
		case e.Kind == event.ZnodeDeleted && e.Reason == event.ByFailover:
			forgotten++
		case e.Kind == event.ZnodeCreated && e.Mode != 0:
			if p := s.Tree.Node("/zkviz/predecessor-lock"); p.Next != event.Number(e.Path) || p.Children != 0 {
				t.Errorf("%s is made where number %d comes next to %d others", e.Path, p.Next, p.Children)
			}
			made = e.Path
		case e.Kind == event.OpDone && e.Op == event.Create && e.Path != made:
			t.Errorf("%s is told of %s, and the log has %s", e.Actor, e.Path, made)
		}
		s.Apply(e)
		if n, differ := s.Ensemble.Whose(); e.Kind == event.ZnodeDeleted && e.Reason == event.ByFailover && differ {
			t.Errorf("the two servers that run have the same, and it is said to be that of server %d alone", n)
		}
	}
	if forgotten != 1 {
		t.Errorf("%d znodes were forgotten, want one", forgotten)
	}
}

// TestWhose checks that while one of three servers is cut off, the znodes are the leader's, and otherwise those of all.
func TestWhose(t *testing.T) {
	const from, to = 10 * time.Second, 17 * time.Second
	s, leads, all := view.New(), 0, 0
	for _, e := range ensembleOf(t, 0, "partition server-1 | server-2 server-3 at 10s for 7s") {
		if s.Apply(e); len(s.Ensemble.Servers) < 3 {
			continue
		}
		servers := s.Ensemble.Servers
		switch whose, differ := s.Ensemble.Whose(); {
		case e.Kind == event.ZnodeCreated && e.At > from && e.At < to:
			leads++
			fallthrough
		case leads > 0 && e.At < to:
			if whose != 3 || !differ {
				t.Fatalf("%s: the znodes are those of server %d, alone %v, want 3, which leads", eventtext.Of(e), whose, differ)
			}
		case servers[0].Delivered == servers[2].Delivered && servers[1].Delivered == servers[2].Delivered:
			if all++; differ {
				t.Fatalf("%s: all have the same, and it is said to be that of server %d alone", eventtext.Of(e), whose)
			}
		}
	}
	if leads == 0 || all == 0 {
		t.Errorf("they differ %d times, and not %d times", leads, all)
	}
}

// TestAnswers checks that nobody answers before the first leader leads, and after two of three servers have crashed.
func TestAnswers(t *testing.T) {
	s, before, apart := view.New(), 0, 0
	for _, e := range ensembleOf(t, 0, "crash server-1 at 12s", "crash server-2 at 12s") {
		s.Apply(e)
		switch {
		case s.Ensemble.Leader() != event.ZooKeeper && !s.Ensemble.Answers():
			t.Fatalf("%s: a server leads, and none answers", eventtext.Of(e))
		case e.At < 12*time.Second && e.Kind == event.VoteCast && !s.Ensemble.Answers():
			before++
		case e.Kind == event.VoteCast && e.At > 12*time.Second:
			if apart++; s.Ensemble.Answers() {
				t.Fatalf("%s: the only server that runs has no leader, and it answers", eventtext.Of(e))
			}
		}
	}
	if before == 0 || apart == 0 {
		t.Errorf("nobody answers at %d votes at the start, and at %d after two have crashed", before, apart)
	}
}

// TestSlowDisk checks until when a fault slows a server's disk, also if the server is started again meanwhile.
func TestSlowDisk(t *testing.T) {
	s, down := view.New(), 0
	for _, e := range forgetful(t) {
		if s.Apply(e); e.At < 4600*time.Millisecond || len(s.Ensemble.Servers) < 3 {
			continue
		}
		for i, until := range []time.Duration{6200 * time.Millisecond, 6200 * time.Millisecond, 0} {
			n := &s.Ensemble.Servers[i]
			if e.Kind == event.FaultInjected && e.At == 4600*time.Millisecond {
				continue // one of the two comes first
			}
			if n.SlowUntil != until {
				t.Fatalf("%s: the disk of server %d is slow until %s, want %s", eventtext.Of(e), i+1, n.SlowUntil, until)
			}
			if !n.Up {
				down++
			}
		}
	}
	if down == 0 {
		t.Error("no server was down")
	}
}

// TestSentAway checks that a server refuses a client no more once it has what the client has seen.
func TestSentAway(t *testing.T) {
	m := view.Ensemble{Servers: make([]view.Server, 3)}
	for _, c := range []struct {
		seen, applied int64
		want          event.Actor
	}{{5, 0, event.Server(2)}, {5, 4, event.Server(2)}, {5, 5, 0}, {5, 6, 0}, {0, 6, event.Server(2)}} {
		m.Servers[1].Delivered = c.applied
		if got := m.SentAway(&view.Client{SentAway: event.Server(2), Seen: c.seen}); got != c.want {
			t.Errorf("a client that has seen %d is refused by %s, which has %d", c.seen, got, c.applied)
		}
	}
	for _, at := range []event.Actor{0, event.Server(9)} {
		if got := m.SentAway(&view.Client{SentAway: at, Seen: 5}); got != at {
			t.Errorf("the client was refused by %s, not by %s", at, got)
		}
	}
}
