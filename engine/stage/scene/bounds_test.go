package scene_test

import (
	"testing"

	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// TestBounds checks that the bounds of a shape include its stroke if that is drawn.
func TestBounds(t *testing.T) {
	const ink = display.Colour(0xff)
	for _, c := range []struct {
		op   display.Op
		want [4]float32
	}{
		{display.Op{Kind: display.Rect, X: 10, Y: 20, W: 30, H: 40, Width: 4}, [4]float32{10, 20, 30, 40}},
		{display.Op{Kind: display.Rect, X: 10, Y: 20, W: 30, H: 40, Width: 4, Stroke: ink}, [4]float32{8, 18, 34, 44}},
		{display.Op{Kind: display.Circle, X: 10, Y: 20, R: 5, Width: 2, Stroke: ink}, [4]float32{4, 14, 12, 12}},
		{display.Op{Kind: display.Arc, X: 10, Y: 20, R: 5, Width: 2, Stroke: ink}, [4]float32{4, 14, 12, 12}},
		{display.Op{Kind: display.Line, X: 10, Y: 40, X3: 30, Y3: 20, Width: 2, Stroke: ink}, [4]float32{9, 19, 22, 22}},
		{display.Op{Kind: display.Curve, X: 10, Y: 20, X1: 5, Y1: 50, X2: 40, Y2: 10, X3: 20, Y3: 30, Width: 2, Stroke: ink},
			[4]float32{4, 9, 37, 42}},
		{display.Op{Kind: display.Text, X: 10, Y: 20, Size: 20, Text: "0000", Mono: true, Anchor: text.Start},
			[4]float32{10, 5, 48.16, 19}},
		{display.Op{Kind: display.Text, X: 10, Y: 20, Size: 20, Text: "0000", Mono: true, Anchor: text.End},
			[4]float32{-38.16, 5, 48.16, 19}},
	} {
		x, y, w, h := c.op.Bounds()
		for i, got := range [4]float32{x, y, w, h} {
			if d := got - c.want[i]; d > 0.01 || d < -0.01 {
				t.Errorf("%+v lies at %v, %v, %v×%v, want %v", c.op, x, y, w, h, c.want)
				break
			}
		}
	}
}
