package raster_test

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/zkviz/zkviz/engine/stage/raster"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

const (
	paper = display.Colour(0xffffffff)
	ink   = display.Colour(0x000000ff)
	blue  = display.Colour(0x0072b2ff)
	half  = display.Colour(0xff000080)
)

// drawn returns the PNG of ops on a frame of 100 by 60.
func drawn(t *testing.T, scale float64, ops ...display.Op) image.Image {
	t.Helper()
	var f scene.Frame
	f.Clear(100, 60, paper)
	f.Ops = append(f.Ops, ops...)
	var out bytes.Buffer
	if err := raster.WritePNG(&out, &f, scale); err != nil {
		t.Fatal(err)
	}
	got, err := png.Decode(&out)
	if err != nil {
		t.Fatal(err)
	}
	if size := got.Bounds().Size(); size != (image.Point{int(100 * scale), int(60 * scale)}) {
		t.Fatalf("at %v it is %v", scale, size)
	}
	return got
}

// inked returns the area in which black is drawn, in px of the list, and its middle.
func inked(m image.Image, scale float64) (area, x, y float64) {
	b := m.Bounds()
	for py := b.Min.Y; py < b.Max.Y; py++ {
		for px := b.Min.X; px < b.Max.X; px++ {
			dark := 1 - float64(color.GrayModel.Convert(m.At(px, py)).(color.Gray).Y)/255
			area += dark
			x += dark * (float64(px) + 0.5)
			y += dark * (float64(py) + 0.5)
		}
	}
	return area / scale / scale, x / area / scale, y / area / scale
}

// TestAreas checks that each shape covers as much as it should, around the middle that it should have.
func TestAreas(t *testing.T) {
	const disc = math.Pi * 10 * 10
	slanted := display.Op{Kind: display.Line, X: 20, Y: 10, X3: 50, Y3: 50, Stroke: ink, Width: 4}
	for name, c := range map[string]struct {
		op         display.Op
		area, x, y float64
	}{
		"rect":   {display.Op{Kind: display.Rect, X: 10, Y: 20, W: 30, H: 8, Fill: ink}, 240, 25, 24},
		"beyond": {display.Op{Kind: display.Rect, X: -50, Y: -50, W: 60, H: 500, Fill: ink}, 600, 5, 30},
		"rounded": {display.Op{Kind: display.Rect, X: 10, Y: 20, W: 30, H: 10, R: 3, Fill: ink}, 300 - (4-math.Pi)*9,
			25, 25},
		"very rounded": {display.Op{Kind: display.Rect, X: 10, Y: 20, W: 20, H: 20, R: 99, Fill: ink}, disc, 20, 30},
		"frame":        {display.Op{Kind: display.Rect, X: 10, Y: 20, W: 30, H: 10, Stroke: ink, Width: 2}, 160, 25, 25},
		"full frame":   {display.Op{Kind: display.Rect, X: 10, Y: 20, W: 30, H: 10, Stroke: ink, Width: 10}, 800, 25, 25},
		"disc":         {display.Op{Kind: display.Circle, X: 30, Y: 30, R: 10, Fill: ink}, disc, 30, 30},
		"ring":         {display.Op{Kind: display.Circle, X: 30, Y: 30, R: 10, Stroke: ink, Width: 4}, disc * 0.8, 30, 30},
		"dashed ring": {display.Op{Kind: display.Circle, X: 30, Y: 30, R: 10, Stroke: ink, Width: 4, Dash: 1, Gap: 1},
			disc * 0.4, 30, 30},
		"line":  {slanted, 200 + 4*math.Pi, 35, 30},
		"point": {display.Op{Kind: display.Line, X: 20, Y: 10, X3: 20, Y3: 10, Stroke: ink, Width: 4}, 4 * math.Pi, 20, 10},
		"dashed line": {display.Op{Kind: display.Line, X: 10, Y: 10, X3: 40, Y3: 10, Stroke: ink, Width: 2, Dash: 4, Gap: 6},
			3 * (8 + math.Pi), 22, 10},
		"later dashes": {display.Op{Kind: display.Line, X: 10, Y: 10, X3: 40, Y3: 10, Stroke: ink, Width: 2, Dash: 4, Gap: 6,
			Phase: 24}, 3 * (8 + math.Pi), 28, 10},
		"straight curve": {display.Op{Kind: display.Curve, X: 10, Y: 10, X1: 20, Y1: 10, X2: 30, Y2: 10, X3: 40, Y3: 10,
			Stroke: ink, Width: 2}, 60 + math.Pi, 25, 10},
		"half a turn": {display.Op{Kind: display.Arc, X: 30, Y: 30, R: 10, To: math.Pi, Stroke: ink, Width: 2},
			math.Pi*20 + math.Pi, 30 + 20/math.Pi, 30},
		"a whole turn": {display.Op{Kind: display.Arc, X: 30, Y: 30, R: 10, To: 2 * math.Pi, Stroke: ink, Width: 2},
			math.Pi * 40, 30, 30},
		"no colour": {op: display.Op{Kind: display.Circle, X: 30, Y: 30, R: 10, Fill: 0xffffff00, Stroke: ink}},
	} {
		for _, scale := range []float64{1, 1.5, 2} {
			area, x, y := inked(drawn(t, scale, c.op), scale)
			if math.Abs(area-c.area) > 0.02*c.area+0.5 || c.area > 0 && math.Hypot(x-c.x, y-c.y) > 0.4 {
				t.Errorf("%s at %v covers %.1f px around %.1f,%.1f; want %.1f around %.1f,%.1f", name, scale, area, x, y,
					c.area, c.x, c.y)
			}
		}
	}
}

