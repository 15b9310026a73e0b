package display

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// Kind is the shape of an Op.
type Kind uint8

// Each kind lists the fields that it reads besides the colours. All lengths are CSS pixels; y grows downwards.
const (
	_      Kind = iota
	Rect        // X, Y: top left; W, H; R: corner radius, 0 for square; Fill; Stroke with Width, Dash, Gap, Phase
	Circle      // X, Y: centre; R; Fill; Stroke with Width, Dash, Gap, Phase
	Arc         // X, Y: centre; R; From, To: radians clockwise from twelve o'clock; Stroke, Width. Round ends
	Line        // X, Y to X3, Y3; Stroke, Width, Dash, Gap, Phase. Round ends
	Curve       // cubic Bézier X, Y, X1, Y1, X2, Y2, X3, Y3; Stroke, Width, Dash, Gap, Phase. Round ends
	Text        // X, Y: on the baseline, at Anchor; Size, Bold, Mono, Fill; W: maximum width, shrinks to fit
)

// Op is one shape to draw. Later ones lie on top. A Fill or Stroke with alpha 0 is not drawn.
type Op struct {
	Text           string
	X, Y           float32
	W, H           float32
	X1, Y1, X2, Y2 float32
	X3, Y3         float32
	R              float32
	From, To       float32
	Width          float32 // width of the stroke
	Dash, Gap      float32 // a dashed stroke; Dash 0 is solid
	Phase          float32 // offset into the dash pattern
	Size           float32 // text size, px
	Fill, Stroke   Colour
	Kind           Kind
	Anchor         text.Anchor
	Bold, Mono     bool
}

// Colour is 0xRRGGBBAA, not premultiplied.
type Colour uint32

// Fade returns the colour with its alpha multiplied by a, from 0 to 1.
func (c Colour) Fade(a float64) Colour {
	if a >= 1 {
		return c
	}
	if a <= 0 {
		return c &^ 0xff
	}
	return c&^0xff | Colour(float64(c&0xff)*a+0.5)
}

// RGBA returns the components of the colour, not premultiplied.
func (c Colour) RGBA() (r, g, b, a uint8) {
	return uint8(c >> 24), uint8(c >> 16), uint8(c >> 8), uint8(c)
}

// Light reports whether dark text reads better on the colour than white text.
func (c Colour) Light() bool {
	r, g, b, _ := c.RGBA()
	return 299*int(r)+587*int(g)+114*int(b) > 105_000
}

// List has shapes in the order in which they are drawn, and what responds to the pointer.
type List struct {
	Ops  []Op
	Hits []Hit
	// Parts of clients respond to the pointer, too: links only where there is no Hit, messages before any Hit.
	Parts []Hit
}

// Hit is a rectangle that responds to the pointer.
type Hit struct {
	ID         string // "client-3", "node-1", a znode's path, or for an entry its node and its path: "node-1 /lock"
	X, Y, W, H float32
	Part       Part      // part of the client, Whole for all of it
	Message    event.Seq // the event that sent the message
	Picture    int       // which of two pictures, from 0
}

// Part is a part of a client that a rectangle stands for.
type Part uint8

const (
	Whole       Part = iota
	LinkPart         // its connection
	MessagePart      // one of its messages under way
	ServerPart       // ZooKeeper's name, for its only server
)

// Under reports whether a point lies in the rectangle, or no further from it than slack.
func (h *Hit) Under(x, y, slack float32) bool {
	return x >= h.X-slack && y >= h.Y-slack && x < h.X+h.W+slack && y < h.Y+h.H+slack
}

// Bounds returns the rectangle that an op is drawn in. For a text it is an estimate, rather too large than too small.
func (o *Op) Bounds() (x, y, w, h float32) {
	half := float32(0)
	if o.Stroke&0xff != 0 {
		half = o.Width / 2
	}
	switch o.Kind {
	case Rect:
		return o.X - half, o.Y - half, o.W + 2*half, o.H + 2*half
	case Circle, Arc:
		r := o.R + half
		return o.X - r, o.Y - r, 2 * r, 2 * r
	case Line:
		x, y = min(o.X, o.X3), min(o.Y, o.Y3)
		return x - half, y - half, max(o.X, o.X3) - x + 2*half, max(o.Y, o.Y3) - y + 2*half
	case Curve:
		x, y = min(o.X, o.X1, o.X2, o.X3), min(o.Y, o.Y1, o.Y2, o.Y3)
		return x - half, y - half, max(o.X, o.X1, o.X2, o.X3) - x + 2*half, max(o.Y, o.Y1, o.Y2, o.Y3) - y + 2*half
	case Text:
		w = float32(text.Face{Size: float64(o.Size), Bold: o.Bold, Mono: o.Mono}.Width(o.Text))
		x = o.X - w*float32(o.Anchor)/2
		return x, o.Y - o.Size*0.75, w, o.Size * 0.95
	}
	return 0, 0, 0, 0
}
