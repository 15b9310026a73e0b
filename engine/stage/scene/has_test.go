package scene_test

import (
	"slices"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// TestHas checks that the picture tells what a client read from what it wrote, and says if what it read is old.
func TestHas(t *testing.T) {
	read := view.Learnt{Op: event.Get, Path: root + "/price", There: true, Data: "10"}
	wrote := view.Learnt{Op: event.Set, Path: root + "/price", There: true, Data: "10"}
	for name, c := range map[string]struct {
		has     view.Learnt
		doing   event.Op
		version int32
		want    string
	}{
		"has read":                        {read, event.NoOp, 0, "has 10"},
		"has read, long ago":              {read, event.NoOp, 1, "has 10 · old"},
		"has read, and writes other data": {read, event.Set, 1, "has 10"},
		"has written":                     {wrote, event.NoOp, 0, "wrote 10"},
		"has written, long ago":           {wrote, event.NoOp, 1, "wrote 10"},
	} {
		s := base("first-steps", 1)
		add(s, view.Node{Path: root + "/price", Number: -1, Mode: zoo.Persistent, Data: "11", Version: c.version})
		s.Clients[0].Value, s.Clients[0].Op, s.Clients[0].Timeout = c.has, c.doing, 0
		if said := drawn(s); !slices.Contains(said, c.want) {
			t.Errorf("a client that %s: the picture does not say %q, but %q", name, c.want, said)
		}
	}
}

// TestHasInLittleRoom checks that what a client has stays behind what it hasn't read, in a short form if need be.
func TestHasInLittleRoom(t *testing.T) {
	path := root + "/price"
	s := base("first-steps", 3)
	add(s, view.Node{Path: path, Number: -1, Mode: zoo.Persistent, Data: "price 20", Version: 2})
	s.Clients[0].Belief = view.Belief{Phase: program.Published, Path: path, Fence: 2}
	s.Clients[1].Belief = view.Belief{Phase: program.Saw, Path: path, Fence: 1}
	s.Clients[1].Value = view.Learnt{Op: event.Get, Path: path, There: true, Data: "price 10", Version: 1}
	s.Clients[1].Timeout = 0
	for width, want := range map[float64]string{1120: "1 unread · has price 10 · old", 560: "1 unread · price 10 · old"} {
		if said := drawnAt(s, width); !slices.Contains(said, want) {
			t.Errorf("at %.0f px the picture does not say %q, but %q", width, want, said)
		}
	}
}

// TestNoteGivesWay checks that a client's note never takes the room of what it has.
func TestNoteGivesWay(t *testing.T) {
	both := map[bool]int{}
	for height := 150.0; height <= 340; height += 10 {
		has := map[bool]bool{}
		for _, note := range []string{"", "the price is 10"} {
			s := base("first-steps", 3)
			s.Clients[1].Value = view.Learnt{Op: event.Get, Path: root + "/price", There: true, Data: "10"}
			s.Clients[1].Note, s.Clients[1].Timeout = note, 0
			said := drawnIn(s, 390, height)
			has[note != ""] = slices.Contains(said, "has 10")
			if slices.Contains(said, "the price is 10") {
				both[true]++
			}
		}
		if has[true] != has[false] {
			t.Errorf("%.0f px high, the picture says what a client has: %t; with a note: %t", height, has[false], has[true])
		}
		if has[true] {
			both[false]++
		}
	}
	if both[true] == 0 || both[true] == both[false] {
		t.Errorf("the note is in %d of %d pictures", both[true], both[false])
	}
}
