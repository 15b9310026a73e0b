package scene_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
)

// TestWhoHasGoneDoesNotWait checks that a client that has exited isn't shown as waiting, but with its last phase.
func TestWhoHasGoneDoesNotWait(t *testing.T) {
	for phase, want := range map[program.Phase]string{
		program.Waiting: "gone", program.Leaving: "gone", program.Saw: "knows 4", program.Released: "done",
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

// TestReleasedIsSaidOnceItIsSo checks that a client isn't said to have released what is still its own.
func TestReleasedIsSaidOnceItIsSo(t *testing.T) {
	lock := root + "/lock"
	said := func(s *view.State, what, want string) {
		t.Helper()
		for _, word := range []string{"leaves", "done", "released"} {
			if got := drawn(s); slices.Contains(got, word) != (word == want) {
				t.Errorf("%s: the picture says %q, not %q", what, got, want)
			}
		}
	}
	s := queued("predecessor-lock", 1)
	c, n := &s.Clients[0], &s.Tree.Nodes[1]
	c.Belief.Phase, c.Inside = program.Released, false
	said(s, "its request is on its way", "leaves")
	n.Gone, n.GoneAt = true, now
	said(s, "its znode is gone", "released")
	n.Gone, c.Exited = false, true
	said(s, "its znode stays", "done")
	c.Belief.Times, c.Exited = 1, false
	if got := drawn(s); !slices.Contains(got, "released ×1") {
		t.Errorf("it has given back one of two: the picture says %q", got)
	}

	f := keyHeld(1, 10*time.Second).at(now).says(1, program.Released, lock)
	said(f.end(), "its key is there", "leaves")
	f.asks(1, 1, lock, "GET "+lock)
	said(f.end(), "it asks for its key", "leaves")
	f.set(1, 2, lock, "client-2#1", 10*time.Second)
	said(f.end(), "it asks for another's key", "leaves")
	f.put(event.Event{Kind: event.OpDone, Actor: 1, Peer: event.Node(1), Op: event.Command, Path: lock})
	said(f.end(), "it is answered", "released")
	f = keyHeld(1, 10*time.Second).says(1, program.Released, lock).put(event.Event{Kind: event.ClientExited, Actor: 1})
	said(f.end(), "its key stays", "done")
}

// TestTooLateIsNoError checks that the picture says what ended a client whose lock was over before its work.
func TestTooLateIsNoError(t *testing.T) {
	for phase, want := range map[program.Phase]string{program.Lost: "too late", program.Waiting: "error"} {
		s := queued("predecessor-lock", 2)
		c := &s.Clients[0]
		c.Exited, c.Err, c.Inside, c.Belief.Phase = true, "the lease is over", false, phase
		if got := drawn(s); !slices.Contains(got, want) {
			t.Errorf("%s: the picture says %q, not %q", phase, got, want)
		}
	}
}

// TestCountsAndVersionsDiffer checks that a version that a client knows is written as one.
func TestCountsAndVersionsDiffer(t *testing.T) {
	for path, want := range map[string]string{root: "knows v3", root + "/a": "knows 3"} {
		for _, paused := range []bool{false, true} {
			s := queued("first-steps", 2)
			c := &s.Clients[1]
			c.Belief, c.Paused = view.Belief{Phase: program.Saw, Path: path, Fence: 3}, paused
			c.Value = view.Learnt{Op: event.Get, Path: root, There: true, Version: 3}
			if got := drawn(s); !slices.Contains(got, want) && !strings.Contains(strings.Join(got, "|"), want+" · ") {
				t.Errorf("of %s, paused %v, the picture says %q, not %q", path, paused, got, want)
			}
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

// TestSameNumberTwice checks that a client whose number another leader has given out stands behind the one whose znode
// is shown, whatever their letters.
func TestSameNumberTwice(t *testing.T) {
	s := queued("predecessor-lock", 2)
	s.Tree.Nodes = s.Tree.Nodes[:1]
	add(s, lockNode(1, 7))
	s.Clients[1].Belief.Path = lockPath(1, 7)
	s.Watches.List = nil
	var f scene.Frame
	f.Draw(s, now, scene.Options{Words: english, Width: 760, Height: 470, Theme: display.Light()})
	a, _ := f.Find("client-1")
	b, _ := f.Find("client-2")
	if a.X < b.X {
		t.Errorf("A is at %v, left of B at %v, whose znode is shown", a.X, b.X)
	}
}

// TestLogsAreSaid checks that a client shows what its log says of a lost connection where a step is about logs, and
// nowhere else.
func TestLogsAreSaid(t *testing.T) {
	for why, want := range map[event.Reason]string{event.ConnHungUp: "log: ConnectionLoss",
		event.ConnLost: "log: ConnectionLoss", event.ConnSilent: "log: session timed out",
		event.BySessionExpired: "log: session expired"} {
		for _, focus := range [][]string{nil, {"client-1"}, {"log"}} {
			s := queued("predecessor-lock", 3)
			s.Clients[1].Closed = why
			said := false
			var layout scene.Layout
			for _, m := range layout.Plan(s, now, scene.Options{Words: english, Width: 760, Height: 470,
				Theme: display.Light(), Focus: focus}).Marks() {
				said = said || m.Kind == mark.Said && m.Said == want && m.Subject == "B"
			}
			if about := slices.Contains(focus, "log"); said != about {
				t.Errorf("%v, focus on %q: %q is said: %v", why, focus, want, said)
			}
		}
	}
}

// TestVoteInWords checks that a vote says which write its server has seen last, not a zxid in hexadecimal.
func TestVoteInWords(t *testing.T) {
	said := drawn(electingNow("patch", 3))
	if !slices.Contains(said, "write 2") {
		t.Errorf("the picture says %q", said)
	}
}
