package client

import (
	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/engine/stage/scene/floor"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/paint"
)

// PaintLinks draws the clients' connections.
func (cs *Clients) PaintLinks(d *paint.Painter) { paint.All(d, cs.links, (*linkPlan).paint) }

// Paint draws the dots, and then the clients with a letter.
func (cs *Clients) Paint(d *paint.Painter) {
	paint.All(d, cs.Dots, (*dotPlan).paint)
	paint.All(d, cs.Letters, (*clientPlan).paint)
}

// paint draws a client's connection, and the stem from there to the client's own znode.
func (l *linkPlan) paint(d *paint.Painter) {
	k := d.Sizes.K
	d.Part(display.Hit{ID: l.name, Part: display.LinkPart}, geom.R(l.x, l.top, 0, l.bottom-l.top))
	how := paint.Pen{Colour: d.Theme.Edge, Width: max(1, 1.4*k)}
	if l.back {
		how = paint.Pen{Colour: d.Theme.Accent, Width: 2 * how.Width}
	}
	if l.dead {
		how.Dash, how.Gap = 3, 3
		d.Line(l.x, l.top, l.x, l.bottom, how)
		return
	}
	if !l.broken {
		d.Line(l.x, l.top, l.x, l.bottom, how)
		if l.apart {
			d.Tag(&l.server, d.Theme.Card, paint.Pen{Colour: how.Colour, Width: max(1, 1.2*k)})
			return
		}
		d.Circle(l.x, l.top, max(2, 2.8*k), d.Theme.Edge, paint.Pen{})
		if l.stem > 0 {
			d.Line(l.x, l.stem, l.x, l.top, paint.Pen{Colour: d.Theme.Of(l.client), Width: max(1.2, 1.8*k)})
		}
		return
	}
	mid, gap := geom.Mix(l.top, l.bottom, cutAt), max(6, 9*k)
	how.Dash, how.Gap = 3, 3
	d.Line(l.x, l.top, l.x, mid-gap, how)
	d.Line(l.x, mid+gap, l.x, l.bottom, how)
	d.Scissors(l.x, mid, max(6, 9*k))
}

// paint draws a client: the ring that runs down, the letter, the sign and the words.
func (c *clientPlan) paint(d *paint.Painter) {
	k, ring := d.Sizes.K, floor.RingOf(c.r)
	if c.lit {
		d.Circle(c.x, c.y, ring+c.r*0.22, d.Theme.Accent.Fade(0.2), paint.Pen{Colour: d.Theme.Accent, Width: max(1.2, 2*k)})
	}
	if c.stressed {
		how := paint.Pen{Colour: d.Theme.Signal, Width: max(1.5, 2*k), Dash: 2, Gap: 4}
		d.Circle(c.x, c.y, ring+c.r*0.32, d.Theme.Signal.Fade(0.08), how)
	}
	if c.Selected {
		d.Circle(c.x, c.y, ring+c.r*0.3, 0, paint.Pen{Colour: d.Theme.Ink, Width: max(1.5, 2.2*k)})
	}
	c.paintRing(d, ring)
	c.paintDisc(d)
	c.paintSign(d)
	c.paintTimer(d)
	c.paintPips(d)
	d.Label(&c.word)
	d.Tag(&c.belief, d.Theme.Signal, paint.Pen{})
	d.Label(&c.second)
	if w := &c.wrong; w.R > 0 {
		d.Circle(w.X, w.Y, w.R, d.Theme.Signal, paint.Pen{})
		d.Bang(w.X, w.Y, w.R, paint.Pen{Colour: d.Theme.OnSig, Width: max(1.2, w.R*0.3)})
	}
	d.Tag(&c.note, d.Theme.Card, paint.Pen{Colour: d.Theme.Edge, Width: 1})
	d.Tag(&c.pending, d.Theme.Signal, paint.Pen{Colour: d.Theme.Paper, Width: max(1, 1.4*k)})
	side := max(ring*2, 24)
	d.Hit(c.Name, geom.R(c.x-side/2, c.y-side/2, side, side))
}

func (c *clientPlan) paintRing(d *paint.Painter, ring float64) {
	w, colour := max(2, c.r*0.21), d.Theme.Of(c.Index)
	switch c.ring {
	case noRing:
		return
	case noSession:
		d.Circle(c.x, c.y, ring, 0, paint.Pen{Colour: d.Theme.Grey, Width: max(1, w*0.25), Dash: 2, Gap: 5})
		return
	case unknownLeft:
		d.Circle(c.x, c.y, ring, 0, paint.Pen{Colour: colour, Width: w})
		return
	}
	d.Circle(c.x, c.y, ring, 0, paint.Pen{Colour: d.Theme.Faint, Width: w})
	if c.left < 0.25 {
		colour = d.Theme.Signal
	}
	if c.calm {
		colour = colour.Fade(0.4)
	}
	if c.left > 0 {
		d.Arc(c.x, c.y, ring, c.left, paint.Pen{Colour: colour, Width: w})
	}
}

