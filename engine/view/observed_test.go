package view_test

import (
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/view"
)

// TestObserved folds what only observers say.
func TestObserved(t *testing.T) {
	s := view.NewFor(event.Header{Host: "observed", Root: "/a"})
	for i, e := range []event.Event{
		{Kind: event.ZnodeFound, Path: "/never"},
		{Kind: event.ZnodeCreated, Path: "/a"},
		{Kind: event.ZnodeFound, Path: "/a", N: 1_700_000_000_000},
		{Kind: event.ClientStarted, Actor: 1},
		{Kind: event.RecipeNote, Text: "a part is left out"},
		{Kind: event.RecipeNote, Actor: 1, Text: "what a client says"},
	} {
		e.Seq = event.Seq(i + 1)
		s.Apply(e)
	}
	if n := s.Node("/a"); n == nil || n.Made != 1_700_000_000_000 || len(s.Nodes) != 1 {
		t.Errorf("the znodes: %+v", s.Nodes)
	}
	if s.LeftOut != "a part is left out" || s.Clients[0].Note != "what a client says" {
		t.Errorf("left out: %q; the client: %q", s.LeftOut, s.Clients[0].Note)
	}
}
