package draw

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

var red = Colour{1, 0, 0, 1}

// bounds returns the bounding box of all vertices.
func bounds(m *Mesh) (x0, y0, x1, y1 float32) {
	x0, y0, x1, y1 = math.MaxFloat32, math.MaxFloat32, -math.MaxFloat32, -math.MaxFloat32
	for _, v := range m.Vertices {
		x0, y0, x1, y1 = min(x0, v.DstX), min(y0, v.DstY), max(x1, v.DstX), max(y1, v.DstY)
	}
	return
}

// valid checks the invariants of a mesh: whole triangles, finite numbers, every vertex used.
func valid(t *testing.T, m *Mesh) {
	t.Helper()
	if len(m.Indices)%3 != 0 {
		t.Fatalf("%d indices are no triangles", len(m.Indices))
	}
	used := make([]bool, len(m.Vertices))
	for _, i := range m.Indices {
		used[i] = true
	}
	for i, v := range m.Vertices {
		if !used[i] {
			t.Fatalf("vertex %d of %d is in no triangle", i, len(used))
		}
		for _, f := range []float32{v.DstX, v.DstY, v.SrcX, v.SrcY, v.C0, v.C1, v.C2, v.C3} {
			if math.IsNaN(float64(f)) || math.IsInf(float64(f), 0) {
				t.Fatalf("vertex %d is %+v", i, v)
			}
		}
	}
}

func TestShapesCoverWhatTheyShould(t *testing.T) {
	for name, c := range map[string]struct {
		add            func(*Mesh)
		x0, y0, x1, y1 float32
		vertices       int
	}{
		"box":     {func(m *Mesh) { m.Box(10, 20, 30, 40, 5, red) }, 9, 19, 41, 61, 4},
		"outline": {func(m *Mesh) { m.Outline(10, 20, 30, 40, 5, 2, red) }, 8, 18, 42, 62, 16},
		"disc":    {func(m *Mesh) { m.Disc(50, 50, 10, red) }, 39, 39, 61, 61, 4},
		"arc":     {func(m *Mesh) { m.Arc(50, 50, 10, 0, 3, 4, red) }, 37, 37, 63, 63, 4},
		"line":    {func(m *Mesh) { m.Line(10, 50, 90, 50, 4, Dash{}, red) }, 7, 47, 93, 53, 4},
		"straight curve": {func(m *Mesh) {
			m.Curve(Point{10, 50}, Point{30, 50}, Point{70, 50}, Point{90, 50}, 4, Dash{}, red)
		}, 7, 47, 93, 53, 26},
		"dashed line": {func(m *Mesh) { m.Line(10, 50, 90, 50, 4, Dash{On: 4, Off: 4}, red) }, 10, 47, 90, 53, 4},
	} {
		var m Mesh
		c.add(&m)
		valid(t, &m)
		x0, y0, x1, y1 := bounds(&m)
		near := func(a, b float32) bool { return math.Abs(float64(a-b)) < 0.01 }
		if !near(x0, c.x0) || !near(y0, c.y0) || !near(x1, c.x1) || !near(y1, c.y1) {
			t.Errorf("%s covers %v %v to %v %v, want %v %v to %v %v", name, x0, y0, x1, y1, c.x0, c.y0, c.x1, c.y1)
		}
		if len(m.Vertices) > c.vertices {
			t.Errorf("%s takes %d vertices, want %d at most", name, len(m.Vertices), c.vertices)
		}
	}
}

func TestADashedStrokeKnowsHowFarAlongItIs(t *testing.T) {
	var m Mesh
	m.Line(0, 0, 30, 40, 2, Dash{On: 3, Off: 2, Phase: 7}, red)
	first, last := m.Vertices[0], m.Vertices[len(m.Vertices)-1]
	if first.SrcX != 7 || last.SrcX != 57 {
		t.Errorf("from %v to %v, want 7 to 57", first.SrcX, last.SrcX)
	}
	if first.C1 != 3 || first.C2 != 5 {
		t.Errorf("a dash of %v in %v, want 3 in 5", first.C1, first.C2)
	}
}

func TestADashedCornerIsRound(t *testing.T) {
	for r := float32(0); r < 300; r += 7.3 {
		var m Mesh
		m.Ring(400, 400, r, 2, Dash{On: 3, Off: 3}, red)
		valid(t, &m)
		for i := 3; i+1 < len(m.Vertices); i += 2 { // the centre of each piece
			x := (m.Vertices[i-3].DstX + m.Vertices[i-2].DstX + m.Vertices[i-1].DstX + m.Vertices[i].DstX) / 4
			y := (m.Vertices[i-3].DstY + m.Vertices[i-2].DstY + m.Vertices[i-1].DstY + m.Vertices[i].DstY) / 4
			if off := distance(Point{x, y}, Point{400, 400}); math.Abs(float64(off-r)) > 0.5 {
				t.Fatalf("a ring of %v px passes %v px from its centre", r, off)
			}
		}
	}
}

