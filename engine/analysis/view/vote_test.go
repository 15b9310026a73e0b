package view_test

import (
	"context"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/run"
)

// TestDecided checks that the first field in which a vote is higher than the one before decides for it. In a higher
// round, the one before is the vote that the server began with.
func TestDecided(t *testing.T) {
	type v = view.Vote
	s1, s2, s3 := event.Server(1), event.Server(2), event.Server(3)
	for _, c := range []struct {
		name  string
		votes []v
		want  view.VoteField
	}{
		{"its own", []v{{s2, 5, 1, 1}}, view.NoField},
		{"a higher epoch", []v{{s2, 5, 1, 1}, {s1, 4, 2, 1}}, view.EpochField},
		{"a higher zxid", []v{{s2, 5, 1, 1}, {s1, 6, 1, 1}}, view.ZxidField},
		{"a higher server", []v{{s2, 5, 1, 1}, {s3, 5, 1, 1}}, view.ServerField},
		{"a higher zxid that wins over the epoch", []v{{s2, 5, 2, 1}, {s1, 6, 1, 1}}, view.ZxidField},
		{"one after the other", []v{{s1, 5, 1, 1}, {s2, 6, 1, 1}, {s3, 6, 1, 1}}, view.ServerField},
		{"a higher round, its own again", []v{{s2, 5, 1, 1}, {s2, 5, 1, 3}}, view.RoundField},
		{"a higher round, less than before", []v{{s1, 5, 1, 1}, {s3, 9, 2, 1}, {s2, 6, 1, 2}}, view.ZxidField},
		{"a round later", []v{{s1, 5, 1, 1}, {s1, 5, 1, 2}, {s2, 5, 1, 2}}, view.ServerField},
	} {
		s := view.New()
		for _, v := range c.votes {
			s.Apply(event.Event{Seq: s.Seq + 1, Actor: s1, Kind: event.VoteCast, Peer: v.For, Zxid: v.Zxid, Code: v.Epoch,
				N: v.Round})
		}
		if got := s.Ensemble.Servers[0].Ballot.Decided; got != c.want {
			t.Errorf("%s: field %d decides, not %d", c.name, got, c.want)
		}
	}
}

// servers runs elections and all ways of catching up.
func servers(t *testing.T, n int, faults ...string) event.Log {
	t.Helper()
	return simulated(t, run.Scenario{Recipe: "predecessor-lock", Clients: 3, Servers: n, Seed: 1, Hold: 10 * time.Second,
		Latency: 20 * time.Millisecond, Jitter: 15 * time.Millisecond}, faults...)
}

func simulated(t *testing.T, s run.Scenario, faults ...string) event.Log {
	t.Helper()
	for _, text := range faults {
		f, err := fault.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		s.Faults = append(s.Faults, f)
	}
	log := event.Log{Header: s.WithDefaults().Header("sim")}
	if err := run.Sim(context.Background(), s, &log); err != nil {
		t.Fatal(err)
	}
	return log
}

// TestElections holds the fold of real elections to the protocol: a field decides for each vote but the first, and
// a server that has waited to the end has heard a quorum agree, and joins when the wait is over.
func TestElections(t *testing.T) {
	seen := map[view.VoteField]int{}
	for _, log := range []event.Log{
		servers(t, 3, "partition server-2 | server-1 server-3 at 2s for 14s", "crash server-3 at 14s"),
		servers(t, 5, "partition server-1 | server-2 server-3 server-4 server-5 at 1s for 20s", "crash server-5 at 3s",
			"crash server-4 at 20s"),
		servers(t, 7, "crash server-7 at 2s", "restart server-6 at 4s for 1s"),
	} {
		s := view.NewFor(log.Header)
		for _, e := range log.Events {
			n := e.Actor.Number()
			if e.Kind == event.ServerPhase && e.Text == string(event.Discovering) {
				b := &s.Ensemble.Servers[n-1].Ballot
				agree := 1
				for i := range s.Ensemble.Voters(&s.Header) {
					if i+1 != n && b.Heard(i+1) == b.Vote {
						agree++
					}
				}
				if b.Final != 0 && (e.At != b.Final || 2*agree <= s.Ensemble.Voters(&s.Header) || b.Waits != 200*time.Millisecond) {
					t.Errorf("event %d: %d of %d agree, and it is %v, not %v", e.Seq, agree,
						s.Ensemble.Voters(&s.Header), e.At, b.Final)
				}
				seen[100]++
			}
			before := view.Vote{}
			if n > 0 && n <= len(s.Ensemble.Servers) && e.Kind == event.VoteCast {
				before = s.Ensemble.Servers[n-1].Ballot.Vote
			}
			s.Apply(e)
			if e.Kind == event.VoteCast {
				by := s.Ensemble.Servers[n-1].Ballot.Decided
				if seen[by]++; (by == view.NoField) != (before.For == 0) {
					t.Errorf("event %d: field %d decides, and the vote before is %+v", e.Seq, by, before)
				}
			}
		}
	}
	for _, by := range []view.VoteField{view.EpochField, view.ZxidField, view.ServerField, 100} {
		if seen[by] == 0 {
			t.Errorf("no vote is decided by field %d: %v", by, seen)
		}
	}
}

// TestHeard: the notification counts, not what its sender has meanwhile, and one without a vote doesn't.
func TestHeard(t *testing.T) {
	s := view.New()
	s.Apply(event.Event{Seq: 1, Actor: event.Server(2), Kind: event.VoteCast, Peer: event.Server(2), N: 7})
	s.Apply(event.Event{Seq: 2, Actor: event.Server(1), Kind: event.MsgReceived, Op: event.Notification,
		Peer: event.Server(2), Text: "server-3", Zxid: 5, Code: 2, N: 6})
	s.Apply(event.Event{Seq: 3, Actor: event.Server(1), Kind: event.MsgReceived, Op: event.Notification,
		Peer: event.Server(4)})
	b := &s.Ensemble.Servers[0].Ballot
	if got, want := b.Heard(2), (view.Vote{For: event.Server(3), Zxid: 5, Epoch: 2, Round: 6}); got != want {
		t.Errorf("it has heard %+v, not %+v", got, want)
	}
	if none := (view.Vote{}); b.Heard(4) != none || b.Heard(0) != none || b.Heard(10) != none {
		t.Error("it has heard of who says nothing")
	}
	s.Apply(event.Event{Seq: 4, Actor: event.Server(1), Kind: event.ServerPhase, Text: string(event.Electing)})
	if b.Heard(2).For != 0 {
		t.Error("what it heard in the election before counts")
	}
}
