// Package draw paints a display list (engine/stage/scene) on an Ebiten screen: with one shader, one atlas of
// labels, and one DrawTrianglesShader call for each 16,000 shapes.
//
// It doesn't decide what is shown or where. The geometry and the packing of labels are plain Go with native tests; the
// files that use Ebiten or the browser build only for js/wasm.
package draw

import (
	"math"
	"slices"
)

// Vertex has the layout of ebiten.Vertex, so that a mesh needn't be copied.
//
// Src is a place on the label atlas for a glyph, and relative to the shape's centre for all others. Custom holds the
// kind of shape and its size; see shader.kage.
type Vertex struct {
	DstX, DstY     float32
	SrcX, SrcY     float32
	R, G, B, A     float32 // premultiplied
	C0, C1, C2, C3 float32
}

// The shapes, as Custom3 of a vertex, plus the line width for outlines and arcs.
const (
	shapeGlyphs  = 0
	shapeStroke  = 1
	shapeBox     = 2
	shapeOutline = 100
	shapeArc     = 1000
)

// MaxVertices is the maximum number of vertices in a draw call: indices have 16 bits.
const MaxVertices = 1<<16 - 8

// fringe is how far, in pixels, a shape's quad extends beyond it, for the anti-aliased edge.
const fringe = 1

// Point is a point on the screen, in device pixels.
type Point struct{ X, Y float32 }

// Colour is premultiplied, with components from 0 to 1.
type Colour struct{ R, G, B, A float32 }

// Mesh collects triangles in painting order. Its zero value is empty and ready to use. Reset and reuse it: then it
// doesn't allocate in the long run.
type Mesh struct {
	Vertices []Vertex
	Indices  []uint16
	points   []Point // of the current curve
}

// Reset empties the mesh and keeps its memory.
func (m *Mesh) Reset() { m.Vertices, m.Indices = m.Vertices[:0], m.Indices[:0] }

// Room reports whether n more vertices fit into one draw call.
func (m *Mesh) Room(n int) bool { return len(m.Vertices)+n <= MaxVertices }

// shape holds what all vertices of a quad have in common.
type shape struct {
	colour         Colour
	c0, c1, c2, c3 float32
}

// quad adds four vertices, as two edges, and two triangles. The caller sets every field of the vertices.
func (m *Mesh) quad() *[4]Vertex {
	n := len(m.Vertices)
	m.Vertices = slices.Grow(m.Vertices, 4)[:n+4]
	i := uint16(n)
	m.Indices = append(m.Indices, i, i+1, i+2, i+1, i+3, i+2)
	return (*[4]Vertex)(m.Vertices[n:])
}

// centred adds an upright quad of half size hw, hh around the shape's centre.
func (m *Mesh) centred(x, y, hw, hh float32, s *shape) {
	hw, hh = hw+fringe, hh+fringe
	m.part(x, y, -hw, -hh, hw, hh, s)
}

// part adds an upright quad from one corner to another, relative to the shape's centre.
func (m *Mesh) part(x, y, x0, y0, x1, y1 float32, s *shape) {
	q := m.quad()
	q[0].set(x+x0, y+y0, x0, y0, s)
	q[1].set(x+x1, y+y0, x1, y0, s)
	q[2].set(x+x0, y+y1, x0, y1, s)
	q[3].set(x+x1, y+y1, x1, y1, s)
}

func (v *Vertex) set(x, y, sx, sy float32, s *shape) {
	v.DstX, v.DstY, v.SrcX, v.SrcY = x, y, sx, sy
	v.R, v.G, v.B, v.A = s.colour.R, s.colour.G, s.colour.B, s.colour.A
	v.C0, v.C1, v.C2, v.C3 = s.c0, s.c1, s.c2, s.c3
}

// Box fills a rectangle with corner radius r, 0 for square corners.
func (m *Mesh) Box(x, y, w, h, r float32, c Colour) {
	hw, hh := w/2, h/2
	m.centred(x+hw, y+hh, hw, hh, &shape{c, hw, hh, min(r, hw, hh), shapeBox})
}

// Outline strokes such a rectangle with a line of the given width, half of it inside.
func (m *Mesh) Outline(x, y, w, h, r, width float32, c Colour) {
	hw, hh := w/2, h/2
	s := shape{c, hw, hh, min(r, hw, hh), shapeOutline + min(width, 99)}
	cx, cy, ow, oh := x+hw, y+hh, hw+width/2+fringe, hh+width/2+fringe
	side := width + 2*fringe
	end := max(s.c2+width/2, width) + 2*fringe // including the corners
	if side >= ow || end >= oh {
		m.part(cx, cy, -ow, -oh, ow, oh, &s)
		return
	}
	// Most of the inside is left out.
	m.part(cx, cy, -ow, -oh, ow, end-oh, &s)
	m.part(cx, cy, -ow, oh-end, ow, oh, &s)
	m.part(cx, cy, -ow, end-oh, side-ow, oh-end, &s)
	m.part(cx, cy, ow-side, end-oh, ow, oh-end, &s)
}

// Disc fills a circle.
func (m *Mesh) Disc(x, y, r float32, c Colour) {
	m.centred(x, y, r, r, &shape{c, r, r, r, shapeBox})
}

// Arc strokes a part of a circle, clockwise from start by sweep, in radians; 0 is to the right.
func (m *Mesh) Arc(x, y, r, start, sweep, width float32, c Colour) {
	if sweep < 0 {
		start, sweep = start+sweep, -sweep
	}
	half := min(float64(sweep)/2, math.Pi)
	sin, cos := math.Sincos(half)
	s := shape{c, r, float32(sin), float32(cos), shapeArc + min(width, 99)}
	m.centred(x, y, r+width/2, r+width/2, &s)
	sin, cos = math.Sincos(float64(start) + half)
	m.turn(float32(sin), float32(cos))
}

// turn rotates the last quad's shape so that the direction with this sine and cosine points right.
func (m *Mesh) turn(sin, cos float32) {
	for i := len(m.Vertices) - 4; i < len(m.Vertices); i++ {
		v := &m.Vertices[i]
		v.SrcX, v.SrcY = cos*v.SrcX+sin*v.SrcY, cos*v.SrcY-sin*v.SrcX
	}
}
