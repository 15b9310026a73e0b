package raster

import (
	"image"
	"math"
	"strings"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/gomonobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// style is a font in a size.
type style struct {
	size       float64
	bold, mono bool
}

// labels has the styles in use.
type labels map[style]font.Face

// face returns a style's face.
func (l labels) face(s style) (font.Face, error) {
	if face, ok := l[s]; ok {
		return face, nil
	}
	ttf := goregular.TTF
	switch {
	case s.mono && s.bold:
		ttf = gomonobold.TTF
	case s.mono:
		ttf = gomono.TTF
	case s.bold:
		ttf = gobold.TTF
	}
	parsed, err := opentype.Parse(ttf)
	if err != nil {
		return nil, err
	}
	face, err := opentype.NewFace(parsed, &opentype.FaceOptions{Size: s.size, DPI: 72, Hinting: font.HintingNone})
	l[s] = face
	return face, err
}

// standIns has signs of the scene that the Go fonts lack, each with one that they have.
var standIns = strings.NewReplacer("✗", "×", "◂", "◄")

// A check mark, which they lack, too, is drawn in the room of another sign.
const checkMark, checkRoom = "✓", "√"

// text draws a label, in a smaller size if it is wider than its room.
func (c *canvas) text(o *display.Op) error {
	parts := strings.Split(standIns.Replace(string(text.Clean(nil, o.Text))), checkMark)
	label := strings.Join(parts, checkRoom)
	if label == "" || o.Size <= 0 || o.Fill&0xff == 0 {
		return nil
	}
	s := style{float64(o.Size) * c.scale, o.Bold, o.Mono}
	face, err := c.labels.face(s)
	if err != nil {
		return err
	}
	width, room := font.MeasureString(face, label), float64(o.W)*c.scale
	if wide := float64(width) / 64; room > 0 && wide > room {
		s.size = max(math.Floor(s.size*room/wide*2)/2, 1) // as wasm/draw does
		if face, err = c.labels.face(s); err != nil {
			return err
		}
		width = font.MeasureString(face, label)
	}
	dot := fixed.Point26_6{X: fixed.Int26_6(float64(o.X) * c.scale * 64), Y: fixed.Int26_6(float64(o.Y) * c.scale * 64)}
	switch o.Anchor {
	case text.Middle:
		dot.X -= width / 2
	case text.End:
		dot.X -= width
	}
	d := font.Drawer{Dst: c.image, Src: image.NewUniform(nrgba(o.Fill)), Face: face, Dot: dot}
	for i, part := range parts {
		if i > 0 {
			c.check(float64(d.Dot.X)/64, float64(d.Dot.Y)/64, s.size, o.Fill)
			d.Dot.X += font.MeasureString(face, checkRoom)
		}
		d.DrawString(part)
	}
	return nil
}

// check draws a check mark of a text's size from x on, on a line at y.
func (c *canvas) check(x, y, size float64, ink display.Colour) {
	at := func(right, up float64) point { return point{x + right*size, y - up*size} }
	stroke := pen{half: size * 0.055, round: true}
	c.fill(stroke.outline([]point{at(0.06, 0.3), at(0.2, 0.08), at(0.48, 0.62)}, false), ink)
}
