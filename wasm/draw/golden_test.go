package draw

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
	"github.com/zkviz/zkviz/engine/testing/golden"
)

const (
	blue   = display.Colour(0x0072b2ff)
	orange = display.Colour(0xe69f0080)
)

// shapes has one shape of each kind, as in a display list.
var shapes = []struct {
	name string
	op   display.Op
}{
	{"rect", display.Op{Kind: display.Rect, X: 10, Y: 20, W: 30, H: 8, R: 3, Fill: blue}},
	{"rect with an edge", display.Op{Kind: display.Rect, X: 10, Y: 20, W: 30, H: 8, Fill: blue, Stroke: orange, Width: 2}},
	{"dashed rect", display.Op{Kind: display.Rect, X: 10, Y: 20, W: 30, H: 8, R: 2, Stroke: orange, Width: 2, Dash: 4,
		Gap: 3}},
	{"circle", display.Op{Kind: display.Circle, X: 10, Y: 20, R: 5, Fill: orange, Stroke: blue, Width: 1.5}},
	{"dashed circle", display.Op{Kind: display.Circle, X: 10, Y: 20, R: 5, Stroke: blue, Width: 1.5, Dash: 2, Gap: 5}},
	{"arc", display.Op{Kind: display.Arc, X: 10, Y: 20, R: 5, From: 0.5, To: 4, Stroke: blue, Width: 3}},
	{"arc backwards", display.Op{Kind: display.Arc, X: 10, Y: 20, R: 5, From: 4, To: 0.5, Stroke: blue, Width: 3}},
	{"edge too wide to be told", display.Op{Kind: display.Rect, W: 300, H: 200, Stroke: blue, Width: 120}},
	{"line", display.Op{Kind: display.Line, X: 10, Y: 20, X3: 40, Y3: 60, Stroke: blue, Width: 2}},
	{"dashed line", display.Op{Kind: display.Line, X: 10, Y: 20, X3: 40, Y3: 60,
		Stroke: blue, Width: 2, Dash: 3, Gap: 2, Phase: 7}},
	{"curve", display.Op{Kind: display.Curve, X: 10, Y: 20, X1: 10, Y1: 30, X2: 40, Y2: 50, X3: 40, Y3: 60,
		Stroke: blue, Width: 2}},
	{"dashed curve", display.Op{Kind: display.Curve, X: 10, Y: 20, X1: 10, Y1: 30, X2: 40, Y2: 50, X3: 40, Y3: 60,
		Stroke: orange, Width: 2, Dash: 3, Gap: 2, Phase: 1}},
	{"text", display.Op{Kind: display.Text, X: 50, Y: 20, Text: "waits", Size: 12, Anchor: text.Middle, Fill: blue}},
	{"text in little room", display.Op{Kind: display.Text, X: 50, Y: 20, Text: "waits", Size: 12, W: 30,
		Anchor: text.End, Fill: orange}},
}

// TestGoldenMeshes compares the triangles of each shape with testdata/meshes.txt.
func TestGoldenMeshes(t *testing.T) {
	var b strings.Builder
	for _, s := range shapes {
		var m Mesh
		m.Add([]display.Op{s.op}, 1.5, &oneLabel{w: 50})
		fmt.Fprintf(&b, "%s: %v\n", s.name, m.Indices)
		for _, v := range m.Vertices {
			fmt.Fprintf(&b, "  at %.1f,%.1f src %.1f,%.1f colour %.2f,%.2f,%.2f,%.2f shape %.2f,%.2f,%.2f,%.2f\n",
				v.DstX, v.DstY, v.SrcX, v.SrcY, v.R, v.G, v.B, v.A, v.C0, v.C1, v.C2, v.C3)
		}
	}
	golden.Compare(t, "testdata/meshes.txt", strings.ReplaceAll(b.String(), "-0.0,", "0.0,"))
}

// TestShapesLieWhereTheListSays checks that a shape's triangles cover its bounds, at any pixel ratio, and little more.
func TestShapesLieWhereTheListSays(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	for range 3000 {
		op := shapes[r.IntN(len(shapes)-2)].op // without texts
		dx, dy, k := r.Float32()*500, r.Float32()*300, []float32{1, 1.5, 2, 3}[r.IntN(4)]
		op.X, op.X1, op.X2, op.X3 = op.X+dx, op.X1+dx, op.X2+dx, op.X3+dx*(1+r.Float32())
		op.Y, op.Y1, op.Y2, op.Y3 = op.Y+dy, op.Y1+dy, op.Y2+dy, op.Y3+dy*(1+r.Float32())
		op.W, op.H, op.R = op.W*(1+r.Float32()), op.H*(1+r.Float32()), op.R*(1+r.Float32())
		var m Mesh
		m.Add([]display.Op{op}, k, nil)
		valid(t, &m)
		x0, y0, x1, y1 := bounds(&m)
		x, y, w, h := op.Bounds()
		less, more := op.Width*k, op.Width*k+2*fringe // for a line, more at its corners
		if op.Kind == display.Curve {                 // its bounds are its hull's
			less = math.MaxFloat32
			for _, p := range []Point{{op.X * k, op.Y * k}, {op.X3 * k, op.Y3 * k}} {
				if p.X < x0 || p.X > x1 || p.Y < y0 || p.Y > y1 {
					t.Fatalf("%+v at %v: an end is not in %v,%v to %v,%v", op, k, x0, y0, x1, y1)
				}
			}
		}
		if x0 < x*k-more || y0 < y*k-more || x1 > (x+w)*k+more || y1 > (y+h)*k+more ||
			x0 > x*k+less || y0 > y*k+less || x1 < (x+w)*k-less || y1 < (y+h)*k-less {
			t.Fatalf("%+v at %v covers %v,%v to %v,%v", op, k, x0, y0, x1, y1)
		}
	}
}
