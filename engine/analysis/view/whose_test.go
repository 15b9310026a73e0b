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
		if e.Kind == event.ZnodeDeleted && e.Reason == event.ByFailover && s.Ensemble.Whose() != 0 {
			t.Errorf("the two servers that run have the same, and it is said to be that of server %d", s.Ensemble.Whose())
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
		switch whose := s.Ensemble.Whose(); {
		case e.Kind == event.ZnodeCreated && e.At > from && e.At < to:
			leads++
			fallthrough
		case leads > 0 && e.At < to:
			if whose != 3 {
				t.Fatalf("%s: the znodes are those of server %d, want 3, which leads", eventtext.Of(e), whose)
			}
		case servers[0].Delivered == servers[2].Delivered && servers[1].Delivered == servers[2].Delivered:
			if all++; whose != 0 {
				t.Fatalf("%s: all have the same, and it is said to be that of server %d", eventtext.Of(e), whose)
			}
		}
	}
	if leads == 0 || all == 0 {
		t.Errorf("they differ %d times, and not %d times", leads, all)
	}
}
