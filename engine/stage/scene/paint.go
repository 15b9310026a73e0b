package scene

import "math"

// painter turns a plan into shapes, with the plan's upper left corner at x, y. It decides nothing.
type painter struct {
	f    *Frame
	t    *Theme
	m    *metrics
	x, y float32
}

// paint paints everything, from the bottom up.
func (l *Layout) paint(d *painter) {
	f, z := &l.floor, &l.znodes
	l.servers.paint(d)
	l.letters.paint(d)
	z.frame.paint(d)
	all(d, l.remote.nodes.remotes, (*remotePlan).paint)
	all(d, f.wires, (*wire).paint)
	all(d, z.rows, (*nodePlan).paint)
	all(d, l.watches.lines, (*watchPlan).paintLine)
	l.crowd.paintBehind(d)
	all(d, f.texts, (*label).paint)
	all(d, z.cards, (*nodePlan).paint)
	l.crowd.paintTicks(d, l.crowd.ticksAfter)
	l.remote.paint(d)
	all(d, l.clients.links, (*linkPlan).paint)
	paintParticles(d, l.messages.requests)
	l.clients.paint(d)
	l.watches.paintEnds(d)
	paintParticles(d, l.crowd.events)
	l.messages.paint(d)
	l.store.plan.paint(d)
	l.strip.plan.paint(d)
}

// all paints the elements of a list.
func all[T any](d *painter, things []T, paint func(*T, *painter)) {
	for i := range things {
		paint(&things[i], d)
	}
}

// pen is the style of an outline.
type pen struct {
	colour    Colour
	width     float64
	dash, gap float64
}

//go:noinline
func (d *painter) put(op Op) { d.f.Ops = append(d.f.Ops, op) }

func (d *painter) hit(id string, r rect) {
	x, y := d.x+float32(r.x), d.y+float32(r.y)
	d.f.Hits = append(d.f.Hits, Hit{ID: id, X: x, Y: y, W: float32(r.w), H: float32(r.h), Picture: d.f.picture})
}

// leastPart is the smallest side of a part that responds to the pointer.
const leastPart = 24

// part adds a rectangle for a part of a client, enlarged enough to be hit.
func (d *painter) part(h Hit, r rect) {
	w, tall := max(r.w, leastPart), max(r.h, leastPart)
	h.X, h.Y = d.x+float32(r.x-(w-r.w)/2), d.y+float32(r.y-(tall-r.h)/2)
	h.W, h.H, h.Picture = float32(w), float32(tall), d.f.picture
	d.f.Parts = append(d.f.Parts, h)
}

//go:noinline
func (d *painter) panel(r rect, radius float64, fill Colour, p pen) {
	d.put(Op{Kind: Rect, X: d.x + float32(r.x), Y: d.y + float32(r.y), W: float32(r.w), H: float32(r.h),
		R: float32(min(radius, r.h/2, r.w/2)), Fill: fill,
		Stroke: p.colour, Width: float32(p.width), Dash: float32(p.dash), Gap: float32(p.gap)})
}

//go:noinline
func (d *painter) circle(x, y, r float64, fill Colour, p pen) {
	d.put(Op{Kind: Circle, X: d.x + float32(x), Y: d.y + float32(y), R: float32(r), Fill: fill,
		Stroke: p.colour, Width: float32(p.width), Dash: float32(p.dash), Gap: float32(p.gap)})
}

// arc draws clockwise from twelve o'clock over part of the circle.
func (d *painter) arc(x, y, r, part float64, p pen) {
	d.put(Op{Kind: Arc, X: d.x + float32(x), Y: d.y + float32(y), R: float32(r), To: float32(part * 2 * math.Pi),
		Stroke: p.colour, Width: float32(p.width)})
}

//go:noinline
func (d *painter) line(x, y, x3, y3 float64, p pen) {
	d.dashed(cubic{x0: x, y0: y, x3: x3, y3: y3}, p, 0)
}

