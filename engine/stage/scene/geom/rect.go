package geom

// Ease maps 0..1 to 0..1 with a gentle start and stop.
func Ease(t float64) float64 { return t * t * (3 - 2*t) }

// Mix interpolates between a and b.
func Mix(a, b, t float64) float64 { return a + (b-a)*t }

// Round is a round mark; a zero radius means none.
type Round struct{ X, Y, R float64 }

// Rect is a rectangle of the picture, in px.
type Rect struct{ X, Y, W, H float64 }

// Right returns the x of the right edge.
func (r Rect) Right() float64 { return r.X + r.W }

// Bottom returns the y of the lower edge.
func (r Rect) Bottom() float64 { return r.Y + r.H }

// MidX returns the x of the centre.
func (r Rect) MidX() float64 { return r.X + r.W/2 }

// MidY returns the y of the centre.
func (r Rect) MidY() float64 { return r.Y + r.H/2 }

// Grown returns r, larger by d on every side.
func (r Rect) Grown(d float64) Rect { return Rect{r.X - d, r.Y - d, r.W + 2*d, r.H + 2*d} }

// With returns the smallest rectangle that contains both.
//
//go:noinline
func (r Rect) With(o Rect) Rect {
	x, y := min(r.X, o.X), min(r.Y, o.Y)
	return Rect{x, y, max(r.Right(), o.Right()) - x, max(r.Bottom(), o.Bottom()) - y}
}

// Around returns the square around a point.
func Around(x, y, r float64) Rect { return Rect{x - r, y - r, 2 * r, 2 * r} }

// R returns a rectangle.
func R(x, y, w, h float64) Rect { return Rect{x, y, w, h} }
