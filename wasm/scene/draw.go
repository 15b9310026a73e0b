package scene

import "math"

// rect is a place on the picture, px.
type rect struct{ x, y, w, h float64 }

func (r rect) right() float64  { return r.x + r.w }
func (r rect) bottom() float64 { return r.y + r.h }
func (r rect) midX() float64   { return r.x + r.w/2 }
func (r rect) midY() float64   { return r.y + r.h/2 }

// grown is r, larger by d on every side.
func (r rect) grown(d float64) rect { return rect{r.x - d, r.y - d, r.w + 2*d, r.h + 2*d} }

func (f *Frame) put(op Op) { f.Ops = append(f.Ops, op) }

func (f *Frame) hit(id string, r rect) {
	f.Hits = append(f.Hits, Hit{ID: id, X: float32(r.x), Y: float32(r.y), W: float32(r.w), H: float32(r.h)})
}

// pen is how an outline is drawn.
type pen struct {
	colour    Colour
	width     float64
	dash, gap float64
}

func (f *Frame) panel(r rect, radius float64, fill Colour, p pen) {
	f.put(Op{Kind: Rect, X: float32(r.x), Y: float32(r.y), W: float32(r.w), H: float32(r.h), R: float32(min(radius, r.h/2, r.w/2)),
		Fill: fill, Stroke: p.colour, Width: float32(p.width), Dash: float32(p.dash), Gap: float32(p.gap)})
}

func (f *Frame) circle(x, y, r float64, fill Colour, p pen) {
	f.put(Op{Kind: Circle, X: float32(x), Y: float32(y), R: float32(r), Fill: fill,
		Stroke: p.colour, Width: float32(p.width), Dash: float32(p.dash), Gap: float32(p.gap)})
}

// arc runs clockwise from twelve o'clock over part of the circle.
func (f *Frame) arc(x, y, r, part float64, p pen) {
	f.put(Op{Kind: Arc, X: float32(x), Y: float32(y), R: float32(r), To: float32(part * 2 * math.Pi),
		Stroke: p.colour, Width: float32(p.width)})
}

func (f *Frame) line(x, y, x3, y3 float64, p pen) {
	f.put(Op{Kind: Line, X: float32(x), Y: float32(y), X3: float32(x3), Y3: float32(y3),
		Stroke: p.colour, Width: float32(p.width), Dash: float32(p.dash), Gap: float32(p.gap)})
}

// text writes s unless it is empty; room is how wide it may be.
func (f *Frame) text(s string, x, y float64, a face, anchor Anchor, fill Colour, room float64) {
	if s == "" {
		return
	}
	f.put(Op{Kind: Text, Text: s, X: float32(x), Y: float32(y), W: float32(room), Size: float32(a.size),
		Bold: a.bold, Mono: a.mono, Anchor: anchor, Fill: fill})
}

// middle writes s around x, with its middle height at y.
func (f *Frame) middle(s string, x, y float64, a face, fill Colour, room float64) {
	f.text(s, x, y+a.size*0.36, a, Middle, fill, room)
}

// cross marks what is lost, dead or cut.
func (f *Frame) cross(x, y, r float64, p pen) {
	f.line(x-r, y-r, x+r, y+r, p)
	f.line(x-r, y+r, x+r, y-r, p)
}

// eye marks the znode at which a watch is armed.
func (f *Frame) eye(x, y, r float64, c Colour) {
	f.circle(x, y, r*1.15, f.t.Paper.Fade(float64(c&0xff)/255), pen{})
	f.curve(cubic{x - r, y, x - r*0.4, y - r, x + r*0.4, y - r, x + r, y}, pen{colour: c, width: max(1, r*0.26)}, 0)
	f.curve(cubic{x - r, y, x - r*0.4, y + r, x + r*0.4, y + r, x + r, y}, pen{colour: c, width: max(1, r*0.26)}, 0)
	f.circle(x, y, r*0.36, c, pen{})
}