// TestColours checks that later shapes lie on top, and that what is half transparent shows what lies below.
func TestColours(t *testing.T) {
	m := drawn(t, 2,
		display.Op{Kind: display.Rect, X: 10, Y: 10, W: 40, H: 40, Fill: blue},
		display.Op{Kind: display.Circle, X: 50, Y: 30, R: 12, Fill: half, Stroke: ink, Width: 2})
	for _, c := range []struct {
		x, y int
		want color.NRGBA
	}{
		{5, 5, color.NRGBA{255, 255, 255, 255}}, {20, 20, color.NRGBA{0, 0x72, 0xb2, 255}},
		{45, 30, color.NRGBA{0x80, 0x39, 0x59, 255}}, {55, 30, color.NRGBA{255, 127, 127, 255}},
		{62, 30, color.NRGBA{0, 0, 0, 255}},
	} {
		r, g, b, _ := m.At(2*c.x, 2*c.y).RGBA()
		for _, d := range []int{int(r>>8) - int(c.want.R), int(g>>8) - int(c.want.G), int(b>>8) - int(c.want.B)} {
			if d < -2 || d > 2 {
				t.Errorf("at %d,%d: %v, want %v", c.x, c.y, m.At(2*c.x, 2*c.y), c.want)
				break
			}
		}
	}
}

// TestLabels checks that texts stand at their anchors and shrink into their room, and that each character leaves a
// mark, also one that the fonts lack.
func TestLabels(t *testing.T) {
	label := func(s string, anchor text.Anchor, room float32) display.Op {
		return display.Op{Kind: display.Text, X: 50, Y: 30, Text: s, Size: 12, Anchor: anchor, W: room, Fill: ink}
	}
	whole, middle, _ := inked(drawn(t, 2, label("HIH", text.Middle, 0)), 2)
	_, start, y := inked(drawn(t, 2, label("HIH", text.Start, 0)), 2)
	_, end, _ := inked(drawn(t, 2, label("HIH", text.End, 0)), 2)
	if math.Abs(middle-50) > 0.5 || math.Abs(start+end-100) > 0.5 || start < 55 || y < 22 || y > 30 {
		t.Errorf("HIH stands around %v, %v and %v, at a height of %v", start, middle, end, y)
	}
	if small, at, _ := inked(drawn(t, 2, label("HIH", text.Middle, 10)), 2); small > whole/2 || math.Abs(at-50) > 0.5 {
		t.Errorf("in little room it covers %v px around %v", small, at)
	}
	bold := label("HIH", text.Middle, 0)
	bold.Bold = true
	if area, _, _ := inked(drawn(t, 2, bold), 2); area < whole*1.2 {
		t.Errorf("bold covers %v px, and plain %v", area, whole)
	}
	box := drawn(t, 2, label("世", text.Middle, 0))
	for _, r := range "é Ж → … ✓ ✗ ◂ 世 の \u202e" {
		m := drawn(t, 2, label(string(r), text.Middle, 0))
		area, _, _ := inked(m, 2)
		missing := bytes.Equal(m.(*image.RGBA).Pix, box.(*image.RGBA).Pix)
		if r != ' ' && area < 1 || missing != (r == '世' || r == 'の') {
			t.Errorf("%q covers %v px; it's missing: %v", r, area, missing)
		}
	}
}

// TestAnything draws shapes with any numbers.
func TestAnything(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	number := func() float32 {
		return []float32{0, 1, -1, 7.5, 60, 1e4, -1e4, 1e6, 1e30, float32(math.NaN()), float32(math.Inf(1)),
			float32(math.Inf(-1)), r.Float32() * 100}[r.IntN(13)]
	}
	for range 3000 {
		drawn(t, 1, display.Op{
			Kind: display.Kind(r.IntN(8)), Text: "a\xff世", X: number(), Y: number(), W: number(), H: number(), R: number(),
			X1: number(), Y1: number(), X2: number(), Y2: number(), X3: number(), Y3: number(), From: number(), To: number(),
			Width: number(), Dash: number(), Gap: number(), Phase: number(), Size: number(), Fill: blue, Stroke: half,
		})
	}
}
