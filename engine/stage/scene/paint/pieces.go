package paint

import (
	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// Scissors draws the mark for a link that passes nothing: two blades, open to the link, and their rings.
func (d *Painter) Scissors(x, y, r float64) {
	how := Pen{Colour: d.Theme.Signal, Width: max(1.4, r*0.2)}
	d.Line(x+r*0.9, y-r*0.45, x-r*0.9, y+r*0.45, how)
	d.Line(x+r*0.9, y+r*0.45, x-r*0.9, y-r*0.45, how)
	d.Circle(x-r*1.15, y+r*0.55, r*0.32, 0, how)
	d.Circle(x-r*1.15, y-r*0.55, r*0.32, 0, how)
}

// Inked writes a text in a colour chosen for its background.
func (d *Painter) Inked(b *text.Label, colour display.Colour) {
	if b.Text == "" {
		return
	}
	d.Label(b)
	d.List.Ops[len(d.List.Ops)-1].Fill = colour
}

// GlyphEye draws an eye without a background.
func (d *Painter) GlyphEye(x, y, r float64, c display.Colour) {
	how := Pen{Colour: c, Width: max(1, r*0.3)}
	d.curve(geom.Curve(x-r*1.3, y, x-r*0.5, y-r*1.2, x+r*0.5, y-r*1.2, x+r*1.3, y), how, 0)
	d.curve(geom.Curve(x-r*1.3, y, x-r*0.5, y+r*1.2, x+r*0.5, y+r*1.2, x+r*1.3, y), how, 0)
	d.Circle(x, y, r*0.4, c, Pen{})
}

// Paint draws it.
func (w *Wire) Paint(d *Painter) {
	how := Pen{Colour: d.Theme.Edge, Width: max(1, 1.4*d.Sizes.K)}
	if w.Look >= RingHead {
		how = Pen{Colour: d.Theme.Signal, Width: max(2.5, 4*d.Sizes.K)}
	}
	switch w.Look {
	case BentWire, RingWire:
		d.curve(w.Cubic, how, 0)
		return
	case RowWire:
		how.Width = max(1, 1.3*d.Sizes.K)
	case Divider:
		how = Pen{Colour: d.Theme.Faint, Width: max(1, 1.2*d.Sizes.K), Dash: 2, Gap: 5}
	}
	d.dashed(w.Cubic, how, 0)
}

// Halo emphasizes what is in focus.
func (d *Painter) Halo(r geom.Rect) {
	k := d.Sizes.K
	how := Pen{Colour: d.Theme.Signal, Width: max(1.5, 2*k), Dash: 2, Gap: 3}
	d.Panel(r.Grown(4*k), 9*k, d.Theme.Signal.Fade(0.14), how)
}

// Paint draws it.
func (b *Tab) Paint(d *Painter) {
	switch {
	case b.Bar:
		d.Panel(b.Rect, 2, d.Theme.Accent, Pen{})
	case b.Shown:
		d.Tag(&b.Tag, d.Theme.Accent, Pen{})
	}
}

// Clock draws a small clock face with two hands.
func (d *Painter) Clock(x, y, r float64, how Pen) {
	d.Circle(x, y, r, 0, how)
	d.Line(x, y-r*0.55, x, y, how)
	d.Line(x, y, x+r*0.4, y+r*0.25, how)
}

// OffClock draws the clock of something whose time is off, if it is.
func (d *Painter) OffClock(c geom.Round) {
	if c.R > 0 {
		d.Clock(c.X, c.Y, c.R, Pen{Colour: d.Theme.Signal, Width: max(1.2, c.R*0.22)})
	}
}

// Pause draws the sign of what is paused, if it is.
func (d *Painter) Pause(c geom.Round) {
	if c.R == 0 {
		return
	}
	x, y, r := c.X, c.Y, c.R
	d.Circle(x, y, r, d.Theme.Ink, Pen{Colour: d.Theme.Paper, Width: max(1, 1.4*d.Sizes.K)})
	how := Pen{Colour: d.Theme.Paper, Width: max(1.2, r*0.3)}
	d.Line(x-r*0.28, y-r*0.4, x-r*0.28, y+r*0.4, how)
	d.Line(x+r*0.28, y-r*0.4, x+r*0.28, y+r*0.4, how)
}

// RunsOut draws a bar of the time left.
func (d *Painter) RunsOut(r geom.Rect, left float64, low bool) {
	if r.W <= 0 {
		return
	}
	colour := d.Theme.Accent
	if low {
		colour = d.Theme.Signal
	}
	d.Panel(r, r.H/2, d.Theme.Faint, Pen{})
	if w := r.W * left; w > 0 {
		d.Panel(geom.R(r.X, r.Y, max(w, min(r.H, r.W)), r.H), r.H/2, colour, Pen{})
	}
}

// Paint draws a client at the server that it is connected to.
func (v *Visit) Paint(d *Painter) {
	colour := d.Theme.Of(v.Index)
	if v.Refused {
		d.Circle(v.X, v.Y, v.R, d.Theme.Card, Pen{Colour: colour, Width: max(1.2, 1.6*d.Sizes.K), Dash: 2, Gap: 2})
		d.Line(v.X-v.R, v.Y+v.R, v.X+v.R, v.Y-v.R, Pen{Colour: d.Theme.Signal, Width: max(1.6, 2*d.Sizes.K)})
		d.Inked(&v.Letter, d.Theme.Ink)
		return
	}
	d.Circle(v.X, v.Y, v.R, colour, Pen{})
	d.put(display.Op{Kind: display.Text, Text: v.Letter.Text, X: d.X + float32(v.Letter.X), Y: d.Y + float32(v.Letter.Y),
		W: float32(v.Letter.Room), Size: float32(v.Letter.Face.Size), Bold: true, Anchor: text.Middle, Fill: On(colour)})
}

// Wire is a line of the tree of znodes, between two groups of clients, or of a ring of clients.
type Wire struct {
	geom.Cubic
	Look WireLook
}

// WireLook is the shape of a wire.
type WireLook uint8

const (
	StraightWire WireLook = iota
	BentWire
	RowWire // from a row of a tree to one below it
	Divider
	RingHead // of an arrow
	RingWire // between clients that wait for each other
)

// Tab is the tab on top of a card that says who is inside, or a bar without room for words.
type Tab struct {
	Shown bool
	Bar   bool
	text.Tag
}

// Visit is a client at a server.
type Visit struct {
	X, Y, R float64
	Index   int
	Refused bool // the server has just refused it
	Letter  text.Label
}
