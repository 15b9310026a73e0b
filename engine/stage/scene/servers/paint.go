package servers

import (
	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/paint"
)

// Paint draws the servers, and on each what it has.
func (e *ensemble) Paint(d *paint.Painter) {
	paint.All(d, e.servers, (*serverPlan).paint)
	paint.All(d, e.details, (*detailPlan).paint)
	paint.All(d, e.entries, (*entryPlan).paint)
	paint.All(d, e.visits, (*paint.Visit).Paint)
	paint.All(d, e.refused, (*paint.Visit).Paint)
	paint.All(d, e.eyes, (*eyePlan).paint)
	for i := range e.fences {
		paintFence(d, e.fences[i])
	}
	paint.All(d, e.cuts, (*cutPlan).paint)
	paint.All(d, e.silences, (*silencePlan).paint)
}

// paint draws a server of an ensemble.
func (s *serverPlan) paint(d *paint.Painter) {
	k := d.Sizes.K
	edge := paint.Pen{Colour: d.Theme.Edge, Width: max(1, 1.2*k)}
	fill := d.Theme.Card
	switch {
	case s.leads:
		edge, fill = paint.Pen{Colour: d.Theme.Accent, Width: max(1.6, 2.2*k)}, d.Theme.Lit
	case s.down:
		edge.Colour, edge.Dash, edge.Gap, fill = d.Theme.Grey, 3, 3, d.Theme.Paper
	case s.votes:
		edge.Colour = d.Theme.Signal
	}
	if s.stressed {
		d.Halo(s.Rect)
	}
	if s.selected {
		edge = paint.Pen{Colour: d.Theme.Ink, Width: max(1.5, 2.2*k)}
	}
	d.Panel(s.Rect, 8*k, fill, edge)
	d.Label(&s.name)
	d.OffClock(s.clock)
	d.Pause(s.pause)
	d.Label(&s.epoch)
	d.Label(&s.cost)
	d.Hit(s.id, s.Rect)
}

// paint draws a transaction in a log, or a snapshot before it, in its epoch's colour: full if applied, pale if
// committed, hatched while in doubt, dashed while not on disk, and crossed out if it will be discarded.
func (e *entryPlan) paint(d *paint.Painter) {
	const corner = 3
	k := d.Sizes.K
	how := paint.Pen{Colour: d.Theme.Epoch[uint64(e.epoch)%3], Width: max(1.2, 1.5*k)}
	fill, ink, strike := d.Theme.Card, d.Theme.Ink, paint.Pen{}
	switch e.look {
	case epochLine:
		d.Line(e.X, e.Y, e.X, e.Bottom(), paint.Pen{Colour: d.Theme.Soft, Width: max(1, 1.2*k), Dash: 3, Gap: 3})
		return
	case diskEdge:
		d.Line(e.X, e.Y, e.X, e.Bottom(), paint.Pen{Colour: d.Theme.Ink, Width: max(2, 3*k)})
		return
	case entryMissing:
		d.Panel(e.Rect, corner, 0, paint.Pen{Colour: d.Theme.Edge, Width: 1, Dash: 1, Gap: 3})
		return
	case entryFolded:
		d.Panel(e.Rect, corner, how.Colour.Fade(0.2), paint.Pen{})
	case entryGone, entryGoes:
		how = paint.Pen{Colour: d.Theme.Signal.Fade(e.alpha), Width: max(1.4, 2*k)}
		fill, ink = d.Theme.Card.Fade(e.alpha), d.Theme.Soft.Fade(e.alpha)
		d.Panel(e.Rect, corner, fill, paint.Pen{Colour: how.Colour, Width: 1, Dash: 2, Gap: 2})
		if strike = how; e.H >= 2*d.Sizes.Small.Size { // else its words would hide the cross
			d.Line(e.X, e.Bottom(), e.Right(), e.Y, how)
		}
		d.Line(e.X, e.Y, e.Right(), e.Bottom(), how)
	case entrySent:
		fill, ink = 0, d.Theme.Soft
		d.Panel(e.Rect, corner, fill, paint.Pen{Colour: d.Theme.Accent, Width: how.Width, Dash: 2, Gap: 2})
	default:
		switch e.look {
		case entryApplied:
			fill = how.Colour
			ink = paint.On(fill)
		case entryCommitted:
			fill = how.Colour.Fade(0.3)
		}
		if !e.disk {
			how.Dash, how.Gap = 4, 3
		}
		d.Panel(e.Rect, corner, fill, how)
		if e.look == entryInDoubt {
			hatch(d, e.Rect, how.Colour.Fade(0.7))
		}
	}
	if e.look == entryInDoubt || e.look == entryGone || e.look == entryGoes {
		e.plate(d)
	}
	for i := range e.words {
		d.Inked(&e.words[i], ink)
	}
	if strike.Width > 0 && e.H < 2*d.Sizes.Small.Size {
		d.Line(e.X, e.Bottom(), e.Right(), e.Y, strike)
	}
}

