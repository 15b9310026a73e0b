package draw

import (
	"math"

	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// Label is the place of a text on the label atlas, in device pixels.
type Label struct {
	X, Y, W, H float32 // on the atlas
	Left, Up   float32 // from the corner of W, H to the start of the text's baseline
	Advance    float32 // the text's width
}

// Labels finds a text on the atlas, or puts it there first. Size is in device pixels. It reports false if there is no
// room until the next frame.
type Labels interface {
	Label(text string, size float32, bold, mono bool) (Label, bool)
}

// perShape is the maximum number of vertices of an Op.
const perShape = 4 + 2*max(maxSegments+1, 4*(maxCorner+1)+1)

// Add adds ops to the mesh, at ratio device pixels to a CSS pixel, and returns how many fitted.
func (m *Mesh) Add(ops []display.Op, ratio float32, labels Labels) int {
	for i := range ops {
		if !m.Room(perShape) {
			return i
		}
		m.add(&ops[i], ratio, labels)
	}
	return len(ops)
}

func (m *Mesh) add(op *display.Op, k float32, labels Labels) {
	x, y, width := op.X*k, op.Y*k, op.Width*k
	switch op.Kind {
	case display.Rect:
		m.rect(op, k)
	case display.Circle:
		m.circle(op, k)
	case display.Arc:
		if c, ok := premultiplied(op.Stroke); ok {
			m.Arc(x, y, op.R*k, op.From-math.Pi/2, op.To-op.From, width, c)
		}
	case display.Line:
		if c, ok := premultiplied(op.Stroke); ok {
			m.Line(x, y, op.X3*k, op.Y3*k, width, dash(op, k), c)
		}
	case display.Curve:
		if c, ok := premultiplied(op.Stroke); ok {
			m.Curve(Point{x, y}, Point{op.X1 * k, op.Y1 * k}, Point{op.X2 * k, op.Y2 * k}, Point{op.X3 * k, op.Y3 * k}, width,
				dash(op, k), c)
		}
	case display.Text:
		m.text(op, k, labels)
	}
}

func (m *Mesh) rect(op *display.Op, k float32) {
	x, y, w, h, r := op.X*k, op.Y*k, op.W*k, op.H*k, op.R*k
	if c, ok := premultiplied(op.Fill); ok {
		m.Box(x, y, w, h, r, c)
	}
	c, ok := premultiplied(op.Stroke)
	switch {
	case !ok || op.Width <= 0:
	case op.Dash > 0:
		m.OutlineDashed(x, y, w, h, r, op.Width*k, dash(op, k), c)
	default:
		m.Outline(x, y, w, h, r, op.Width*k, c)
	}
}

func (m *Mesh) circle(op *display.Op, k float32) {
	x, y, r := op.X*k, op.Y*k, op.R*k
	if c, ok := premultiplied(op.Fill); ok {
		m.Disc(x, y, r, c)
	}
	c, ok := premultiplied(op.Stroke)
	switch {
	case !ok || op.Width <= 0:
	case op.Dash > 0:
		m.Ring(x, y, r, op.Width*k, dash(op, k), c)
	default:
		m.Outline(x-r, y-r, 2*r, 2*r, r, op.Width*k, c)
	}
}

// text paints a label, in a smaller size if it is wider than its room. It is aligned to whole pixels, which makes it as
// sharp as the browser's own text.
func (m *Mesh) text(op *display.Op, k float32, labels Labels) {
	c, ok := premultiplied(op.Fill)
	if !ok || op.Text == "" {
		return
	}
	size, room := op.Size*k, op.W*k
	l, ok := labels.Label(op.Text, size, op.Bold, op.Mono)
	if ok && room > 0 && l.Advance > room {
		l, ok = labels.Label(op.Text, smaller(size, room/l.Advance), op.Bold, op.Mono)
	}
	if !ok {
		return
	}
	x := op.X * k
	switch op.Anchor {
	case text.Middle:
		x -= l.Advance / 2
	case text.End:
		x -= l.Advance
	}
	m.glyphs(round(x-l.Left), round(op.Y*k-l.Up), &l, c)
}

// smaller returns a size that fits, in steps of half a pixel, so that few different sizes are needed.
func smaller(size, by float32) float32 { return max(float32(math.Floor(float64(size*by*2)))/2, 1) }

func (m *Mesh) glyphs(x, y float32, l *Label, c Colour) {
	s := shape{colour: c, c3: shapeGlyphs}
	w, h := l.W, l.H
	q := m.quad()
	q[0].set(x, y, l.X, l.Y, &s)
	q[1].set(x+w, y, l.X+l.W, l.Y, &s)
	q[2].set(x, y+h, l.X, l.Y+l.H, &s)
	q[3].set(x+w, y+h, l.X+l.W, l.Y+l.H, &s)
}

func round(x float32) float32 { return float32(math.Floor(float64(x) + 0.5)) }

func dash(op *display.Op, k float32) Dash {
	return Dash{On: op.Dash * k, Off: op.Gap * k, Phase: op.Phase * k}
}

// premultiplied converts a colour. It reports false for a transparent one.
func premultiplied(c display.Colour) (Colour, bool) {
	r, g, b, a := c.RGBA()
	if a == 0 {
		return Colour{}, false
	}
	f := float32(a) / (255 * 255)
	return Colour{float32(r) * f, float32(g) * f, float32(b) * f, float32(a) / 255}, true
}
