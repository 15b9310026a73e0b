package scene

// rect is a place on the picture, px.
type rect struct{ x, y, w, h float64 }

func (r rect) right() float64  { return r.x + r.w }
func (r rect) bottom() float64 { return r.y + r.h }
func (r rect) midX() float64   { return r.x + r.w/2 }
func (r rect) midY() float64   { return r.y + r.h/2 }

// grown is r, larger by d on every side.
func (r rect) grown(d float64) rect { return rect{r.x - d, r.y - d, r.w + 2*d, r.h + 2*d} }
