package scene_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
)

// TestWhoHasGoneDoesNotWait checks that a client that has exited isn't shown as waiting, but with its last phase.
func TestWhoHasGoneDoesNotWait(t *testing.T) {
	for phase, want := range map[program.Phase]string{
		program.Waiting: "left", program.Leaving: "left", program.Saw: "knows 4", program.Released: "done",
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
	c.Belief.Times, c.Exited, c.Belief.Path = 1, false, n.Path
	if got := drawn(s); !slices.Contains(got, "released · count 1") || !slices.Contains(got, "left behind · A") {
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

// TestBackLeavesRoom checks that what a reconnected client has is written even where only a short word fits beside it.
func TestBackLeavesRoom(t *testing.T) {
	for width, want := range map[float64]string{1400: "connected again · has 10", 390: "back · has 10"} {
		s := tree(3)
		s.Header.Drawing.Shows = event.ShowReads
		c := &s.Clients[1]
		c.BackAt, c.Linked, c.Learnt = now, true, view.Learnt{Op: event.Get, Path: s.Root, There: true, Data: "10"}
		if said := drawnAt(s, width); !slices.ContainsFunc(said, func(s string) bool { return strings.HasPrefix(s, want) }) {
			t.Errorf("%g wide, the picture says %q, not %q", width, said, want)
		}
	}
}

// TestAskingIsSaid checks that a client which has reported nothing yet is said to ask while it waits for a reply.
func TestAskingIsSaid(t *testing.T) {
	for _, c := range []struct {
		op     event.Op
		server event.Actor
		exited bool
		want   string
	}{
		{event.Create, 0, false, "asks"}, {event.Create, event.Server(2), false, "asks"}, {event.NoOp, 0, false, ""},
		{event.Sync, event.Server(2), false, "asks S2 to sync"}, {event.Sync, 0, false, "asks"}, {event.Create, 0, true, ""},
	} {
		s := queued("predecessor-lock", 3)
		b := &s.Clients[1]
		b.Belief, b.Blocked, b.Op, b.Server, b.Exited = view.Belief{}, false, c.op, c.server, c.exited
		got := ""
		for _, text := range drawn(s) {
			if strings.HasPrefix(text, "asks") {
				got = text
			}
		}
		if got != c.want {
			t.Errorf("%v at %v, exited %v: the picture says %q, not %q", c.op, c.server, c.exited, got, c.want)
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

// TestRefusedUntilItReports checks that a client isn't shown as refused once it has reported something since, also in
// the instant in which it's refused: one that finds a barrier open passes at once.
func TestRefusedUntilItReports(t *testing.T) {
	refused := now - 300*time.Millisecond
	for _, c := range []struct {
		phase program.Phase
		since time.Duration
		want  string
	}{
		{program.Waiting, refused - time.Second, "refused"},
		{program.Named, now - 100*time.Millisecond, "has id 2"},
		{program.Passed, refused, "passed"},
	} {
		s := queued("first-free-name", 2)
		client := &s.Clients[1]
		client.Blocked = false
		client.Refused = view.Refused{Op: event.Create, Code: int32(zoo.ErrNodeExists), At: refused}
		client.Belief = view.Belief{Phase: c.phase, Since: c.since, Fence: 2}
		if got := drawn(s); !slices.Contains(got, c.want) {
			t.Errorf("%s: the picture says %q, not %q", c.phase, got, c.want)
		}
	}
}

// TestAsksUntilItMustWait checks that a client that asks for the first time doesn't wait yet.
func TestAsksUntilItMustWait(t *testing.T) {
	lock := root + "/lock"
	begun := func() *farLog {
		return keyHeld(1, 10*time.Second).at(now - time.Second).put(event.Event{Kind: event.ClientStarted, Actor: 2})
	}
	asking := func() *farLog {
		return begun().says(2, program.Waiting, lock).asks(2, 1, lock, "SET "+lock+" client-2#1 NX PX 10000")
	}
	failed := event.Event{Kind: event.TryFailed, Actor: 2, N: int64(time.Second)}
	for name, c := range map[string]struct {
		f    *farLog
		want string
	}{
		"before it reports":    {begun().asks(2, 1, lock, "GET "+lock), "asks"},
		"its first request":    {asking(), "asks"},
		"it has been refused":  {asking().put(failed), "waits"},
		"it asks another time": {asking().put(failed).asks(2, 1, lock, "GET "+lock), "waits"},
		"its request is kept":  {asking().keeps(1, 2, lock), "waits"},
		"it has been inside":   {asking().put(failed).at(now).says(2, program.Waiting, lock), "asks"},
	} {
		got := drawn(c.f.end())
		if !slices.Contains(got, c.want) || slices.Contains(got, "1 waiting") != (c.want == "waits") {
			t.Errorf("%s: the picture says %q, not %q", name, got, c.want)
		}
	}
}

// TestCutOffWithoutAnotherWord checks that a client whose messages a fault stops is called cut off, if nothing else is
// said about it.
func TestCutOffWithoutAnotherWord(t *testing.T) {
	for phase, want := range map[program.Phase]bool{"": true, program.Waiting: false} {
		s := queued("predecessor-lock", 2)
		c := &s.Clients[1]
		c.Blocked, c.Belief.Phase, c.CutUntil = false, phase, now+time.Second
		if got := drawn(s); slices.Contains(got, "cut off") != want {
			t.Errorf("%q: the picture says %q", phase, got)
		}
	}
}

// TestKeyGone checks that a client that believes it is inside has an empty ring once its key is gone, and a word about
// it, unless it is wrong anyway.
func TestKeyGone(t *testing.T) {
	lock := root + "/lock"
	robbed := event.Event{Kind: event.EntryGone, Actor: event.Node(1), Peer: 2, Path: lock, Reason: event.ByOp}
	for name, c := range map[string]struct {
		f           *farLog
		empty, told bool
	}{
		"it is there":        {keyHeld(2, 10*time.Second), false, false},
		"deleted":            {keyHeld(2, 10*time.Second).put(robbed), true, true},
		"over":               {keyHeld(2, 10*time.Second).gone(1, lock, event.ByTimer), true, false},
		"another's":          {keyHeld(2, 10*time.Second).set(1, 2, lock, "client-2#1", 10*time.Second), true, false},
		"not inside":         {keyHeld(2, 10*time.Second).put(robbed).says(1, program.Released, lock), false, false},
		"without an end":     {farRun(1, oneRedis).set(1, 1, lock, "x", 0).says(1, program.Holding, lock), false, false},
		"without a key":      {farRun(1, onePostgre).says(1, program.Holding, "stock/1"), false, false},
		"at several of five": {farRun(1, fiveRedis).set(1, 1, lock, "x", 0).says(1, program.Holding, lock), false, false},
	} {
		var f scene.Frame
		o := scene.Options{Words: english, Width: 760, Height: 470, Theme: display.Light()}
		f.Draw(c.f.end(), now, o)
		ring := false // drawn in its colour, whole or in part
		for _, op := range f.Ops {
			ring = ring || op.Stroke == o.Theme.Of(0) && op.Fill == 0 && op.Width > 2 &&
				(op.Kind == display.Circle || op.Kind == display.Arc)
		}
		if ring == c.empty || slices.Contains(drawn(c.f.end()), "its key is gone") != c.told {
			t.Errorf("%s: it has a ring: %v; the picture says %q", name, ring, drawn(c.f.end()))
		}
	}
}

// TestRestarted checks that a node that has been restarted says so for the rest of the run.
func TestRestarted(t *testing.T) {
	node := func(f *farLog, kind event.Kind) *farLog { return f.put(event.Event{Kind: kind, Actor: event.Node(1)}) }
	later := node(keyHeld(1, 10*time.Second), event.ServerStopped)
	first := node(farRun(1, oneRedis), event.ServerStopped).at(time.Second)
	for name, c := range map[string]struct {
		f    *farLog
		want bool
	}{
		"never":              {keyHeld(1, 10*time.Second), false},
		"it is down":         {node(keyHeld(1, 10*time.Second), event.ServerStopped), false},
		"it is back":         {node(later, event.ServerStarted), true},
		"not from the start": {node(first, event.ServerStarted), false},
	} {
		if got := slices.Contains(drawn(c.f.end()), "restarted"); got != c.want {
			t.Errorf("%s: the picture says that it was restarted: %v", name, got)
		}
	}
}

// TestWithoutSessionIsNotDead checks that a client whose session or lease is over isn't drawn as dead, whether it knows
// or not, and is said to have stopped once its program is over.
func TestWithoutSessionIsNotDead(t *testing.T) {
	expired := func(c *view.Client) { c.Ended = view.Expired }
	heard := func(c *view.Client) { c.Belief.Phase = program.Lost }
	gone := func(c *view.Client) { c.Exited, c.Err = true, "session expired" }
	for name, c := range map[string]struct {
		change []func(*view.Client)
		word   string
		dead   bool
		stops  bool
	}{
		"it doesn't know": {[]func(*view.Client){expired}, "expired", false, false},
		"it has heard":    {[]func(*view.Client){expired, heard}, "expired", false, false},
		"it is gone":      {[]func(*view.Client){expired, heard, gone}, "expired", false, true},
		"its lease":       {[]func(*view.Client){heard}, "lost", false, false},
		"too late":        {[]func(*view.Client){heard, gone}, "too late", false, false},
		"crashed":         {[]func(*view.Client){func(c *view.Client) { c.Crashed = true }}, "crashed", true, false},
	} {
		s := queued("predecessor-lock", 3)
		b := &s.Clients[1]
		b.Blocked = false
		for _, change := range c.change {
			change(b)
		}
		f, _ := pictureOf(s, now)
		dead := slices.ContainsFunc(f.Ops, func(o display.Op) bool {
			return o.Kind == display.Circle && o.Fill == display.Light().Grey
		})
		if dead != c.dead || !hasText(&f, c.word) || hasText(&f, "stopped") != c.stops {
			t.Errorf("%s: it's drawn as dead: %v, and the picture says %q", name, dead, drawn(s))
		}
	}
}
