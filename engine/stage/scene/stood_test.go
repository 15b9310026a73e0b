package scene_test

import (
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
)

// TestWhatHasComeIsThereWhenTimeStandsStill checks that a picture at an event shows everything that the event created
// at full size, although it had no time to grow, and that it stays so.
func TestWhatHasComeIsThereWhenTimeStandsStill(t *testing.T) {
	const since = now - 10*time.Millisecond
	grows := false
	for name, s := range fixtures() {
		if s.Watches.Asked != 0 {
			s.Watches.Asked = since // nobody can have asked about later things
		}
		for _, at := range []time.Duration{now, now + 50*time.Millisecond} {
			o := scene.Options{Words: english, Width: 760, Height: 470, Theme: display.Light()}
			var old, caught, stood scene.Frame
			come(s, since-time.Hour)
			old.Draw(s, at, o)
			come(s, since)
			caught.Draw(s, at, o)
			o.Stood = since
			stood.Draw(s, at, o)
			if !slices.Equal(stood.Ops, old.Ops) {
				t.Errorf("%s: what has just come is not all there", name)
			}
			grows = grows || !slices.Equal(caught.Ops, old.Ops)
		}
	}
	if !grows {
		t.Error("nothing grows while time passes either")
	}
}

// come makes everything appear at the given time.
func come(s *view.State, at time.Duration) {
	for i := range s.Tree.Nodes {
		s.Tree.Nodes[i].Created = at
	}
	for i := range s.Watches.List {
		s.Watches.List[i].Set = at
	}
}
