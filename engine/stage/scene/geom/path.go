package geom

import (
	"math"
)

// Cubic is a Bézier curve.
type Cubic struct{ X0, Y0, X1, Y1, X2, Y2, X3, Y3 float64 }

// Straight returns a line as a curve.
func Straight(x0, y0, x3, y3 float64) Cubic {
	return Cubic{x0, y0, x0 + (x3-x0)/3, y0 + (y3-y0)/3, x0 + (x3-x0)*2/3, y0 + (y3-y0)*2/3, x3, y3}
}

// Upright returns a curve that leaves and arrives vertically.
//
//go:noinline
func Upright(x0, y0, x3, y3 float64) Cubic {
	d := (y3 - y0) * 0.55
	return Cubic{x0, y0, x0, y0 + d, x3, y3 - d, x3, y3}
}

// At returns the point at part t of the curve.
func (c Cubic) At(t float64) (x, y float64) {
	u := 1 - t
	a, b, d, e := u*u*u, 3*u*u*t, 3*u*t*t, t*t*t
	return a*c.X0 + b*c.X1 + d*c.X2 + e*c.X3, a*c.Y0 + b*c.Y1 + d*c.Y2 + e*c.Y3
}

// length estimates the length, closely enough for dashes and pulses.
func (c Cubic) length() float64 {
	chord := Dist(c.X3-c.X0, c.Y3-c.Y0)
	hull := Dist(c.X1-c.X0, c.Y1-c.Y0) + Dist(c.X2-c.X1, c.Y2-c.Y1) + Dist(c.X3-c.X2, c.Y3-c.Y2)
	return (chord + hull) / 2
}

// Dist returns the length of a vector.
func Dist(dx, dy float64) float64 { return math.Sqrt(dx*dx + dy*dy) }

// IsStraight reports whether the curve is an upright or level line.
func (c Cubic) IsStraight() bool {
	return c.X0 == c.X3 && c.X1 == c.X0 && c.X2 == c.X0 || c.Y0 == c.Y3 && c.Y1 == c.Y0 && c.Y2 == c.Y0
}

// Path is a line of up to five curves, from a client to a znode.
type Path struct {
	Part   [5]Cubic
	Length [5]float64
	N      int
}

// Add appends a curve to the path, if there is room.
//
//go:noinline
func (p *Path) Add(c Cubic) {
	if p.N < len(p.Part) {
		p.Part[p.N], p.Length[p.N] = c, c.length()
		p.N++
	}
}

// At returns the point at part t of the way, by length.
func (p *Path) At(t float64) (x, y float64) {
	total := 0.0
	for _, l := range p.Length[:p.N] {
		total += l
	}
	left := t * total
	for i, l := range p.Length[:p.N] {
		if left <= l || i == p.N-1 {
			if l > 0 {
				left /= l
			}
			return p.Part[i].At(min(max(left, 0), 1))
		}
		left -= l
	}
	return 0, 0
}

// Curve returns a Bézier curve from the first point to the last.
func Curve(x0, y0, x1, y1, x2, y2, x3, y3 float64) Cubic {
	return Cubic{x0, y0, x1, y1, x2, y2, x3, y3}
}
