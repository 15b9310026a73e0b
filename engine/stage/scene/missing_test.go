package scene_test

import (
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
)

// TestWatchOfWhatIsLongGone checks that a watch on a missing znode is drawn, even if one of that name existed.
func TestWatchOfWhatIsLongGone(t *testing.T) {
	for _, recipe := range []string{"ephemeral-start", "barrier"} { // a tree, and a lock
		s := base(recipe, 2)
		start := root + "/start"
		add(s, view.Node{Path: start, Number: -1, Mode: zoo.Ephemeral, Created: time.Second, Gone: true,
			GoneAt: now - time.Minute})
		s.Watches.List = []view.Watch{{Client: 2, Path: start, Kind: event.ExistWatch, Set: now - time.Second}}
		var f scene.Frame
		f.Draw(s, now, scene.Options{Words: english, Width: 760, Height: 470, Theme: display.Light()})
		if !slices.ContainsFunc(f.Hits, func(h display.Hit) bool { return h.ID == start }) {
			t.Errorf("%s: the place that is watched is not there", recipe)
		}
	}
}

// TestWatchOfWhatHasLeftTheQueue checks that in a queue a watch on a znode that is long gone is drawn, with the place
// that it had.
func TestWatchOfWhatHasLeftTheQueue(t *testing.T) {
	s := queued("predecessor-lock", 3)
	gone := lockPath(0, 7)
	n := s.Tree.Node(gone)
	n.Gone, n.GoneAt = true, now-time.Minute
	c := &s.Clients[0]
	c.Belief.Phase, c.Inside = program.Released, false
	var layout scene.Layout
	var shown []string
	for _, m := range layout.Plan(s, now, scene.Options{Words: english, Width: 760, Height: 470}).Marks() {
		shown = append(shown, m.String())
	}
	for _, want := range []string{"watch B " + gone, "missing " + gone, "watch C " + lockPath(1, 8)} {
		if !slices.Contains(shown, want) {
			t.Errorf("there is no %q among %q", want, shown)
		}
	}
	if said := drawn(s); !slices.Contains(said, "lock-007") {
		t.Errorf("its place has no name: %q", said)
	}
}
