package text

import (
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
)

// Anchor says which part of a text stands at its X.
type Anchor uint8

const (
	Start Anchor = iota
	Middle
	End
)

// Label is a text in its place: x and y are on the baseline, at the anchor; room is its maximum width.
type Label struct {
	_          [0]func() // as view.Incomparable
	Text       string
	X, Y, Room float64
	Face       Face
	Anchor     Anchor
	Ink        Ink
	Alpha      float64
}

// Ink is the colour of a text in the theme.
type Ink uint8

const (
	InkPlain Ink = iota
	InkSoft
	InkSignal
	InkOnSignal
	InkOnAccent
)

// Tag is a text on a coloured background.
type Tag struct {
	geom.Rect
	Radius float64
	Text   Label
}

// At returns a label, or none if the text is empty.
//
//go:noinline
func At(s string, x, y float64, a Face, anchor Anchor, i Ink, room float64) Label {
	return Label{Text: s, X: x, Y: y, Room: room, Face: a, Anchor: anchor, Ink: i, Alpha: 1}
}

// Centred returns a label centred on x, y.
//
//go:noinline
func Centred(s string, x, y float64, a Face, i Ink, room float64) Label {
	return At(s, x, y+a.Size*0.36, a, Middle, i, room)
}

// CentredFrom returns a label that begins at x and is vertically centred on y.
//
//go:noinline
func CentredFrom(s string, x, y float64, a Face, i Ink, room float64) Label {
	return At(s, x, y+a.Size*0.36, a, Start, i, room)
}

// Faded returns the label with another opacity.
func (b Label) Faded(alpha float64) Label {
	b.Alpha = alpha
	return b
}

// Bounds returns the rectangle of the text, estimated as in Op.Bounds.
func (b *Label) Bounds() geom.Rect {
	w := b.Face.Width(b.Text)
	return geom.R(b.X-w*float64(b.Anchor)/2, b.Y-b.Face.Size*0.75, w, b.Face.Size*0.95)
}