// dashed draws a line, with an offset into its dash pattern.
//
//go:noinline
func (d *painter) dashed(c cubic, p pen, phase float64) {
	d.put(Op{Kind: Line, X: d.x + float32(c.x0), Y: d.y + float32(c.y0),
		X3: d.x + float32(c.x3), Y3: d.y + float32(c.y3),
		Stroke: p.colour, Width: float32(p.width), Dash: float32(p.dash), Gap: float32(p.gap), Phase: float32(phase)})
}

func (d *painter) curve(c cubic, p pen, phase float64) {
	d.put(Op{Kind: Curve, X: d.x + float32(c.x0), Y: d.y + float32(c.y0),
		X1: d.x + float32(c.x1), Y1: d.y + float32(c.y1),
		X2: d.x + float32(c.x2), Y2: d.y + float32(c.y2), X3: d.x + float32(c.x3), Y3: d.y + float32(c.y3),
		Stroke: p.colour, Width: float32(p.width), Dash: float32(p.dash), Gap: float32(p.gap), Phase: float32(phase)})
}

// stroke draws a path whose dashes continue from part to part.
func (d *painter) stroke(p *path, how pen) {
	phase := 0.0
	for i := range p.n {
		if c := p.part[i]; c.isStraight() {
			d.dashed(c, how, phase)
		} else {
			d.curve(c, how, phase)
		}
		phase += p.length[i]
	}
}

func (b *label) paint(d *painter) { d.label(b) }

// label writes a text unless it is empty.
func (d *painter) label(b *label) {
	if b.text == "" {
		return
	}
	d.put(Op{Kind: Text, Text: b.text, X: d.x + float32(b.x), Y: d.y + float32(b.y),
		W: float32(b.room), Size: float32(b.face.size), Bold: b.face.bold, Mono: b.face.mono,
		Anchor: b.anchor, Fill: d.colour(b.ink).Fade(b.alpha)})
}

// colour returns the theme's colour for a text.
func (d *painter) colour(i ink) Colour {
	switch i {
	case inkSoft:
		return d.t.Soft
	case inkSignal:
		return d.t.Signal
	case inkOnSignal:
		return d.t.OnSig
	case inkOnAccent:
		return d.t.OnAcc
	}
	return d.t.Ink
}

// on returns the colour for text on a client's colour.
func on(fill Colour) Colour {
	if fill.light() {
		return darkInk
	}
	return lightInk
}

const (
	lightInk = Colour(0xffffffff)
	darkInk  = Colour(0x16201dff)
)

// tag draws a background and the text on it.
func (d *painter) tag(g *tag, fill Colour, edge pen) {
	if g.w == 0 {
		return
	}
	d.panel(g.rect, g.radius, fill, edge)
	d.label(&g.text)
}

// cross draws the mark for lost, dead or cut.
func (d *painter) cross(x, y, r float64, p pen) {
	d.line(x-r, y-r, x+r, y+r, p)
	d.line(x-r, y+r, x+r, y-r, p)
}

// bang draws an exclamation mark from lines, so that it needs no font.
func (d *painter) bang(x, y, r float64, how pen) {
	d.line(x, y-r*0.5, x, y+r*0.1, how)
	d.circle(x, y+r*0.5, how.width*0.6, how.colour, pen{})
}

// eye draws the mark for an armed watch at a znode.
func (d *painter) eye(x, y, r float64, c Colour) {
	how := pen{colour: c, width: max(1, r*0.26)}
	d.circle(x, y, r*1.15, d.t.Paper.Fade(float64(c&0xff)/255), pen{})
	d.curve(cubic{x - r, y, x - r*0.4, y - r, x + r*0.4, y - r, x + r, y}, how, 0)
	d.curve(cubic{x - r, y, x - r*0.4, y + r, x + r*0.4, y + r, x + r, y}, how, 0)
	d.circle(x, y, r*0.36, c, pen{})
}
