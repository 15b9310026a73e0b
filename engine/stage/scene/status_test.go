package scene_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event/program"
)

// TestWhoHasGoneDoesNotWait checks that a client that has exited isn't shown as waiting, but with its last phase.
func TestWhoHasGoneDoesNotWait(t *testing.T) {
	for phase, want := range map[program.Phase]string{
		program.Waiting: "gone", program.Leaving: "gone", program.Saw: "knows 4", program.Released: "released",
		program.Left: "left",
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

// TestConnectedAgainIsSaid checks that a reconnected client is marked for a while if it still has its session.
func TestConnectedAgainIsSaid(t *testing.T) {
	for name, c := range map[string]struct {
		ago   time.Duration
		ended view.Ending
		want  bool
	}{
		"just now": {0, view.Alive, true}, "long ago": {time.Minute, view.Alive, false}, "too late": {0, view.Expired, false},
	} {
		s := queued("predecessor-lock", 3)
		b := &s.Clients[1]
		b.BackAt, b.Ended = now-c.ago, c.ended
		if said := drawn(s); slices.Contains(said, "connected again") != c.want {
			t.Errorf("%s: the picture says %q", name, said)
		}
	}
}

// TestNobodyLeads checks that the picture says so if there was a leader and there is none now.
func TestNobodyLeads(t *testing.T) {
	for _, led := range []bool{false, true} {
		s := queued("leader-latch", 3)
		if s.Led = led; slices.Contains(drawn(s), "nobody leads") {
			t.Error("somebody is inside, and the picture says that nobody leads")
		}
		s.Clients[0].Inside = false
		said := drawn(s)
		if slices.ContainsFunc(said, func(text string) bool { return strings.HasPrefix(text, "nobody leads") }) != led {
			t.Errorf("led %v: the picture says %q", led, said)
		}
	}
}
