package draw

import (
	"math"
	"slices"
)

// Dash is a dash pattern in pixels. The zero value is a solid line.
type Dash struct {
	On, Off float32
	Phase   float32 // offset into the pattern
}

// flat is the maximum distance, in pixels, of a curve's chord from the curve.
const flat = 0.15

// maxSegments is the maximum number of segments of a curve.
const maxSegments = 32

// Line strokes a straight line.
func (m *Mesh) Line(x1, y1, x2, y2, width float32, d Dash, c Colour) {
	m.points = append(m.points[:0], Point{x1, y1}, Point{x2, y2})
	m.strip(m.points, width, d, c)
}

// Curve strokes a cubic Bézier curve.
func (m *Mesh) Curve(p0, p1, p2, p3 Point, width float32, d Dash, c Colour) {
	n := segments(p0, p1, p2, p3)
	m.points = m.points[:0]
	for i := range n + 1 {
		m.points = append(m.points, bezier(p0, p1, p2, p3, float32(i)/float32(n)))
	}
	m.strip(m.points, width, d, c)
}

// OutlineDashed strokes a rounded rectangle with dashes, clockwise from the end of the top left corner.
func (m *Mesh) OutlineDashed(x, y, w, h, r, width float32, d Dash, c Colour) {
	r = min(r, w/2, h/2)
	m.points = append(m.points[:0], Point{x + r, y})
	m.corner(x+w-r, y+r, r, -math.Pi/2)
	m.corner(x+w-r, y+h-r, r, 0)
	m.corner(x+r, y+h-r, r, math.Pi/2)
	m.corner(x+r, y+r, r, math.Pi)
	m.strip(m.points, width, d, c)
}

// Ring strokes a circle with dashes.
func (m *Mesh) Ring(x, y, r, width float32, d Dash, c Colour) {
	m.OutlineDashed(x-r, y-r, 2*r, 2*r, r, width, d, c)
}

// maxCorner is the maximum number of segments of a quarter circle.
const maxCorner = 16

// corner adds a quarter circle to the path.
func (m *Mesh) corner(cx, cy, r float32, from float64) {
	parts := cornerParts(r)
	for i := range parts + 1 {
		sin, cos := math.Sincos(from + float64(i)*math.Pi/2/float64(parts))
		m.points = append(m.points, Point{cx + r*float32(cos), cy + r*float32(sin)})
	}
}

// cornerParts returns how many straight pieces a quarter circle needs to look round: the error of a piece is
// r(1-cos(angle/2)).
func cornerParts(r float32) int {
	if r <= flat {
		return 1
	}
	angle := 2 * math.Acos(1-flat/float64(r))
	return min(int(math.Pi/2/angle)+1, maxCorner)
}

// strip strokes a path as a band with two vertices at each point, which know how far along they are. A solid band is
// extended at both ends for round caps.
func (m *Mesh) strip(points []Point, width float32, d Dash, c Colour) {
	n := len(points)
	if n < 2 || !m.Room(2*n) {
		return
	}
	half := width/2 + fringe
	s := shape{c, width / 2, d.On, d.On + d.Off, shapeStroke}
	solid := d.On <= 0 || d.Off <= 0
	along := d.Phase
	if solid {
		s.c1, s.c2 = pathLength(points), 0
		extend(points, half)
		along = -half
	}
	base := len(m.Vertices)
	m.Vertices = slices.Grow(m.Vertices, 2*n)[:base+2*n]
	for i, p := range points {
		nx, ny := normal(points, i)
		if i > 0 {
			along += distance(points[i-1], p)
			k := uint16(base + 2*i)
			m.Indices = append(m.Indices, k-2, k-1, k, k-1, k+1, k)
		}
		pair := m.Vertices[base+2*i:]
		pair[0].set(p.X-nx*half, p.Y-ny*half, along, -half, &s)
		pair[1].set(p.X+nx*half, p.Y+ny*half, along, half, &s)
	}
}

func pathLength(points []Point) (l float32) {
	for i := 1; i < len(points); i++ {
		l += distance(points[i-1], points[i])
	}
	return l
}

// extend moves both ends outwards by d.
func extend(points []Point, d float32) {
	last := len(points) - 1
	nx, ny := normal(points, 0)
	mx, my := normal(points, last)
	points[0].X, points[0].Y = points[0].X-ny*d, points[0].Y+nx*d
	points[last].X, points[last].Y = points[last].X+my*d, points[last].Y-mx*d
}

// normal returns the unit vector across the path at point i.
func normal(points []Point, i int) (x, y float32) {
	a, b := points[max(i-1, 0)], points[min(i+1, len(points)-1)]
	l := distance(a, b)
	if l == 0 {
		return 0, 0
	}
	return -(b.Y - a.Y) / l, (b.X - a.X) / l
}

func distance(a, b Point) float32 {
	dx, dy := float64(b.X-a.X), float64(b.Y-a.Y)
	return float32(math.Sqrt(dx*dx + dy*dy))
}

// segments returns how many straight pieces a curve needs to look smooth: the error of a piece grows with the second
// difference of the control points and falls with the square of the number of pieces.
func segments(p0, p1, p2, p3 Point) int {
	bend := max(distance(Point{p0.X + p2.X, p0.Y + p2.Y}, Point{2 * p1.X, 2 * p1.Y}),
		distance(Point{p1.X + p3.X, p1.Y + p3.Y}, Point{2 * p2.X, 2 * p2.Y}))
	n := int(math.Sqrt(float64(bend)*0.75/flat)) + 1
	return min(n, maxSegments)
}

func bezier(p0, p1, p2, p3 Point, t float32) Point {
	u := 1 - t
	a, b, c, d := u*u*u, 3*u*u*t, 3*u*t*t, t*t*t
	return Point{a*p0.X + b*p1.X + c*p2.X + d*p3.X, a*p0.Y + b*p1.Y + c*p2.Y + d*p3.Y}
}
