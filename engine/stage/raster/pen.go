package raster

import (
	"math"
	"slices"
)

// pen draws lines.
type pen struct {
	half  float64 // of its width
	round bool    // has round ends
}

// outline returns the outlines of what a pen draws along a line.
func (p pen) outline(along []point, closed bool) [][]point {
	along = slices.CompactFunc(slices.Clone(along), func(a, b point) bool { return a.distance(b) < 1e-3 })
	if closed && len(along) > 1 && along[0].distance(along[len(along)-1]) < 1e-3 {
		along = along[:len(along)-1]
	}
	switch {
	case len(along) < 2 && !p.round:
		return nil
	case len(along) < 2:
		return [][]point{arc(along[0], p.half, 0, 2*math.Pi)}
	case closed:
		return p.ring(along)
	}
	right, left := offset(along, p.half, false), offset(along, -p.half, false)
	slices.Reverse(left)
	start, end := along[0], along[len(along)-1]
	return [][]point{slices.Concat(right, p.end(end, right[len(right)-1]), left, p.end(start, left[len(left)-1]))}
}

// ring returns the outlines of a closed line: the outer one, and the hole if the pen leaves one.
func (p pen) ring(along []point) [][]point {
	outer, inner := offset(along, p.half, true), offset(along, -p.half, true)
	if reach(outer) < reach(inner) {
		outer, inner = inner, outer
	}
	if reach(along) <= p.half {
		return [][]point{outer}
	}
	slices.Reverse(inner)
	return [][]point{outer, inner}
}

// reach returns half of the smaller of a line's width and height.
func reach(along []point) float64 {
	x0, y0, x1, y1 := math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	for _, q := range along {
		x0, y0, x1, y1 = min(x0, q.x), min(y0, q.y), max(x1, q.x), max(y1, q.y)
	}
	return min(x1-x0, y1-y0) / 2
}

// end returns the round end of a line around a point, from one of its sides to the other.
func (p pen) end(at, side point) []point {
	if !p.round {
		return nil
	}
	from := math.Atan2(side.x-at.x, at.y-side.y)
	return arc(at, p.half, from, from-math.Pi)
}

// sharpest is how many times farther than the line's sides its corners may stick out.
const sharpest = 2

// offset returns a line beside another, at a distance to its right when looking along it with y downwards; to its left
// if the distance is negative.
func offset(along []point, distance float64, closed bool) []point {
	n := len(along)
	normal := func(i int) point { // of the piece that begins at i
		a, b := along[(i+n)%n], along[(i+1)%n]
		length := a.distance(b)
		return point{-(b.y - a.y) / length, (b.x - a.x) / length}
	}
	beside := make([]point, n)
	for i, at := range along {
		before, after := normal(i-1), normal(i)
		if !closed && i == 0 {
			before = after
		}
		if !closed && i == n-1 {
			after = before
		}
		m := point{before.x + after.x, before.y + after.y}
		stretch := 2 / (m.x*m.x + m.y*m.y)
		if stretch > sharpest {
			m, stretch = after, 1
		}
		beside[i] = point{at.x + m.x*stretch*distance, at.y + m.y*stretch*distance}
	}
	return beside
}
