package scene

import "math"

// cubic is a Bézier curve.
type cubic struct{ x0, y0, x1, y1, x2, y2, x3, y3 float64 }

// straight returns a line as a curve.
func straight(x0, y0, x3, y3 float64) cubic {
	return cubic{x0, y0, x0 + (x3-x0)/3, y0 + (y3-y0)/3, x0 + (x3-x0)*2/3, y0 + (y3-y0)*2/3, x3, y3}
}

// upright returns a curve that leaves and arrives vertically.
func upright(x0, y0, x3, y3 float64) cubic {
	d := (y3 - y0) * 0.55
	return cubic{x0, y0, x0, y0 + d, x3, y3 - d, x3, y3}
}

func (c cubic) at(t float64) (x, y float64) {
	u := 1 - t
	a, b, d, e := u*u*u, 3*u*u*t, 3*u*t*t, t*t*t
	return a*c.x0 + b*c.x1 + d*c.x2 + e*c.x3, a*c.y0 + b*c.y1 + d*c.y2 + e*c.y3
}

// length estimates the length, closely enough for dashes and pulses.
func (c cubic) length() float64 {
	chord := dist(c.x3-c.x0, c.y3-c.y0)
	hull := dist(c.x1-c.x0, c.y1-c.y0) + dist(c.x2-c.x1, c.y2-c.y1) + dist(c.x3-c.x2, c.y3-c.y2)
	return (chord + hull) / 2
}

func dist(dx, dy float64) float64 { return math.Sqrt(dx*dx + dy*dy) }

func (c cubic) isStraight() bool {
	return c.x0 == c.x3 && c.x1 == c.x0 && c.x2 == c.x0 || c.y0 == c.y3 && c.y1 == c.y0 && c.y2 == c.y0
}

// path is a line of up to five curves, from a client to a znode.
type path struct {
	part   [5]cubic
	length [5]float64
	n      int
}

func (p *path) add(c cubic) {
	if p.n < len(p.part) {
		p.part[p.n], p.length[p.n] = c, c.length()
		p.n++
	}
}

// at returns the point at part t of the way, by length.
func (p *path) at(t float64) (x, y float64) {
	total := 0.0
	for _, l := range p.length[:p.n] {
		total += l
	}
	left := t * total
	for i, l := range p.length[:p.n] {
		if left <= l || i == p.n-1 {
			if l > 0 {
				left /= l
			}
			return p.part[i].at(min(max(left, 0), 1))
		}
		left -= l
	}
	return 0, 0
}
