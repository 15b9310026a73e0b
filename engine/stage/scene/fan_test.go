package scene_test

import (
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
)

// TestFan checks that the lines of a herd pass between the znodes in the order of their clients, so that none crosses
// another, and that its messages keep clear of each other.
func TestFan(t *testing.T) {
	for n := 2; n <= 8; n++ {
		o := scene.Options{Words: english, Width: 1400, Height: 788, Theme: display.Light()}
		var f scene.Frame
		f.Draw(queued("children-lock", n), now, o)
		last := float32(0)
		for i := range f.Ops { // the upright parts are as high as a znode
			if c := &f.Ops[i]; c.Kind == display.Line && c.Dash > 0 && c.X == c.X3 && c.Y-c.Y3 > 40 {
				if c.X <= last {
					t.Errorf("%d clients: a line at %.0f comes after one at %.0f", n, c.X, last)
				}
				last = c.X
			}
		}
		if last == 0 {
			t.Errorf("%d clients: there are no lines", n)
		}
		for after := time.Duration(0); after < 300*time.Millisecond; after += 20 * time.Millisecond {
			var told []mark.Mark
			var l scene.Layout
			for _, m := range l.Plan(release(queued("children-lock", n)), now-200*time.Millisecond+after, o).Marks() {
				if m.Kind == mark.Told {
					told = append(told, m)
				}
			}
			for i, m := range told {
				for _, before := range told[:i] {
					if dx, dy := m.X-before.X, m.Y-before.Y; dx*dx+dy*dy < m.W*m.W {
						t.Errorf("%d clients, after %v: the messages to %s and %s touch", n, after, before.Subject, m.Subject)
					}
				}
			}
		}
	}
}