func (c *clientPlan) paintDisc(d *paint.Painter) {
	own := d.Theme.Of(c.Index)
	fill, edge, colour := own, paint.Pen{Colour: own, Width: max(1, 1.5*d.Sizes.K)}, paint.On(own)
	switch c.disc {
	case floor.Crashed:
		edge.Dash, edge.Gap = 3, 2
		fill, colour = d.Theme.Grey, paint.DarkInk
	case floor.Absent:
		fill, colour = d.Theme.Card, d.Theme.Ink
	default:
		edge = paint.Pen{}
	}
	d.Circle(c.x, c.y, c.r, fill, edge)
	if c.Index >= len(d.Theme.Client) && c.disc != floor.Absent && c.r >= 8 {
		d.Circle(c.x, c.y, c.r*0.84, 0, paint.Pen{Colour: colour.Fade(0.55), Width: 1}) // the colours repeat: a second sign
	}
	d.Inked(&c.letter, colour)
}

// paintSign draws a small badge at the upper right of a client.
func (c *clientPlan) paintSign(d *paint.Painter) {
	if c.sign == floor.Plain || c.sign == floor.Absent || c.sign == floor.Inside {
		return
	}
	r := max(4.5, c.r*0.4)
	x, y := c.x+c.r*0.98, c.y-c.r*0.98
	if c.sign == floor.Paused {
		d.Pause(geom.Round{X: x, Y: y, R: r})
		return
	}
	fill, colour := d.Theme.Signal, d.Theme.OnSig
	if c.sign != floor.Woken && c.sign != floor.Lost {
		fill, colour = d.Theme.Ink, d.Theme.Paper
	}
	d.Circle(x, y, r, fill, paint.Pen{Colour: d.Theme.Paper, Width: max(1, 1.4*d.Sizes.K)})
	how := paint.Pen{Colour: colour, Width: max(1.2, r*0.3)}
	switch c.sign {
	case floor.Woken:
		d.Bang(x, y, r, how)
	case floor.Crashed, floor.Lost:
		d.Cross(x, y, r*0.38, how)
	case floor.Cut:
		d.Line(x-r*0.5, y, x-r*0.2, y, how)
		d.Line(x+r*0.2, y, x+r*0.5, y, how)
	}
}

// paint draws a client too small for a letter. Its shape shows its state: filled waits, large and ringed is inside, a
// ring is not in the queue, a ring with a point is connected, a cross is dead.
func (c *dotPlan) paint(d *paint.Painter) {
	x, y, r := float64(c.x), float64(c.y), float64(c.r)
	switch c.Look {
	case DotInside:
		d.Circle(x, y, r*1.5, d.Theme.Accent, paint.Pen{Colour: d.Theme.Paper, Width: max(0.8, r*0.3)})
	case DotWrong:
		d.Circle(x, y, r*1.4, d.Theme.Card, paint.Pen{Colour: d.Theme.Signal, Width: max(1.2, r*0.5)})
	case DotWoken:
		d.Circle(x, y, r, d.Theme.Signal, paint.Pen{})
	case DotDead:
		d.Cross(x, y, r*0.7, paint.Pen{Colour: d.Theme.Soft, Width: max(0.8, r*0.4)})
	case DotStopped:
		d.Circle(x, y, r*0.9, d.Theme.Card, paint.Pen{Colour: d.Theme.Ink, Width: max(0.8, r*0.4)})
	case DotAbsent:
		d.Circle(x, y, r*0.8, 0, paint.Pen{Colour: d.Theme.Grey, Width: max(0.7, r*0.3)})
	case DotThere:
		d.Circle(x, y, r*0.8, 0, paint.Pen{Colour: d.Theme.Soft, Width: max(0.7, r*0.3)})
		d.Circle(x, y, r*0.35, d.Theme.Soft, paint.Pen{})
	default:
		d.Circle(x, y, r*0.9, d.Theme.Soft, paint.Pen{})
	}
	if c.Selected {
		d.Circle(x, y, r*2, 0, paint.Pen{Colour: d.Theme.Ink, Width: 1.5})
	}
	side := max(r*2.4, 3)
	d.Hit(c.Name, geom.R(x-side/2, y-side/2, side, side))
}

// paintTimer draws the small clock next to a client: how much of a wait is over, or that a timer keeps running.
func (c *clientPlan) paintTimer(d *paint.Painter) {
	b := &c.timer
	if b.R == 0 {
		return
	}
	how := paint.Pen{Colour: d.Theme.Ink, Width: max(1.2, b.R*0.24)}
	d.Circle(b.X, b.Y, b.R, d.Theme.Card, paint.Pen{Colour: d.Theme.Paper, Width: max(2, 3*d.Sizes.K)})
	if c.timerPart < 0 {
		d.Circle(b.X, b.Y, b.R, d.Theme.Card, paint.Pen{})
		d.Clock(b.X, b.Y, b.R*0.95, how)
		return
	}
	d.Circle(b.X, b.Y, b.R*0.95, 0, how)
	if c.timerPart > 0 {
		d.Arc(b.X, b.Y, b.R*0.36, min(c.timerPart, 1), paint.Pen{Colour: d.Theme.Accent, Width: b.R * 0.7})
	}
}

// paintPips draws at how many nodes a client has its entry.
func (c *clientPlan) paintPips(d *paint.Painter) {
	p, own := &c.pips, d.Theme.Of(c.Index)
	for i := range p.of {
		r := geom.R(p.X+float64(i)*p.H*1.5, p.Y, p.H, p.H)
		fill := display.Colour(0)
		if p.nodes&(1<<i) != 0 {
			fill = own
		}
		d.Panel(r, 0, fill, paint.Pen{Colour: own, Width: 1})
	}
}
