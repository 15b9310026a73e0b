package scene_test

import (
	"math"
	"testing"

	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
)

// TestTwoPicturesStandSideBySide checks that a picture painted at an offset has the same shapes, moved by it, whatever
// else is in the frame.
func TestTwoPicturesStandSideBySide(t *testing.T) {
	const dx, dy = 640, 17
	states := fixtures()
	var left, right scene.Layout
	var both, alone scene.Frame
	o := scene.Options{Words: english, Width: 640, Height: 400, Theme: display.Light(), Selected: "client-1"}
	for name, s := range states {
		other := states["herd"]
		both.Clear(1280, 417, o.Theme.Paper)
		both.Paint(left.Plan(other, now, o), 0, 0)
		first, hits := len(both.Ops), len(both.Hits)
		both.Paint(right.Plan(s, now, o), dx, dy)
		alone.Draw(s, now, o)
		if len(both.Ops)-first != len(alone.Ops) || len(both.Hits)-hits != len(alone.Hits) {
			t.Fatalf("%s: %d shapes beside another picture, %d alone", name, len(both.Ops)-first, len(alone.Ops))
		}
		for i, want := range alone.Ops {
			got := both.Ops[first+i]
			x, y, w, h := want.Bounds()
			gx, gy, gw, gh := got.Bounds()
			if far(gx-dx, x) || far(gy-dy, y) || far(gw, w) || far(gh, h) || got.Fill != want.Fill || got.Text != want.Text {
				t.Fatalf("%s: shape %d is %+v, want %+v moved by %d, %d", name, i, got, want, dx, dy)
			}
		}
		for i, want := range alone.Hits {
			got := both.Hits[hits+i]
			if far(got.X-dx, want.X) || far(got.Y-dy, want.Y) || got.ID != want.ID {
				t.Fatalf("%s: %+v is hit, want %+v moved by %d, %d", name, got, want, dx, dy)
			}
		}
		if !both.Moving { // the herd moves
			t.Fatalf("%s: the frame stands still, though one of its pictures moves", name)
		}
	}
}

func far(a, b float32) bool { return math.Abs(float64(a-b)) > 0.01 }

// TestPlanIsPaintedAsOftenAsOneLikes checks that painting doesn't change a plan.
func TestPlanIsPaintedAsOftenAsOneLikes(t *testing.T) {
	var l scene.Layout
	var once, twice scene.Frame
	p := l.Plan(fixtures()["talking"], now, scene.Options{Words: english, Width: 640, Height: 400, Theme: display.Dark()})
	once.Paint(p, 0, 0)
	twice.Paint(p, 9, 9)
	twice.Clear(640, 400, display.Dark().Paper)
	twice.Paint(p, 0, 0)
	if hash(&once) != hash(&twice) {
		t.Error("the second time is different")
	}
}
