package paint

import (
	"math"

	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// Painter turns a plan into shapes, with the plan's upper left corner at x, y. It decides nothing.
type Painter struct {
	Theme   *display.Theme
	Sizes   *Sizes
	List    *display.List
	Picture int // which of two pictures
	X, Y    float32
}

// All paints the elements of a list.
func All[T any](d *Painter, things []T, paint func(*T, *Painter)) {
	for i := range things {
		paint(&things[i], d)
	}
}

// Pen is the style of an outline.
type Pen struct {
	Colour    display.Colour
	Width     float64
	Dash, Gap float64
}

//go:noinline
func (d *Painter) put(op display.Op) { d.List.Ops = append(d.List.Ops, op) }

// Hit makes a rectangle respond to the pointer.
func (d *Painter) Hit(id string, r geom.Rect) {
	x, y := d.X+float32(r.X), d.Y+float32(r.Y)
	h := display.Hit{ID: id, X: x, Y: y, W: float32(r.W), H: float32(r.H), Picture: d.Picture}
	d.List.Hits = append(d.List.Hits, h)
}

// leastPart is the smallest side of a part that responds to the pointer.
const leastPart = 24

// Part adds a rectangle for a part of a client, enlarged enough to be hit.
func (d *Painter) Part(h display.Hit, r geom.Rect) {
	w, tall := max(r.W, leastPart), max(r.H, leastPart)
	h.X, h.Y = d.X+float32(r.X-(w-r.W)/2), d.Y+float32(r.Y-(tall-r.H)/2)
	h.W, h.H, h.Picture = float32(w), float32(tall), d.Picture
	d.List.Parts = append(d.List.Parts, h)
}

// Panel draws a rectangle with round corners.
//
//go:noinline
func (d *Painter) Panel(r geom.Rect, radius float64, fill display.Colour, p Pen) {
	d.put(display.Op{Kind: display.Rect, X: d.X + float32(r.X), Y: d.Y + float32(r.Y), W: float32(r.W), H: float32(r.H),
		R: float32(min(radius, r.H/2, r.W/2)), Fill: fill,
		Stroke: p.Colour, Width: float32(p.Width), Dash: float32(p.Dash), Gap: float32(p.Gap)})
}

// Circle draws a circle around a point.
//
//go:noinline
func (d *Painter) Circle(x, y, r float64, fill display.Colour, p Pen) {
	d.put(display.Op{Kind: display.Circle, X: d.X + float32(x), Y: d.Y + float32(y), R: float32(r), Fill: fill,
		Stroke: p.Colour, Width: float32(p.Width), Dash: float32(p.Dash), Gap: float32(p.Gap)})
}

// Arc draws clockwise from twelve o'clock over part of the circle.
func (d *Painter) Arc(x, y, r, part float64, p Pen) {
	d.put(display.Op{Kind: display.Arc, X: d.X + float32(x), Y: d.Y + float32(y), R: float32(r),
		To:     float32(part * 2 * math.Pi),
		Stroke: p.Colour, Width: float32(p.Width)})
}

// Line draws a straight line between two points.
//
//go:noinline
func (d *Painter) Line(x, y, x3, y3 float64, p Pen) {
	d.dashed(geom.Cubic{X0: x, Y0: y, X3: x3, Y3: y3}, p, 0)
}

// dashed draws a line, with an offset into its dash pattern.
//
//go:noinline
func (d *Painter) dashed(c geom.Cubic, p Pen, phase float64) {
	d.put(display.Op{Kind: display.Line, X: d.X + float32(c.X0), Y: d.Y + float32(c.Y0),
		X3: d.X + float32(c.X3), Y3: d.Y + float32(c.Y3),
		Stroke: p.Colour, Width: float32(p.Width), Dash: float32(p.Dash), Gap: float32(p.Gap), Phase: float32(phase)})
}

func (d *Painter) curve(c geom.Cubic, p Pen, phase float64) {
	d.put(display.Op{Kind: display.Curve, X: d.X + float32(c.X0), Y: d.Y + float32(c.Y0),
		X1: d.X + float32(c.X1), Y1: d.Y + float32(c.Y1),
		X2: d.X + float32(c.X2), Y2: d.Y + float32(c.Y2), X3: d.X + float32(c.X3), Y3: d.Y + float32(c.Y3),
		Stroke: p.Colour, Width: float32(p.Width), Dash: float32(p.Dash), Gap: float32(p.Gap), Phase: float32(phase)})
}

// Stroke draws a path whose dashes continue from part to part.
func (d *Painter) Stroke(p *geom.Path, how Pen) {
	phase := 0.0
	for i := range p.N {
		if c := p.Part[i]; c.IsStraight() {
			d.dashed(c, how, phase)
		} else {
			d.curve(c, how, phase)
		}
		phase += p.Length[i]
	}
}

// Labels writes texts.
func (d *Painter) Labels(list []text.Label) {
	for i := range list {
		d.Label(&list[i])
	}
}

// Label writes a text unless it is empty.
func (d *Painter) Label(b *text.Label) {
	if b.Text == "" {
		return
	}
	d.put(display.Op{Kind: display.Text, Text: b.Text, X: d.X + float32(b.X), Y: d.Y + float32(b.Y),
		W: float32(b.Room), Size: float32(b.Face.Size), Bold: b.Face.Bold, Mono: b.Face.Mono,
		Anchor: b.Anchor, Fill: d.colour(b.Ink).Fade(b.Alpha)})
}

// colour returns the theme's colour for a text.
func (d *Painter) colour(i text.Ink) display.Colour {
	switch i {
	case text.InkSoft:
		return d.Theme.Soft
	case text.InkSignal:
		return d.Theme.Signal
	case text.InkOnSignal:
		return d.Theme.OnSig
	case text.InkOnAccent:
		return d.Theme.OnAcc
	}
	return d.Theme.Ink
}

// On returns the colour for text on a client's colour.
func On(fill display.Colour) display.Colour {
	if fill.Light() {
		return DarkInk
	}
	return lightInk
}

// The colours for text on a client\'s colour.
const (
	lightInk = display.Colour(0xffffffff)
	DarkInk  = display.Colour(0x16201dff)
)

// Tag draws a background and the text on it.
func (d *Painter) Tag(g *text.Tag, fill display.Colour, edge Pen) {
	if g.W == 0 {
		return
	}
	d.Panel(g.Rect, g.Radius, fill, edge)
	d.Label(&g.Text)
}

// Cross draws the mark for lost, dead or cut.
func (d *Painter) Cross(x, y, r float64, p Pen) {
	d.Line(x-r, y-r, x+r, y+r, p)
	d.Line(x-r, y+r, x+r, y-r, p)
}

// Bang draws an exclamation mark from lines, so that it needs no font.
func (d *Painter) Bang(x, y, r float64, how Pen) {
	d.Line(x, y-r*0.5, x, y+r*0.1, how)
	d.Circle(x, y+r*0.5, how.Width*0.6, how.Colour, Pen{})
}

// Eye draws the mark for an armed watch at a znode.
func (d *Painter) Eye(x, y, r float64, c display.Colour) {
	how := Pen{Colour: c, Width: max(1, r*0.26)}
	d.Circle(x, y, r*1.15, d.Theme.Paper.Fade(float64(c&0xff)/255), Pen{})
	d.curve(geom.Curve(x-r, y, x-r*0.4, y-r, x+r*0.4, y-r, x+r, y), how, 0)
	d.curve(geom.Curve(x-r, y, x-r*0.4, y+r, x+r*0.4, y+r, x+r, y), how, 0)
	d.Circle(x, y, r*0.36, c, Pen{})
}
