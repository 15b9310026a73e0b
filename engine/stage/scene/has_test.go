package scene_test

import (
	"slices"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
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
