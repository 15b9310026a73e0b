package scene_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene"
)

// TestLeftOut checks that the foot of the picture says what an observer has left out, without control characters.
func TestLeftOut(t *testing.T) {
	for want, e := range map[string]event.Event{
		"1 znode · what lies too deep, below /a·/b and 2 more, is left out": {Reason: event.LeftDeep, Path: "/a\x1b/b", N: 2},
		"1 znode · the rest of ·/a is left out":                             {Text: "the rest of \x1b/a is left out"},
	} {
		e.Kind = event.RecipeNote
		s := &view.State{Root: "/a", LeftOut: e, Tree: view.Tree{Nodes: []view.Node{{Path: "/a", Number: -1}}}}
		if all := drawn(s); !slices.Contains(all, want) {
			t.Errorf("the picture says %q, not %q", all, want)
		}
	}
}

// TestNothingThere checks that an observer of a missing or unread path counts no znodes, and that no transaction has
// the number 0. If a log knows everything from the start, there may have been no transaction.
func TestNothingThere(t *testing.T) {
	missing := event.Event{Kind: event.RecipeNote, Reason: event.LeftMissing, Path: "/app"}
	for _, c := range []struct {
		host event.Host
		last event.Event
		want string
	}{
		{event.Observed, missing, "| /app isn't there yet; the page is waiting for it."},
		{event.Joined, event.Event{Kind: event.Disconnected, Text: "refused"}, ""},
		{event.Tapped, event.Event{Kind: event.ClientStarted, Actor: 1}, ""},
		{event.Simulated, event.Event{Kind: event.RunStarted}, "| zxid 0x0.\n| 0 znodes."},
	} {
		s := view.NewFor(event.Header{Host: c.host, Root: "/app"})
		c.last.Seq = 1
		s.Apply(c.last)
		got := tell(s, 0, scene.Options{Still: true})
		if c.want == "" && (strings.Contains(got, "0x0") || strings.Contains(got, "0 znodes")) ||
			!strings.Contains(got, c.want) {
			t.Errorf("%s: it tells\n%s\nnot %q", c.host, got, c.want)
		}
	}
}

// TestGreatNumber checks that as much of a name is shown as fits, even if its number is too long for a card.
func TestGreatNumber(t *testing.T) {
	s := &view.State{Root: "/a", Tree: view.Tree{Nodes: []view.Node{
		{Path: "/a", Number: -1}, {Path: "/a/b", Number: -1},
		{Path: "/a/b/lock-0000000001", Number: 1}, {Path: "/a/b/lock-1999999999", Number: 1999999999},
		{Path: "/a/c", Number: -1},
	}}}
	all := drawn(s)
	if !slices.ContainsFunc(all, func(s string) bool { return strings.Contains(s, "99") }) {
		t.Errorf("the picture says %q", all)
	}
}

// TestUntold checks that the picture doesn't call a znode from before the log persistent.
func TestUntold(t *testing.T) {
	says(t, tree(1), "persistent")
	s := tree(1)
	for i := range s.Tree.Nodes {
		s.Tree.Nodes[i].Untold = true
	}
	if said := drawn(s); slices.Contains(said, "persistent") || slices.Contains(said, "ephemeral") {
		t.Errorf("the picture says %q", said)
	}
}
