package scene_test

import (
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
)

// TestBothZnodesOfOneSession checks that all znodes that went with a client's session are drawn, and not one that went
// earlier.
func TestBothZnodesOfOneSession(t *testing.T) {
	for earlier, want := range map[time.Duration]bool{0: true, 100 * time.Millisecond: false} {
		s := queued("predecessor-lock", 3)
		add(s, lockNode(0, 12))
		for i, number := range []int{7, 12} {
			n := s.Tree.Node(lockPath(0, number))
			n.Gone, n.Why, n.GoneAt = true, event.BySessionExpired, now-300*time.Millisecond
			if i == 0 {
				n.GoneAt -= earlier
			}
		}
		said := drawn(s)
		if !slices.Contains(said, "lock-012") || slices.Contains(said, "lock-007") != want {
			t.Errorf("the first went %v earlier: the picture says %q", earlier, said)
		}
	}
}

// TestHowAZnodeWent checks that a znode that servers have only lost isn't said to be deleted.
func TestHowAZnodeWent(t *testing.T) {
	for why, want := range map[event.Reason]string{
		event.ByOp: "deleted", event.BySessionExpired: "expired", event.ByFailover: "lost",
	} {
		s := queued("predecessor-lock", 3)
		n := s.Tree.Node(lockPath(0, 7))
		n.Gone, n.Why, n.GoneAt = true, why, now-300*time.Millisecond
		if said := drawn(s); !slices.Contains(said, want) {
			t.Errorf("%v: the picture says %q, not %q", why, said, want)
		}
	}
}

// TestHowAZnodeWentOnAPhone checks that half of a phone tells apart a znode that was deleted, one that expired and one
// whose number is used up: the word is above the card if that has only one line.
func TestHowAZnodeWentOnAPhone(t *testing.T) {
	for why, want := range map[event.Reason]string{event.ByOp: "del.", event.BySessionExpired: "exp."} {
		s := queued("predecessor-lock", 5)
		n := s.Tree.Node(lockPath(1, 8))
		n.Gone, n.Why, n.GoneAt = true, why, now-300*time.Millisecond
		if said := drawnIn(s, 191, 312); !slices.Contains(said, want) {
			t.Errorf("%v: the picture says %q, not %q", why, said, want)
		}
	}
	s := queued("predecessor-lock", 4)
	s.Tree.Node(root).Next = 20
	s.Tree.Nodes = slices.DeleteFunc(s.Tree.Nodes, func(n view.Node) bool { return n.Path == lockPath(1, 8) })
	if said := drawnIn(s, 191, 312); !slices.Contains(said, "gone") {
		t.Errorf("a number is used up: the picture says %q", said)
	}
}
