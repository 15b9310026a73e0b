package scene_test

import (
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/zoo"
)

// A client that has gone does not wait, nor is it woken; what it has done before stays said.
func TestWhoHasGoneDoesNotWait(t *testing.T) {
	for phase, want := range map[zoo.Phase]string{
		zoo.Waiting: "gone", zoo.Leaving: "gone", zoo.Saw: "knows 4", zoo.Released: "released", zoo.Left: "left",
	} {
		s := queued("first-steps", 3)
		for i := range s.Clients {
			c := &s.Clients[i]
			c.Exited, c.Inside, c.Linked, c.Blocked = true, false, false, false
			c.Belief.Phase, c.Belief.Fence, c.WokenAt = phase, 4, c.Belief.Since+time.Second
		}
		said := drawn(s)
		if !slices.Contains(said, want) {
			t.Errorf("%s: the picture does not say %q, but %q", phase, want, said)
		}
	}
}