func TestACurveStaysCloseToItsCurve(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	at := func() Point { return Point{r.Float32() * 800, r.Float32() * 500} }
	for range 300 {
		p := [4]Point{at(), at(), at(), at()}
		n := segments(p[0], p[1], p[2], p[3])
		if n == maxSegments {
			continue
		}
		for i := range n {
			a, b := bezier(p[0], p[1], p[2], p[3], float32(i)/float32(n)),
				bezier(p[0], p[1], p[2], p[3], float32(i+1)/float32(n))
			on := bezier(p[0], p[1], p[2], p[3], (float32(i)+0.5)/float32(n))
			if off := distance(on, Point{(a.X + b.X) / 2, (a.Y + b.Y) / 2}); off > 2*flat {
				t.Fatalf("%v in %d segments is %v px off", p, n, off)
			}
		}
	}
}

// oneLabel is an atlas on which every text is w wide at size 10.
type oneLabel struct {
	w     float32
	sizes []float32
}

func (o *oneLabel) Label(text string, size float32, bold, mono bool) (Label, bool) {
	o.sizes = append(o.sizes, size)
	return Label{W: o.w * size / 10, H: size, Up: size, Advance: o.w * size / 10}, text != "full"
}

func TestTextStandsAtItsAnchorAndShrinksToItsRoom(t *testing.T) {
	for _, c := range []struct {
		op    display.Op
		x     float32
		width float32
	}{
		{display.Op{X: 50, Size: 10, Anchor: text.Start}, 100, 200},
		{display.Op{X: 50, Size: 10, Anchor: text.Middle}, 0, 200},
		{display.Op{X: 50, Size: 10, Anchor: text.End}, -100, 200},
		{display.Op{X: 50, Size: 10, Anchor: text.Start, W: 40}, 100, 80},
		{display.Op{X: 50, Size: 10, Anchor: text.Start, W: 400}, 100, 200},
		{display.Op{X: 50, Size: 10, Anchor: text.Middle, W: 40}, 60, 80},
	} {
		c.op.Kind, c.op.Text, c.op.Fill = display.Text, "x", 0xff0000ff
		var m Mesh
		m.Add([]display.Op{c.op}, 2, &oneLabel{w: 100})
		valid(t, &m)
		x0, _, x1, _ := bounds(&m)
		if x0 != c.x || x1-x0 > c.width || x1-x0 < c.width-10 {
			t.Errorf("%+v stands at %v, %v wide; want %v, %v", c.op, x0, x1-x0, c.x, c.width)
		}
	}
}

func TestWhatCannotBeSeenIsNotDrawn(t *testing.T) {
	var m Mesh
	m.Add([]display.Op{
		{Kind: display.Rect, W: 10, H: 10, Fill: 0xffffff00},
		{Kind: display.Circle, R: 10, Stroke: 0xff},
		{Kind: display.Line, X3: 10, Width: 1, Stroke: 0x12345600},
		{Kind: display.Text, Fill: 0xff, Size: 10},
		{Kind: display.Text, Text: "full", Fill: 0xff, Size: 10},
		{},
	}, 1, &oneLabel{})
	if len(m.Vertices) > 0 {
		t.Errorf("%d vertices", len(m.Vertices))
	}
}

func TestAnythingMakesAValidMeshInAsManyCallsAsItTakes(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	f := func() float32 { return (r.Float32() - 0.3) * 1000 }
	ops := make([]display.Op, 20_000)
	for i := range ops {
		ops[i] = display.Op{
			Kind: display.Kind(r.IntN(8)), Text: "x", X: f(), Y: f(), W: f(), H: f(), R: f() / 10, X1: f(), Y1: f(), X2: f(),
			Y2: f(), X3: f(), Y3: f(),
			From: f(), To: f(), Width: r.Float32() * 5, Dash: float32(r.IntN(3)), Gap: float32(r.IntN(3)), Size: 12,
			Fill: 0x112233ff, Stroke: 0x445566ff,
		}
		if r.IntN(10) == 0 {
			ops[i].X3, ops[i].Y3, ops[i].X1, ops[i].Y1, ops[i].X2, ops[i].Y2 = ops[i].X, ops[i].Y, ops[i].X, ops[i].Y, ops[i].X,
				ops[i].Y
		}
	}
	calls := 0
	for rest := ops; len(rest) > 0; calls++ {
		var m Mesh
		n := m.Add(rest, 1.5, &oneLabel{w: 50})
		if n == 0 || len(m.Vertices) > MaxVertices {
			t.Fatalf("%d ops in %d vertices", n, len(m.Vertices))
		}
		valid(t, &m)
		rest = rest[n:]
	}
	if calls < 2 {
		t.Errorf("all in %d call", calls)
	}
}

func TestLabelsNeverOverlap(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	s := packer{size: 256}
	taken := make([]bool, 256*256)
	area := 0
	for {
		w, h := 1+r.IntN(60), 10+r.IntN(12)
		x, y, ok := s.place(w, h)
		if !ok {
			break
		}
		area += w * h
		for i := y; i < y+h; i++ {
			for j := x; j < x+w; j++ {
				if taken[i*256+j] {
					t.Fatalf("%d,%d is taken twice", j, i)
				}
				taken[i*256+j] = true
			}
		}
	}
	if area < 256*256/2 {
		t.Errorf("full with %d of %d pixels used", area, 256*256)
	}
	if _, _, ok := s.place(300, 10); ok {
		t.Error("there is room for what is wider than the atlas")
	}
	s.clear()
	if _, _, ok := s.place(200, 200); !ok {
		t.Error("there is no room after clear")
	}
	if _, y, ok := s.place(10, 10); !ok || y < 200 {
		t.Errorf("a low label is at %d, %v: it wastes a high row", y, ok)
	}
}
