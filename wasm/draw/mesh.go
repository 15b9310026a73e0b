// Package draw puts a display list (wasm/scene) on an Ebiten screen: one shader, one sheet of labels, one
// DrawTrianglesShader call for each 16,000 shapes.
//
// It decides nothing about what is shown or where. The geometry and the packing of labels are plain Go and
// are tested natively; the files that touch Ebiten or the browser build for js/wasm alone.
package draw

import (
	"math"
	"slices"
)

// Vertex has the layout of ebiten.Vertex, so that a mesh can be handed over without being copied.
//
// Src is a place on the label sheet for a glyph, and a place relative to the shape itself for all others.
// Custom says which shape it is and how big; see shader.kage.
type Vertex struct {
	DstX, DstY     float32
	SrcX, SrcY     float32
	R, G, B, A     float32 // premultiplied
	C0, C1, C2, C3 float32
}

// The shapes, as Custom3 of a vertex. An outline's and an arc's width is added to it.
const (
	shapeGlyphs  = 0
	shapeStroke  = 1
	shapeBox     = 2
	shapeOutline = 100
	shapeArc     = 1000
)

// MaxVertices is how many vertices one draw call takes: indices have 16 bits.
const MaxVertices = 1<<16 - 8

// fringe is how far, in pixels, a shape's quad reaches beyond it, for the anti-aliased edge.
const fringe = 1

// Point is a place on the screen, in device pixels.
type Point struct{ X, Y float32 }

// Colour is premultiplied, each part from 0 to 1.
type Colour struct{ R, G, B, A float32 }

// Mesh collects triangles, in the order they are painted. Its zero value is empty and ready to use. Reset
// and reuse it: in the steady state it does not allocate.
type Mesh struct {
	Vertices []Vertex
	Indices  []uint16
	points   []Point // of the curve under way
}

// Reset empties the mesh and keeps its memory.
func (m *Mesh) Reset() { m.Vertices, m.Indices = m.Vertices[:0], m.Indices[:0] }

// Room reports whether n more vertices fit into one draw call.
func (m *Mesh) Room(n int) bool { return len(m.Vertices)+n <= MaxVertices }

// shape is what all vertices of one quad have in common.
type shape struct {
	colour         Colour
	c0, c1, c2, c3 float32
}

// quad makes room for four vertices, given as two edges, and joins them to two triangles. The caller writes
// every part of them.
func (m *Mesh) quad() *[4]Vertex {
	n := len(m.Vertices)
	m.Vertices = slices.Grow(m.Vertices, 4)[:n+4]
	i := uint16(n)
	m.Indices = append(m.Indices, i, i+1, i+2, i+1, i+3, i+2)
	return (*[4]Vertex)(m.Vertices[n:])
}

// centred adds an upright quad with half its size hw, hh round the shape's centre.
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

// Box fills a rectangle whose corners have the radius r, 0 for square ones.
func (m *Mesh) Box(x, y, w, h, r float32, c Colour) {
	hw, hh := w/2, h/2
	m.centred(x+hw, y+hh, hw, hh, &shape{c, hw, hh, min(r, hw, hh), shapeBox})
}

// Outline strokes such a rectangle with a line of the width, half of it inside.
func (m *Mesh) Outline(x, y, w, h, r, width float32, c Colour) {
	hw, hh := w/2, h/2
	s := shape{c, hw, hh, min(r, hw, hh), shapeOutline + min(width, 99)}
	cx, cy, ow, oh := x+hw, y+hh, hw+width/2+fringe, hh+width/2+fringe
	side := width + 2*fringe
	end := max(s.c2+width/2, width) + 2*fringe // with the corners
	if side >= ow || end >= oh {
		m.part(cx, cy, -ow, -oh, ow, oh, &s)
		return
	}
	// What is inside, most of it, is left alone.
	m.part(cx, cy, -ow, -oh, ow, end-oh, &s)
	m.part(cx, cy, -ow, oh-end, ow, oh, &s)
	m.part(cx, cy, -ow, end-oh, side-ow, oh-end, &s)
	m.part(cx, cy, ow-side, end-oh, ow, oh-end, &s)
}

// Disc fills a circle.
func (m *Mesh) Disc(x, y, r float32, c Colour) {
	m.centred(x, y, r, r, &shape{c, r, r, r, shapeBox})
}

// Arc strokes a part of a circle, clockwise from start over sweep, in radians; 0 is to the right.
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

// turn turns the last quad's shape, so that what lay in the direction of the sine and the cosine lies on the right.
func (m *Mesh) turn(sin, cos float32) {
	for i := len(m.Vertices) - 4; i < len(m.Vertices); i++ {
		v := &m.Vertices[i]
		v.SrcX, v.SrcY = cos*v.SrcX+sin*v.SrcY, cos*v.SrcY-sin*v.SrcX
	}
}
