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
	d.Label(&s.epoch)
	d.Label(&s.cost)
	d.Label(&s.more)
	d.Hit(s.id, s.Rect)
}

// paint draws a transaction in a log, or a snapshot before it, in its epoch's colour: full if applied, pale if
// committed, hatched while in doubt, dashed while not on disk, and crossed out if it will be discarded.
func (e *entryPlan) paint(d *paint.Painter) {
	how := paint.Pen{Colour: epochColour(d.Theme, e.epoch), Width: 1.2}
	fill := d.Theme.Card
	switch e.look {
	case epochLine:
		d.Line(e.X, e.Y, e.X, e.Bottom(), paint.Pen{Colour: d.Theme.Soft, Width: max(1, 1.2*d.Sizes.K)})
		return
	case diskEdge:
		d.Line(e.X, e.Y, e.X, e.Bottom(), paint.Pen{Colour: d.Theme.Ink, Width: max(1.4, 2*d.Sizes.K)})
		return
	case entryGone:
		how = paint.Pen{Colour: d.Theme.Signal.Fade(e.alpha), Width: 1.4}
		d.Panel(e.Rect, 1.5, 0, paint.Pen{Colour: how.Colour, Width: 1, Dash: 2, Gap: 2})
		d.Cross(e.MidX(), e.Y+e.H/2, e.H/2, how)
		return
	case entryGoes:
		d.Panel(e.Rect, 1.5, how.Colour.Fade(0.35), how)
		d.Cross(e.MidX(), e.Y+e.H/2, e.H/2, paint.Pen{Colour: d.Theme.Signal, Width: max(1.4, 2*d.Sizes.K)})
		return
	case entryApplied:
		fill = how.Colour
	case entryCommitted:
		fill = how.Colour.Fade(0.4)
	}
	if !e.disk && e.look != entryApplied {
		how.Dash, how.Gap = 2, 2
	}
	d.Panel(e.Rect, 1.5, fill, how)
	if e.look == entryInDoubt {
		hatch(d, e.Rect, how.Colour)
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
		d.Panel(s.Rect, 3, d.Theme.Lit, paint.Pen{Colour: d.Theme.Accent, Width: max(1, 1.2*k)})
	case lastLine:
		d.Line(s.X, s.Y, s.X, s.Bottom(), paint.Pen{Colour: d.Theme.Ink, Width: max(1.4, 2*k)})
	case cutLine:
		d.Line(s.X, s.Y, s.X, s.Bottom(), paint.Pen{Colour: d.Theme.Signal, Width: max(1.6, 2.4*k), Dash: 3, Gap: 2})
	case sentLine:
		d.Line(s.X, s.Y, s.X, s.Bottom(), paint.Pen{Colour: d.Theme.Accent, Width: max(1, 1.4*k)})
	case ghostEntry:
		d.Panel(s.Rect, 1.5, 0, paint.Pen{Colour: d.Theme.Accent, Width: 1.2, Dash: 2, Gap: 2})
	case copied:
		d.Panel(s.Rect, 3, d.Theme.Lit, paint.Pen{Colour: d.Theme.Accent, Width: 1.2, Dash: 3, Gap: 2})
	}
}

// paintFence draws a barrier that blocks messages between two servers.
func paintFence(d *paint.Painter, r geom.Rect) {
	w := max(2.4, 3.6*d.Sizes.K)
	d.Line(r.MidX(), r.Y, r.MidX(), r.Bottom(), paint.Pen{Colour: d.Theme.Paper, Width: w + 2})
	d.Line(r.MidX(), r.Y, r.MidX(), r.Bottom(), paint.Pen{Colour: d.Theme.Signal, Width: w, Dash: 2 * w, Gap: w})
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

// epochColour returns the colour of an epoch, different from that of the epochs before and after.
func epochColour(t *display.Theme, n int64) display.Colour {
	return [...]display.Colour{t.Client[3], t.Accent, t.Client[0]}[n%3]
}

// paint draws for how long a server still waits for another.
func (s *silencePlan) paint(d *paint.Painter) {
	d.Panel(s.Rect, s.H/2, d.Theme.Paper, paint.Pen{Colour: d.Theme.Signal, Width: 1})
	if s.left > 0 {
		d.Panel(geom.R(s.X, s.Y, max(s.H, s.W*s.left), s.H), s.H/2, d.Theme.Signal, paint.Pen{})
	}
}
