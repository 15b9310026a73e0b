package scene_test

import (
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
)

// TestEqualTimesAreMarked checks that, if a recipe depends on times, znodes are marked that were created in the same
// millisecond, and those whose times contradict their numbers.
func TestEqualTimesAreMarked(t *testing.T) {
	for name, c := range map[string]struct {
		shows event.Datum
		at    [3]int // in ms
		want  int
	}{
		"equal":                            {event.ShowTimes, [3]int{}, 3},
		"apart":                            {event.ShowTimes, [3]int{0, 1, 2}, 0},
		"not the point":                    {"", [3]int{}, 0},
		"equal, and another sorts between": {event.ShowTimes, [3]int{0, 1, 0}, 2},
		"the last is the oldest":           {event.ShowTimes, [3]int{1, 2, 0}, 1},
	} {
		s := queued("order-by-time", 3)
		s.Header.Drawing.Shows = c.shows
		var own []*view.Node
		for i := range s.Tree.Nodes {
			if s.Tree.Nodes[i].Number >= 0 {
				own = append(own, &s.Tree.Nodes[i])
			}
		}
		for i, n := range own {
			n.Created = now - time.Minute + time.Duration(c.at[i])*time.Millisecond
		}
		var f scene.Frame
		o := scene.Options{Words: english, Width: 1024, Height: 576, Theme: display.Light()}
		f.Draw(s, now, o)
		marked := 0
		for i := range f.Ops {
			if op := &f.Ops[i]; op.Kind == display.Rect && op.Fill == o.Theme.Signal {
				marked++
			}
		}
		if marked != c.want {
			t.Errorf("%s: %d are marked, not %d", name, marked, c.want)
		}
	}
}

// TestTimesOnHalfAPhone checks that the times that a recipe depends on have a place on cards that have no room for
// their owners' letters, too.
func TestTimesOnHalfAPhone(t *testing.T) {
	s := queued("order-by-time", 3)
	s.Header.Drawing.Shows = event.ShowTimes
	said := drawnIn(s, 186, 312)
	times := 0
	for _, text := range said {
		if len(text) > 4 && text[len(text)-4] == '.' {
			times++
		}
	}
	if times != 3 {
		t.Errorf("it says %q", said)
	}
}
