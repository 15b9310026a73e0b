package scene

// rect is a rectangle of the picture, in px.
type rect struct{ x, y, w, h float64 }

func (r rect) right() float64  { return r.x + r.w }
func (r rect) bottom() float64 { return r.y + r.h }
func (r rect) midX() float64   { return r.x + r.w/2 }
func (r rect) midY() float64   { return r.y + r.h/2 }

// grown returns r, larger by d on every side.
func (r rect) grown(d float64) rect { return rect{r.x - d, r.y - d, r.w + 2*d, r.h + 2*d} }

// with returns the smallest rectangle that contains both.
func (r rect) with(o rect) rect {
	x, y := min(r.x, o.x), min(r.y, o.y)
	return rect{x, y, max(r.right(), o.right()) - x, max(r.bottom(), o.bottom()) - y}
}
