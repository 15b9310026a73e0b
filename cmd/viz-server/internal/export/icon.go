package export

import (
	"strings"

	"github.com/zkviz/zkviz/engine/stage/raster"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
)

// icon has the shapes of static/icon.svg, on 32 by 32 px. The first is the ground.
var icon = []display.Op{
	{Kind: display.Rect, W: 32, H: 32, R: 8, Fill: 0x0b5d4bff},
	{Kind: display.Line, X: 16, Y: 8, X3: 16, Y3: 13, Stroke: 0xffffffff, Width: 2},
	{Kind: display.Line, X: 16, Y: 13, X3: 8, Y3: 21, Stroke: 0xffffffff, Width: 2},
	{Kind: display.Line, X: 16, Y: 13, X3: 16, Y3: 21, Stroke: 0xffffffff, Width: 2},
	{Kind: display.Line, X: 16, Y: 13, X3: 24, Y3: 21, Stroke: 0xffffffff, Width: 2},
	{Kind: display.Circle, X: 16, Y: 8, R: 3, Fill: 0xffffffff},
	{Kind: display.Circle, X: 8, Y: 22, R: 3.5, Fill: 0x56b4e9ff},
	{Kind: display.Circle, X: 16, Y: 22, R: 3.5, Fill: 0xe69f00ff},
	{Kind: display.Circle, X: 24, Y: 22, R: 3.5, Fill: 0xcc79a7ff},
}

// drawIcon returns the icon as a PNG. If it is whole, the ground fills the square, and there is room around the rest:
// phones cut a shape of their own out of it.
func drawIcon(pixels float64, whole bool) (string, error) {
	var f scene.Frame
	const size, room = 32, 3
	f.Clear(size, size, 0)
	f.Ops = append(f.Ops, icon...)
	if whole {
		f.Clear(size+2*room, size+2*room, icon[0].Fill)
		for _, o := range icon[1:] {
			o.X, o.Y, o.X3, o.Y3 = o.X+room, o.Y+room, o.X3+room, o.Y3+room
			f.Ops = append(f.Ops, o)
		}
	}
	var out strings.Builder
	err := raster.WritePNG(&out, &f, pixels/f.Width)
	return out.String(), err
}
