package raster

import (
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"math"

	"golang.org/x/image/vector"

	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
)

// WritePNG writes the frame as a PNG, with scale pixels for each of its own.
func WritePNG(w io.Writer, f *scene.Frame, scale float64) error {
	size := image.Rect(0, 0, int(math.Ceil(f.Width*scale)), int(math.Ceil(f.Height*scale)))
	c := canvas{image: image.NewRGBA(size), scale: scale, labels: labels{}}
	draw.Draw(c.image, size, image.NewUniform(nrgba(f.Paper)), image.Point{}, draw.Src)
	for i := range f.Ops {
		if err := c.op(&f.Ops[i]); err != nil {
			return err
		}
	}
	return png.Encode(w, c.image)
}

// canvas is the picture at work.
type canvas struct {
	image  *image.RGBA
	scale  float64
	filler vector.Rasterizer
	labels labels
}

// farthest is the distance from the picture's corner, in its pixels, at which nothing is drawn any more.
const farthest = 1e5

func (c *canvas) op(o *display.Op) error {
	x, y, w, h := o.Bounds()
	for _, v := range [...]float32{x, y, w, h, o.Width, o.Dash, o.Gap, o.Phase, o.From, o.To} {
		if !(math.Abs(float64(v)) < farthest) { // NaN isn't, either
			return nil
		}
	}
	s := c.scale
	at, to := point{float64(o.X) * s, float64(o.Y) * s}, point{float64(o.X3) * s, float64(o.Y3) * s}
	switch o.Kind {
	case display.Rect:
		if o.W > 0 && o.H > 0 {
			c.closed(o, box(at, float64(o.W)*s, float64(o.H)*s, float64(o.R)*s))
		}
	case display.Circle:
		if o.R > 0 {
			c.closed(o, arc(at, float64(o.R)*s, 0, 2*math.Pi)[1:])
		}
	case display.Arc:
		c.stroke(o, arc(at, float64(o.R)*s, float64(o.From), float64(o.To)), false)
	case display.Line:
		c.stroke(o, []point{at, to}, false)
	case display.Curve:
		c.stroke(o, curve(at, point{float64(o.X1) * s, float64(o.Y1) * s}, point{float64(o.X2) * s, float64(o.Y2) * s}, to),
			false)
	case display.Text:
		return c.text(o)
	}
	return nil
}

// closed fills a shape and strokes its edge.
func (c *canvas) closed(o *display.Op, edge []point) {
	c.fill([][]point{edge}, o.Fill)
	c.stroke(o, edge, true)
}

// stroke draws an op's stroke along a line.
func (c *canvas) stroke(o *display.Op, along []point, closed bool) {
	if o.Width <= 0 {
		return
	}
	s := c.scale
	p := pen{half: float64(o.Width) * s / 2, round: o.Kind >= display.Arc}
	parts := [][]point{along}
	if o.Dash > 0 {
		if closed {
			along, closed = append(along, along[0]), false
		}
		parts = dashes(along, float64(o.Dash)*s, float64(o.Gap)*s, float64(o.Phase)*s)
	}
	var edges [][]point
	for _, part := range parts {
		edges = append(edges, p.outline(part, closed)...)
	}
	c.fill(edges, o.Stroke)
}

// fill paints the area within outlines. They lie either way round: one within another the other way leaves a hole.
func (c *canvas) fill(outlines [][]point, colour display.Colour) {
	area := bounds(outlines).Intersect(c.image.Bounds())
	if area.Empty() || colour&0xff == 0 {
		return
	}
	c.filler.Reset(area.Dx(), area.Dy())
	c.filler.DrawOp = draw.Over
	from := func(p point) (x, y float32) {
		return float32(p.x - float64(area.Min.X)), float32(p.y - float64(area.Min.Y))
	}
	for _, outline := range outlines {
		if len(outline) == 0 {
			continue
		}
		c.filler.MoveTo(from(outline[0]))
		for _, p := range outline[1:] {
			c.filler.LineTo(from(p))
		}
		c.filler.ClosePath()
	}
	c.filler.Draw(c.image, area, image.NewUniform(nrgba(colour)), image.Point{})
}

// bounds returns the pixels that outlines touch.
func bounds(outlines [][]point) image.Rectangle {
	x0, y0, x1, y1 := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, outline := range outlines {
		for _, p := range outline {
			x0, y0, x1, y1 = min(x0, p.x), min(y0, p.y), max(x1, p.x), max(y1, p.y)
		}
	}
	if x0 > x1 {
		return image.Rectangle{}
	}
	return image.Rect(int(math.Floor(x0)), int(math.Floor(y0)), int(math.Ceil(x1)), int(math.Ceil(y1)))
}

func nrgba(c display.Colour) color.NRGBA {
	r, g, b, a := c.RGBA()
	return color.NRGBA{R: r, G: g, B: b, A: a}
}
