package scene

// Plan is a picture in plain values: what is drawn, and where, before it becomes shapes. Layout makes it, Frame paints
// it. All lengths are CSS px, from the picture's upper left corner. Each list is painted in its order.
type Plan struct {
	Width, Height float64
	// Moving reports whether the same State would look different later.
	Moving bool

	l *Layout
}
