package view_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/testing/eventtext"
)

// TestObserved folds events that only observers write.
func TestObserved(t *testing.T) {
	s := view.NewFor(event.Header{Host: "observed", Root: "/a"})
	for i, e := range []event.Event{
		{Kind: event.ZnodeFound, Path: "/never"},
		{Kind: event.ZnodeCreated, Path: "/a"},
		{Kind: event.ZnodeFound, Path: "/a", N: 1_700_000_000_000},
		{Kind: event.ClientStarted, Actor: 1},
		{Kind: event.RecipeNote, Reason: event.LeftLater},
		{Kind: event.RecipeNote, Actor: 1, Text: "what a client says"},
	} {
		e.Seq = event.Seq(i + 1)
		s.Apply(e)
	}
	if n := s.Tree.Node("/a"); n == nil || n.Made != 1_700_000_000_000 || len(s.Tree.Nodes) != 1 {
		t.Errorf("the znodes: %+v", s.Tree.Nodes)
	}
	s.Apply(event.Event{Kind: event.SessionSeen, Seq: 10, Peer: 1, Session: 5})
	s.Apply(event.Event{Kind: event.RecipeNote, Seq: 11, Reason: event.LeftMissed, Path: "/a", N: 3})
	s.Apply(event.Event{Kind: event.ZnodeFound, Seq: 12, Path: "/a/b", Zxid: 9, Session: 5, Peer: 1, Code: 2, Text: "hi",
		N: 7})
	if n := s.Tree.Node("/a/b"); n == nil || n.Made != 7 || n.Bytes != 2 || n.Owner != 5 ||
		n.Data != "hi" || n.Czxid != 9 ||
		s.Tree.Node("/a").Children != 1 || s.Clients[0].Session != 5 || s.Clients[0].Ended != view.Alive {
		t.Errorf("what was found: %+v, its owner %+v", n, s.Clients[0])
	}
	if s.LeftOut.Reason != event.LeftLater || s.Clients[0].Note != "what a client says" {
		t.Errorf("left out: %v; the client: %q", s.LeftOut, s.Clients[0].Note)
	}
}

// TestLeftOut checks that each reason for leaving something out has a sentence, and that no other reason has one.
func TestLeftOut(t *testing.T) {
	for _, r := range event.Reasons() {
		said := view.LeftOut(event.Event{Kind: event.RecipeNote, Reason: r, Path: "/a", N: 2})
		if (said.Key != "") != (r >= event.LeftNothing && r <= event.LeftWatches ||
			slices.Contains([]event.Reason{event.LeftRoles, event.LeftMissed, event.LeftReadOnly, event.LeftWords,
				event.LeftUnasked, event.LeftHidden, event.LeaderNow, event.QuorumLost, event.QuorumBack}, r)) {
			t.Errorf("of %s it says %v", r, said)
		}
	}
	for n, want := range map[int64]string{
		0: "left.deep(/a)", 1: "left.deep(left.more(/a, 1))",
	} {
		if got := view.LeftOut(event.Event{Reason: event.LeftDeep, Path: "/a", N: n}).String(); got != want {
			t.Errorf("it says %s, want %s", got, want)
		}
	}
}

// TestServersFromOutside folds what is known about servers from outside, and checks the explanations.
func TestServersFromOutside(t *testing.T) {
	s := view.NewFor(event.Header{Host: event.Cluster, Clients: 1})
	for i, c := range []struct {
		e    event.Event
		want view.Server
		why  string
	}{
		{event.Event{Kind: event.ServerStopped, Reason: event.ServerUnreached}, view.Server{Outside: true},
			"reason.unreached()"},
		{event.Event{Kind: event.ServerStarted, Reason: event.ServerReached}, view.Server{Up: true, Outside: true},
			"reason.reached()"},
		{event.Event{Kind: event.ServerPhase, Text: "broadcast", Peer: event.Server(2), Reason: event.ServerSays},
			view.Server{Up: true, Outside: true, Phase: event.Broadcasting, Leader: event.Server(2)}, "reason.says-so()"},
		{event.Event{Kind: event.TxnDelivered, Zxid: 7, Reason: event.ServerSays},
			view.Server{Up: true, Outside: true, Phase: event.Broadcasting, Leader: event.Server(2), Delivered: 7},
			"reason.says-so()"},
		{event.Event{Kind: event.ServerStarted, Reason: event.ServerReached},
			view.Server{Up: true, Outside: true, Delivered: 7}, "reason.reached()"},
	} {
		c.e.Seq, c.e.Actor = event.Seq(i+1), event.Server(1)
		s.Apply(c.e)
		if got := s.Ensemble.Servers[0]; !reflect.DeepEqual(got, c.want) {
			t.Errorf("after %s it is %+v, want %+v", eventtext.Of(c.e), got, c.want)
		}
		if got := view.Why(c.e, view.NewHistoryFor(event.Header{})).String(); got != c.why {
			t.Errorf("of %s it says %s", eventtext.Of(c.e), got)
		}
	}
}

// TestWhySession checks that the explanation of a session says since when it exists, as far as that is known.
func TestWhySession(t *testing.T) {
	const timeout = int64(time.Second)
	for want, e := range map[string]event.Event{
		"why.session(client-1)":        {Kind: event.SessionCreated, Zxid: 7, N: timeout},
		"why.session.before(client-1)": {Kind: event.SessionSeen, N: timeout},
		"why.session.seen(client-1)":   {Kind: event.SessionSeen},
	} {
		e.Peer = 1
		if got := view.Why(e, &view.History{}).String(); got != want {
			t.Errorf("of %v with zxid %d it says %s, not %s", e.Kind, e.Zxid, got, want)
		}
	}
}
