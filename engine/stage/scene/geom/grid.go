package geom

import (
	"math"
)

// Grid packs squares into a rectangle, as large as they fit.
type Grid struct {
	Rect
	cols int
	Cell float64
}

// Pack returns the grid of at most most px a side in which n squares fit into a rectangle.
func Pack(n int, r Rect, most float64) Grid {
	if n <= 0 || r.W <= 0 || r.H <= 0 {
		return Grid{Rect: r, cols: 1, Cell: 1}
	}
	cell := math.Sqrt(r.W * r.H / float64(n))
	for cell > 0.5 && int(r.W/cell)*int(r.H/cell) < n {
		cell *= 0.97
	}
	cell = min(cell, most)
	return Grid{Rect: r, cols: max(int(r.W/cell), 1), Cell: cell}
}

// At returns the centre of square i.
func (g *Grid) At(i int) (x, y float64) {
	return g.X + (float64(i%g.cols)+0.5)*g.Cell, g.Y + (float64(i/g.cols)+0.5)*g.Cell
}
