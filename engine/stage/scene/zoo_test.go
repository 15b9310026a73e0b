package scene_test

import (
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
)

// visited returns a zoo with a client from outside, a contender that waits for it, and a client that only looks on.
func visited() *view.State {
	s := base("zoo", 3)
	for i := range s.Clients {
		s.Clients[i].Belief, s.Clients[i].Blocked = view.Belief{}, false
	}
	add(s, lockNode(0, 7))
	add(s, lockNode(1, 8))
	s.Clients[1].Role = "contender"
	s.Clients[1].Belief = view.Belief{Phase: program.Waiting, Since: time.Second, Path: lockPath(1, 8)}
	s.Watches.List = append(s.Watches.List,
		view.Watch{Client: 2, Path: lockPath(0, 7), Kind: event.DataWatch, Set: 3 * time.Second})
	return s
}

func says(t *testing.T, s *view.State, want ...string) {
	t.Helper()
	said := drawn(s)
	for _, w := range want {
		if !slices.Contains(said, w) {
			t.Errorf("the picture does not say %q, but %q", w, said)
		}
	}
}

// TestZooLightsTheFirst checks that the first in the queue is lit in the Zoo: only contenders report more.
func TestZooLightsTheFirst(t *testing.T) {
	says(t, visited(), "A is first", "first", "waits", "connected", "1 waiting · 1 watch")
	s := visited()
	n := s.Tree.Node(lockPath(0, 7))
	n.Gone, n.GoneAt = true, now-time.Second
	enter(s, 1)
	says(t, s, "B is inside", "inside")
}

// TestZooShowsBeliefBesideTruth checks that a contender that slept through its session keeps its outdated belief.
func TestZooShowsBeliefBesideTruth(t *testing.T) {
	s := visited()
	enter(s, 1)
	c := &s.Clients[1]
	c.Inside, c.Paused, c.Ended, c.EndedAt = false, true, view.Expired, time.Second
	says(t, s, "A is first", "expired", "thinks it", "is inside")
}

// TestZooShowsWhoIsCutOff checks that a client without a connection when the log began is shown as cut off.
func TestZooShowsWhoIsCutOff(t *testing.T) {
	s := visited()
	c := &s.Clients[2]
	c.Linked, c.Cut, c.OpSince = false, true, 0
	says(t, s, "cut off")
}

// TestZooForgetsWhoHasLeft checks that a client that has left soon disappears, in a queue and in a tree.
func TestZooForgetsWhoHasLeft(t *testing.T) {
	for _, tree := range []bool{false, true} {
		s := visited()
		if tree {
			add(s, view.Node{Path: root + "/notes", Number: -1})
		}
		s.Clients[2].Ended = view.Closed
		for _, c := range []struct {
			ended time.Duration
			shown bool
		}{{now - time.Second, true}, {now - 10*time.Second, false}} {
			s.Clients[2].EndedAt = c.ended
			if hits := hit(s, "client-3"); hits != c.shown {
				t.Errorf("tree %t: gone since %v, it is shown: %t", tree, now-c.ended, hits)
			}
		}
		if !hit(s, "client-1") || !hit(s, "client-2") {
			t.Errorf("tree %t: those who are there are not shown", tree)
		}
	}
}

func hit(s *view.State, id string) bool {
	var f scene.Frame
	f.Draw(s, now, scene.Options{Words: english, Width: 760, Height: 470, Theme: display.Light()})
	return slices.ContainsFunc(f.Hits, func(h display.Hit) bool { return h.ID == id })
}

// TestZooDrawsACrowd checks that a crowd is drawn without the clients that have left.
func TestZooDrawsACrowd(t *testing.T) {
	s := base("zoo", 200)
	for i := range s.Clients {
		s.Clients[i].Belief, s.Clients[i].Blocked = view.Belief{}, false
		if i%2 == 0 {
			s.Clients[i].Ended, s.Clients[i].EndedAt = view.Closed, time.Second
			continue
		}
		add(s, lockNode(i, i))
	}
	says(t, s, "99 waiting")
	if hit(s, "client-1") || !hit(s, "client-2") || !hit(s, "client-200") {
		t.Error("those who have left are drawn, or those who are there are not")
	}
}

// TestZooDrawsACrowdWithoutAQueue checks that a crowd without a queue shows none of the clients that have left, either.
func TestZooDrawsACrowdWithoutAQueue(t *testing.T) {
	s := base("zoo", 200)
	for i := range s.Clients {
		s.Clients[i].Belief, s.Clients[i].Blocked = view.Belief{}, false
		if i < 100 {
			s.Clients[i].Ended, s.Clients[i].EndedAt = view.Closed, time.Second
		}
	}
	for _, id := range []string{"client-1", "client-4", "client-100"} {
		if hit(s, id) {
			t.Errorf("%s has left and is drawn", id)
		}
	}
	for _, id := range []string{"client-101", "client-150", "client-200"} {
		if !hit(s, id) {
			t.Errorf("%s is there and is not drawn", id)
		}
	}
	for i := range s.Clients {
		s.Clients[i].Ended, s.Clients[i].EndedAt = view.Closed, time.Second
	}
	if hit(s, "client-200") {
		t.Error("all have left, and one is drawn")
	}
}

// TestZooDrawsRequestsInTurn checks that instantaneous requests are drawn one by one, and not once they are old.
func TestZooDrawsRequestsInTurn(t *testing.T) {
	s := visited()
	sent := now - 100*time.Millisecond
	for i, op := range []event.Op{event.Children, event.Get} {
		seq := event.Seq(10 + 2*i)
		s.Flights.List = append(s.Flights.List,
			view.Flight{Seq: seq, From: 3, Op: op, Sent: sent, Over: true, OverAt: sent},
			view.Flight{Seq: seq + 1, To: 3, Op: op, Reply: true, Sent: sent, Over: true, OverAt: sent})
	}
	words := func(at time.Duration) (said []string) {
		var f scene.Frame
		f.Draw(s, at, scene.Options{Words: english, Width: 760, Height: 470, Theme: display.Light()})
		for i := range f.Ops {
			if o := &f.Ops[i]; o.Kind == display.Text && (o.Text == "list" || o.Text == "get" || o.Text == "ok") {
				said = append(said, o.Text)
			}
		}
		return said
	}
	for after, want := range map[time.Duration][]string{
		100 * time.Millisecond:  {"list"},
		450 * time.Millisecond:  {"ok"},
		800 * time.Millisecond:  {"get"},
		1200 * time.Millisecond: {"ok"},
		3 * time.Second:         nil,
	} {
		if got := words(sent + after); !slices.Equal(got, want) {
			t.Errorf("%v after the requests the picture says %q, want %q", after, got, want)
		}
	}
}
