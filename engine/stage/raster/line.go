package raster

import "math"

// point is a place in pixels.
type point struct{ x, y float64 }

func (p point) to(q point, t float64) point { return point{p.x + (q.x-p.x)*t, p.y + (q.y-p.y)*t} }

func (p point) distance(q point) float64 { return math.Hypot(q.x-p.x, q.y-p.y) }

// box returns the edge of a rectangle with round corners.
func box(at point, w, h, r float64) (edge []point) {
	r = min(r, w/2, h/2)
	if r <= 0 {
		return []point{at, {at.x + w, at.y}, {at.x + w, at.y + h}, {at.x, at.y + h}}
	}
	for i, corner := range [...]point{
		{at.x + w - r, at.y + r}, {at.x + w - r, at.y + h - r}, {at.x + r, at.y + h - r}, {at.x + r, at.y + r},
	} {
		from := float64(i) * math.Pi / 2
		edge = append(edge, arc(corner, r, from, from+math.Pi/2)...)
	}
	return edge
}

// arc returns a line around a centre. Angles go clockwise from twelve o'clock. The end of a whole circle is its start.
func arc(centre point, r, from, to float64) []point {
	pieces := pieces(r * math.Abs(to-from))
	line := make([]point, pieces+1)
	for i := range line {
		sin, cos := math.Sincos(from + (to-from)*float64(i)/float64(pieces))
		line[i] = point{centre.x + r*sin, centre.y - r*cos}
	}
	return line
}

// curve returns the line of a cubic Bézier curve.
func curve(a, b, c, d point) []point {
	pieces := pieces(a.distance(b) + b.distance(c) + c.distance(d))
	line := make([]point, pieces+1)
	for i := range line {
		t := float64(i) / float64(pieces)
		ab, bc, cd := a.to(b, t), b.to(c, t), c.to(d, t)
		line[i] = ab.to(bc, t).to(bc.to(cd, t), t)
	}
	return line
}

// pieces returns the number of straight pieces in which a bent line of a length looks bent.
func pieces(length float64) int { return int(min(max(length/2, 16), 256)) }

// maxDashes bounds the dashes of a line. One that would have more is drawn solid.
const maxDashes = 2000

// dashes returns the parts of a line that a pattern leaves, beginning at a place in the pattern.
func dashes(along []point, dash, gap, phase float64) (parts [][]point) {
	length := 0.0
	for i := range along[1:] {
		length += along[i].distance(along[i+1])
	}
	if gap <= 0 || length/(dash+gap) > maxDashes {
		return [][]point{along}
	}
	phase = math.Mod(phase, dash+gap)
	if phase < 0 {
		phase += dash + gap
	}
	inDash, left := phase < dash, dash-phase // left until the pattern changes
	if !inDash {
		left = dash + gap - phase
	}
	var part []point
	if inDash {
		part = []point{along[0]}
	}
	for i := range along[1:] {
		from, to := along[i], along[i+1]
		rest := from.distance(to)
		for rest > left {
			from, rest = from.to(to, left/rest), rest-left
			if inDash {
				parts, part, left = append(parts, append(part, from)), nil, gap
			} else {
				part, left = []point{from}, dash
			}
			inDash = !inDash
		}
		left -= rest
		if inDash {
			part = append(part, to)
		}
	}
	if inDash {
		parts = append(parts, part)
	}
	return parts
}
