package scene

import (
	"bufio"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// WriteSVG writes the frame as a standalone SVG document. Text is escaped, so no name can inject markup. The
// description says in words what the pictures show that were painted last.
func WriteSVG(w io.Writer, f *Frame, title string) error {
	s := svg{w: bufio.NewWriter(w)}
	s.raw(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 `)
	s.num(f.Width).raw(" ").num(f.Height).raw(`" width="`).num(f.Width).raw(`" height="`).num(f.Height)
	s.raw(`" role="img" font-family="Inter,system-ui,'DejaVu Sans',sans-serif">`)
	s.raw("<title>").text(title).raw("</title>\n")
	s.desc(f)
	s.op(&display.Op{Kind: display.Rect, W: float32(f.Width), H: float32(f.Height), Fill: f.Paper})
	for i := range f.Ops {
		s.op(&f.Ops[i])
	}
	s.raw("</svg>\n")
	return s.w.Flush()
}

// desc writes what the frame's pictures show.
func (s *svg) desc(f *Frame) {
	lines := slices.Clone(f.Told)
	for i, p := range f.plans {
		if len(f.plans) > 1 {
			lines = append(lines, f.names[i])
		}
		for _, e := range p.Tell() {
			lines = append(lines, e.Text)
		}
	}
	if len(lines) == 0 {
		return
	}
	s.raw("<desc>").text(lines[0])
	for _, line := range lines[1:] {
		s.raw("\n").text(line)
	}
	s.raw("</desc>\n")
}

// svg writes the parts of a document; its bufio.Writer keeps the first error.
type svg struct {
	w   *bufio.Writer
	buf []byte
}

//go:noinline
func (s *svg) raw(t string) *svg {
	s.w.WriteString(t)
	return s
}

// num writes a number with at most two decimals, or 0 for NaN and infinity.
func (s *svg) num(v float64) *svg {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		v = 0
	}
	v = math.Round(v*100) / 100
	s.buf = strconv.AppendFloat(s.buf[:0], v+0, 'f', -1, 64)
	s.w.Write(s.buf)
	return s
}

func (s *svg) attr(name string, v float32) *svg {
	return s.raw(" ").raw(name).raw(`="`).num(float64(v)).raw(`"`)
}

// text writes t so that XML reads it back unchanged, less what XML can't hold and what hides or reverses text.
func (s *svg) text(t string) *svg {
	prev := rune(0)
	for _, r := range t {
		switch {
		case r == '&':
			s.raw("&amp;")
		case r == '<':
			s.raw("&lt;")
		case r == '>':
			s.raw("&gt;")
		case r == '"':
			s.raw("&#34;")
		case r == '\'':
			s.raw("&#39;")
		case text.Unsafe(prev, r):
			s.raw("·")
			r = '·'
		default:
			s.w.WriteRune(r)
		}
		prev = r
	}
	return s
}

// colour writes a paint and, unless it is opaque, its opacity.
func (s *svg) colour(name string, c display.Colour) *svg {
	r, g, b, a := c.RGBA()
	if a == 0 {
		return s.raw(" ").raw(name).raw(`="none"`)
	}
	const hex = "0123456789abcdef"
	s.raw(" ").raw(name).raw(`="#`)
	for _, v := range [3]uint8{r, g, b} {
		s.w.WriteByte(hex[v>>4])
		s.w.WriteByte(hex[v&15])
	}
	s.raw(`"`)
	if a < 255 {
		s.raw(" ").raw(name).raw(`-opacity="`).num(float64(a) / 255).raw(`"`)
	}
	return s
}

func (s *svg) stroke(o *display.Op) *svg {
	if o.Width <= 0 || o.Stroke&0xff == 0 {
		return s
	}
	s.colour("stroke", o.Stroke).attr("stroke-width", o.Width)
	if o.Kind >= display.Arc {
		s.raw(` stroke-linecap="round"`)
	}
	if o.Dash > 0 {
		s.raw(` stroke-dasharray="`).num(float64(o.Dash)).raw(" ").num(float64(o.Gap)).raw(`"`)
		if o.Phase != 0 {
			s.attr("stroke-dashoffset", o.Phase)
		}
	}
	return s
}

func (s *svg) op(o *display.Op) {
	switch o.Kind {
	case display.Rect:
		s.raw("<rect").attr("x", o.X).attr("y", o.Y).attr("width", max(o.W, 0)).attr("height", max(o.H, 0))
		if o.R > 0 {
			s.attr("rx", o.R)
		}
		s.colour("fill", o.Fill).stroke(o)
	case display.Circle:
		s.raw("<circle").attr("cx", o.X).attr("cy", o.Y).attr("r", max(o.R, 0)).colour("fill", o.Fill).stroke(o)
	case display.Line:
		s.raw("<line").attr("x1", o.X).attr("y1", o.Y).attr("x2", o.X3).attr("y2", o.Y3).stroke(o)
	case display.Curve:
		s.raw(`<path fill="none" d="M`)
		s.points(o.X, o.Y).raw("C").points(o.X1, o.Y1).raw(" ").points(o.X2, o.Y2).raw(" ").points(o.X3, o.Y3)
		s.raw(`"`).stroke(o)
	case display.Arc:
		s.arc(o)
	case display.Text:
		s.label(o)
		return
	default:
		return
	}
	s.raw("/>\n")
}

func (s *svg) points(x, y float32) *svg {
	return s.num(float64(x)).raw(",").num(float64(y))
}

func (s *svg) arc(o *display.Op) {
	if o.To-o.From >= 2*math.Pi-0.001 {
		s.raw("<circle").attr("cx", o.X).attr("cy", o.Y).attr("r", o.R).raw(` fill="none"`).stroke(o)
		return
	}
	place := func(a float32) (x, y float32) {
		sin, cos := math.Sincos(float64(a))
		return o.X + o.R*float32(sin), o.Y - o.R*float32(cos)
	}
	x, y := place(o.From)
	s.raw(`<path fill="none" d="M`).points(x, y).raw("A").num(float64(o.R)).raw(" ").num(float64(o.R))
	if o.To-o.From > math.Pi {
		s.raw(" 0 1 1 ")
	} else {
		s.raw(" 0 0 1 ")
	}
	x, y = place(o.To)
	s.points(x, y).raw(`"`).stroke(o)
}

func (s *svg) label(o *display.Op) {
	s.raw("<text").attr("x", o.X).attr("y", o.Y).attr("font-size", o.Size).colour("fill", o.Fill)
	switch o.Anchor {
	case text.Middle:
		s.raw(` text-anchor="middle"`)
	case text.End:
		s.raw(` text-anchor="end"`)
	}
	if o.Bold {
		s.raw(` font-weight="700"`)
	}
	if o.Mono {
		s.raw(` font-family="ui-monospace,'DejaVu Sans Mono',monospace"`)
	}
	s.raw(">").text(o.Text).raw("</text>\n")
}
