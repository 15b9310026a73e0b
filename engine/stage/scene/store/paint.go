package store

import (
	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/paint"
)

// PaintWays draws the paths of the writes that have just reached the store. They may lead behind what is above it.
func (st *Store) PaintWays(d *paint.Painter) { paint.All(d, st.plan.arrivals, (*arrivalPlan).paintWay) }

// Paint draws the store.
func (st *Store) Paint(d *paint.Painter) { st.plan.paint(d) }

// paint draws what the lock protects, and the latest writes.
func (s *storePlan) paint(d *paint.Painter) {
	if s.H == 0 {
		return
	}
	k := d.Sizes.K
	if s.stressed {
		d.Halo(s.Rect)
	}
	d.Panel(s.Rect, min(8*k, d.Sizes.StripH/3), d.Theme.Panel, paint.Pen{Colour: d.Theme.Soft, Width: max(1.2, 1.6*k)})
	d.Label(&s.name)
	d.Label(&s.about)
	s.paintSheets(d)
	d.Labels(s.more)
	paint.All(d, s.chips, (*chipPlan).paint)
	paint.All(d, s.halves, (*halvesPlan).paint)
	d.Tag(&s.verdict, d.Theme.Signal, paint.Pen{})
	paint.All(d, s.arrivals, (*arrivalPlan).paint)
}

// paintSheets draws the pages on their sheet, with a jagged edge between pages of different clients.
func (s *storePlan) paintSheets(d *paint.Painter) {
	k := d.Sizes.K
	for _, r := range s.trays {
		d.Panel(r.Grown(max(1, 2.4*k)), min(4*k, r.H/3), d.Theme.Card, paint.Pen{Colour: d.Theme.Soft, Width: max(1, k)})
	}
	for _, r := range s.papers {
		d.Panel(r.Grown(max(1, 1.6*k)), 1, d.Theme.Card, paint.Pen{Colour: d.Theme.Ink, Width: max(1, 1.2*k)})
	}
	for i := range s.pages {
		p := &s.pages[i]
		own := d.Theme.Of(p.client)
		edge := paint.Pen{Colour: d.Theme.Card, Width: max(1, 1.4*k)}
		if p.refused {
			edge = paint.Pen{Colour: d.Theme.Signal, Width: max(1.2, 1.6*k), Dash: 3, Gap: 2}
		}
		d.Panel(p.Rect, 1, own, edge)
		d.Inked(&p.letter, paint.On(own))
		if p.refused {
			d.Cross(p.MidX(), p.MidY(), p.W*0.4, paint.Pen{Colour: d.Theme.Signal, Width: max(2, 2.4*k)})
		}
		paintLate(d, &p.late)
	}
	for i := range s.tears {
		s.tears[i].paint(d)
	}
}

// paintLate draws the sign of a late write, if it's one.
func paintLate(d *paint.Painter, w *geom.Round) {
	if w.R > 0 {
		d.Circle(w.X, w.Y, w.R, d.Theme.Signal, paint.Pen{Colour: d.Theme.Card, Width: 1})
		d.Bang(w.X, w.Y, w.R, paint.Pen{Colour: d.Theme.OnSig, Width: max(1, w.R*0.3)})
	}
}

// paint draws a jagged edge, wide enough to be visible on any colour.
func (t *tearPlan) paint(d *paint.Painter) {
	const teeth = 6
	k := max(d.Sizes.K, 0.7)
	step, side := (t.bottom-t.top)/teeth, tearSide(d.Sizes.K)
	for _, how := range [2]paint.Pen{{Colour: d.Theme.Card, Width: 5 * k}, {Colour: d.Theme.Ink, Width: 1.8 * k}} {
		x := t.x - side
		for i := range teeth {
			y := t.top + float64(i)*step
			to := 2*t.x - x
			d.Line(x, y, to, y+step, how)
			x = to
		}
	}
}

// paint draws a client's letter in its colour, and what it has written, got or done.
func (c *chipPlan) paint(d *paint.Painter) {
	k := max(d.Sizes.K, 0.7)
	fill, edge := d.Theme.Card, paint.Pen{Colour: d.Theme.Soft, Width: max(1.2, 1.4*k)}
	switch c.look {
	case asWrong:
		fill, edge.Colour = d.Theme.Signal, d.Theme.Signal
	case asOpen:
		edge.Dash, edge.Gap = 3*k, 2*k
	}
	d.Panel(c.Rect, min(4*k, c.H/3), fill, edge)
	if c.client >= 0 {
		own := d.Theme.Of(c.client)
		d.Panel(c.badge, min(4*k, c.H/3), own, paint.Pen{Colour: edge.Colour, Width: edge.Width})
		d.Inked(&c.letter, paint.On(own))
	}
	d.Label(&c.text)
	paintLate(d, &c.late)
	if w := &c.mark; w.R > 0 { // a tick
		how := paint.Pen{Colour: d.Theme.Accent, Width: max(1.5, 2*k)}
		d.Line(w.X-w.R, w.Y, w.X-w.R*0.3, w.Y+w.R*0.7, how)
		d.Line(w.X-w.R*0.3, w.Y+w.R*0.7, w.X+w.R, w.Y-w.R*0.7, how)
	}
}

// colour returns the colour of its path.
func (a *arrivalPlan) colour(d *paint.Painter) display.Colour {
	if a.refused {
		return d.Theme.Signal
	}
	return d.Theme.Of(a.client)
}

// paintWay draws the path of a write.
func (a *arrivalPlan) paintWay(d *paint.Painter) {
	d.Stroke(&a.way, paint.Pen{Colour: a.colour(d), Width: max(1.5, 2*max(d.Sizes.K, 0.7))})
}

// paint draws where a write arrives, and the write on its way there. A refused write hits the store and bounces off.
func (a *arrivalPlan) paint(d *paint.Painter) {
	k, own := max(d.Sizes.K, 0.7), d.Theme.Of(a.client)
	if !a.refused {
		d.Circle(a.x, a.y, 4*k, own, paint.Pen{})
	} else {
		d.Cross(a.x, a.y, 5*k, paint.Pen{Colour: a.colour(d), Width: max(2, 2.5*k)})
	}
	if a.paper.W == 0 {
		return
	}
	d.Panel(a.paper, 1, own, paint.Pen{Colour: d.Theme.Ink, Width: max(1, 1.2*k)})
	if a.refused {
		d.Cross(a.paper.MidX(), a.paper.MidY(), a.paper.W*0.35, paint.Pen{Colour: paint.On(own), Width: max(1.5, 1.8*k)})
	}
}
