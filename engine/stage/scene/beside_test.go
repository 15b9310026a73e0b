package scene_test

import (
	"slices"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
)

// TestBeside checks that two pictures stand side by side or one above the other, each with its caption in its own half,
// and that a hit tells which picture it belongs to.
func TestBeside(t *testing.T) {
	for _, o := range []scene.Options{{Width: 1024, Height: 576}, {Width: 390, Height: 620}} {
		o.Theme, o.Words = display.Light(), english
		var f scene.Frame
		f.DrawBeside(&[2]scene.Picture{
			{State: view.New(), Title: "one", Verdict: "kept"},
			{State: view.New(), Title: "two, whose name is much too long for half of so small a picture", Broken: true,
				Verdict: "broken, and in so many words that they do not fit beside it", Brief: "broken"},
		}, o)
		half := func(x, y float32) int {
			if o.Width > o.Height && float64(x) > o.Width/2 || o.Width < o.Height && float64(y) > o.Height/2 {
				return 1
			}
			return 0
		}
		seen := [2]bool{}
		for _, h := range f.Hits {
			if in := half(h.X, h.Y); in != h.Picture || in != half(h.X+h.W, h.Y+h.H) {
				t.Errorf("%.0f×%.0f: %s at %.0f, %.0f is of picture %d", o.Width, o.Height, h.ID, h.X, h.Y, h.Picture)
			}
			seen[h.Picture] = true
		}
		if !slices.ContainsFunc(f.Ops, func(op display.Op) bool { return op.Text == "broken" }) {
			t.Errorf("%.0f×%.0f: the verdict has been cut", o.Width, o.Height)
		}
		for i := range f.Ops {
			x, y, w, h := f.Ops[i].Bounds()
			if x < -1 || y < -1 || float64(x+w) > o.Width+1 || float64(y+h) > o.Height+1 {
				t.Errorf("%.0f×%.0f: %+v is cut off", o.Width, o.Height, f.Ops[i])
			}
		}
	}
}
