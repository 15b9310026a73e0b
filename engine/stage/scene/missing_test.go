package scene_test

import (
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
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
