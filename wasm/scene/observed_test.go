package scene_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/view"
)

// TestLeftOut has the foot of the picture say what an observer has left out, made harmless.
func TestLeftOut(t *testing.T) {
	for want, e := range map[string]event.Event{
		"1 znode · what lies too deep, below /a·/b and 2 more, is left out": {Reason: event.LeftDeep, Path: "/a\x1b/b", N: 2},
		"1 znode · the rest of ·/a is left out":                             {Text: "the rest of \x1b/a is left out"},
	} {
		e.Kind = event.RecipeNote
		s := &view.State{Root: "/a", LeftOut: e, Nodes: []view.Node{{Path: "/a", Number: -1}}}
		if all := drawn(s); !slices.Contains(all, want) {
			t.Errorf("the picture says %q, not %q", all, want)
		}
	}
}

// TestGreatNumber shows as much of a name as there is room for, though its number is too long for a card.
func TestGreatNumber(t *testing.T) {
	s := &view.State{Root: "/a", Nodes: []view.Node{
		{Path: "/a", Number: -1}, {Path: "/a/b", Number: -1},
		{Path: "/a/b/lock-0000000001", Number: 1}, {Path: "/a/b/lock-1999999999", Number: 1999999999},
		{Path: "/a/c", Number: -1},
	}}
	all := drawn(s)
	if !slices.ContainsFunc(all, func(s string) bool { return strings.Contains(s, "99") }) {
		t.Errorf("the picture says %q", all)
	}
}