// plate draws an empty place for words.
func (e *entryPlan) plate(d *paint.Painter) {
	for i := range e.words {
		if w := &e.words[i]; w.Text != "" {
			b := w.Bounds()
			d.Panel(geom.R(b.X-2, b.Y-1.5, b.W+4, b.H+3), 2, d.Theme.Card.Fade(0.92*e.alpha), paint.Pen{})
		}
	}
}

// paint draws a small shape on a server.
func (s *detailPlan) paint(d *paint.Painter) {
	k := d.Sizes.K
	r := s.W / 2
	switch s.look {
	case decides:
		d.Line(s.X, s.Y, s.Right(), s.Y, paint.Pen{Colour: d.Theme.Ink, Width: max(1.2, 1.6*k)})
	case saysSame:
		d.Circle(s.MidX(), s.MidY(), r, d.Theme.Ink, paint.Pen{})
	case saysOther:
		how := paint.Pen{Colour: d.Theme.Ink, Width: max(1, 1.3*k)}
		d.Circle(s.MidX(), s.MidY(), r-how.Width/2, d.Theme.Card, how)
	case saysNot:
		d.Circle(s.MidX(), s.MidY(), max(1, r*0.45), d.Theme.Grey, paint.Pen{})
	case waits:
		d.Panel(s.Rect, s.H/2, d.Theme.Card, paint.Pen{Colour: d.Theme.Soft, Width: 1})
		d.Panel(geom.R(s.X, s.Y, s.W*s.part, s.H), s.H/2, d.Theme.Ink, paint.Pen{})
	case windowPart:
		d.Panel(s.Rect, 4, 0, paint.Pen{Colour: d.Theme.Ink, Width: max(2, 3*k)})
	case cutLine:
		d.Line(s.X, s.Y, s.X, s.Bottom(), paint.Pen{Colour: d.Theme.Signal, Width: max(1.6, 2.4*k), Dash: 3, Gap: 2})
	case copied:
		d.Panel(s.Rect, 3, 0, paint.Pen{Colour: d.Theme.Accent, Width: max(1.4, 2*k), Dash: 3, Gap: 2})
	}
}

// paintFence draws a barrier that blocks messages between two servers.
func paintFence(d *paint.Painter, r geom.Rect) {
	w := max(2.4, 3.6*d.Sizes.K)
	x1, y1, x2, y2 := r.X, r.MidY(), r.Right(), r.MidY()
	if r.H > r.W {
		x1, y1, x2, y2 = r.MidX(), r.Y, r.MidX(), r.Bottom()
	}
	d.Line(x1, y1, x2, y2, paint.Pen{Colour: d.Theme.Paper, Width: w + 2})
	d.Line(x1, y1, x2, y2, paint.Pen{Colour: d.Theme.Signal, Width: w, Dash: 2 * w, Gap: w})
}

// paint draws scissors, and the servers that a server is cut off from.
func (c *cutPlan) paint(d *paint.Painter) {
	d.Scissors(c.X, c.Y, c.R)
	d.Label(&c.from)
}

// hatch draws slanting lines across a rectangle.
func hatch(d *paint.Painter, r geom.Rect, c display.Colour) {
	how := paint.Pen{Colour: c, Width: 1}
	for x := r.X; x < r.Right(); x += r.H {
		side := min(r.H, r.Right()-x)
		d.Line(x, r.Y+side/2, x+side/2, r.Y, how)
		d.Line(x, r.Y+side, x+side, r.Y, how)
		d.Line(x+side/2, r.Y+side, x+side, r.Y+side/2, how)
	}
}

// paint draws the eye of a watch at its server.
func (e *eyePlan) paint(d *paint.Painter) { d.Eye(e.X, e.Y, e.R, d.Theme.Of(e.client)) }

// paint draws for how long a server still waits for another.
func (s *silencePlan) paint(d *paint.Painter) {
	d.Panel(s.Rect, s.H/2, d.Theme.Paper, paint.Pen{Colour: d.Theme.Signal, Width: 1})
	if s.left > 0 {
		d.Panel(geom.R(s.X, s.Y, max(s.H, s.W*s.left), s.H), s.H/2, d.Theme.Signal, paint.Pen{})
	}
}
