package view_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// queue returns a queue of three as an observer finds it, each owned by the client of its number.
func queue(t *testing.T) (s *view.State, apply func(event.Event)) {
	t.Helper()
	s = view.NewFor(event.Header{Host: event.Joined, Root: "/l"})
	seq := event.Seq(0)
	apply = func(e event.Event) {
		seq++
		e.Seq, e.At = seq, time.Duration(seq)*time.Second
		s.Apply(e)
	}
	apply(event.Event{Kind: event.ZnodeFound, Path: "/l", Zxid: 1})
	for i, path := range []string{"/l/lock-0000000001", "/l/lock-0000000002", "/l/lock-0000000003"} {
		who := event.Actor(i + 1)
		apply(event.Event{Kind: event.SessionCreated, Peer: who, Session: int64(i + 7), N: int64(9 * time.Second)})
		apply(event.Event{Kind: event.ZnodeCreated, Path: path, Zxid: int64(i + 2), Session: int64(i + 7), Peer: who,
			Mode: uint8(zoo.EphemeralSequential)})
	}
	return s, apply
}

// TestSaidOfSessions folds where a session comes from, and when it falls silent.
func TestSaidOfSessions(t *testing.T) {
	s, apply := queue(t)
	c := &s.Clients[1]
	apply(event.Event{Kind: event.SessionLocated, Peer: 2, Session: 8, Text: "10.0.0.7:1 zk1:2181",
		N: int64(8 * time.Second)})
	if c.Address != "10.0.0.7:1" || c.Where != "zk1:2181" || c.Timeout != 8*time.Second {
		t.Errorf("it is %+v", c)
	}
	if at, ok := c.Expires(); ok {
		t.Errorf("nobody has said that it is silent, and it expires at %v", at)
	}
	apply(event.Event{Kind: event.SessionSilent, Peer: 2, Session: 8, N: int64(5 * time.Second)})
	if at, ok := c.Expires(); !ok || at != s.At-5*time.Second+8*time.Second {
		t.Errorf("at %v it expires at %v, %t", s.At, at, ok)
	}
	apply(event.Event{Kind: event.SessionLocated, Peer: 2, Session: 8, Text: "10.0.0.7:1 "})
	apply(event.Event{Kind: event.SessionHeard, Peer: 2, Session: 8, N: int64(time.Second)})
	if _, ok := c.Expires(); ok || c.Where != "" || c.Address == "" || c.Heard != s.At-time.Second {
		t.Errorf("it is heard again: %+v", c)
	}
	apply(event.Event{Kind: event.SessionSilent, Peer: 2, Session: 9, N: int64(time.Second)})
	if c.Silent {
		t.Error("another session has fallen silent")
	}
}

// TestOverdue makes clients silent for their whole timeouts: then it is unknown who would get in, and who is in
// stays in.
func TestOverdue(t *testing.T) {
	s, apply := queue(t)
	part := func(who int) view.Part { return s.Kin(fmt.Sprintf("/l/lock-000000000%d", who)).Part }
	is := func(when string, first, second view.Part) {
		t.Helper()
		if a, b := part(1), part(2); a != first || b != second {
			t.Errorf("%s: %d and %d, not %d and %d", when, a, b, first, second)
		}
	}
	was, waits := part(1), part(2)
	for _, who := range []event.Actor{1, 2} {
		apply(event.Event{Kind: event.SessionSilent, Peer: who, Session: s.Clients.Get(who).Session,
			Reason: event.BySessionExpired})
	}
	is("they are silent", was, waits)
	apply(event.Event{Kind: event.ZnodeDeleted, Path: "/l/lock-0000000001", Peer: 1, Reason: event.BySessionExpired})
	if k := s.Kin("/l/lock-0000000002"); k.Part != view.Unsure || k.Doubt != naming.Overdue {
		t.Errorf("the next one is %+v", k)
	}
	apply(event.Event{Kind: event.SessionHeard, Peer: 2, Session: s.Clients.Get(2).Session})
	is("it is heard again", view.Apart, was)
}

// TestWatchesAhead checks who waits without watching the znode ahead, for as long as that is known.
func TestWatchesAhead(t *testing.T) {
	s, apply := queue(t)
	ahead := func(who event.Actor) view.Watched {
		n := s.Tree.Node("/l/lock-000000000" + string('0'+rune(who)))
		return s.WatchesAhead(who, n, s.Kin(n.Path).After)
	}
	is := func(when string, second, third view.Watched) {
		t.Helper()
		if a, b := ahead(2), ahead(3); a != second || b != third {
			t.Errorf("%s: %d and %d, not %d and %d", when, a, b, second, third)
		}
	}
	is("nobody was asked", view.WatchUnknown, view.WatchUnknown)
	set := event.Event{Kind: event.WatchSet, Peer: 2, Path: "/l/lock-0000000001", Watch: event.DataWatch,
		Reason: event.ServerSays}
	before := s.Clients[1].Heard
	apply(set)
	if s.Clients[1].Heard != before {
		t.Error("that it has a watch is taken for a sign of life")
	}
	apply(event.Event{Kind: event.WatchesAsked, N: 1, Code: 1})
	is("not all have answered", view.WatchThere, view.WatchUnknown)
	apply(event.Event{Kind: event.WatchesAsked, N: 1})
	is("all have answered", view.WatchThere, view.WatchLacks)
	first := event.Event{Kind: event.WatchSet, Peer: 3, Path: "/l/lock-0000000001", Watch: event.DataWatch,
		Reason: event.ServerSays}
	apply(first)
	is("it watches the first", view.WatchThere, view.WatchFirst)
	first.Kind = event.WatchRemoved
	apply(first)
	apply(event.Event{Kind: event.ZnodeCreated, Path: "/l/lock-0000000004", Zxid: 9, Session: 10, Peer: 4,
		Mode: uint8(zoo.EphemeralSequential)})
	is("one more comes", view.WatchThere, view.WatchLacks)
	if got := ahead(4); got != view.WatchUnknown {
		t.Errorf("one that came later: %d", got)
	}
	apply(event.Event{Kind: event.ZnodeDeleted, Path: "/l/lock-0000000004", Zxid: 10, Peer: 4})
	is("one has gone", view.WatchThere, view.WatchUnknown)
}
