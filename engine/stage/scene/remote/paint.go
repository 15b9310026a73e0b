package remote

import (
	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/paint"
)

// PaintBoxes draws the nodes.
func (r *Remotes) PaintBoxes(d *paint.Painter) { paint.All(d, r.nodes.remotes, (*remotePlan).paint) }

// Paint draws what stands at the nodes, and the clients' connections to them.
func (r *Remotes) Paint(d *paint.Painter) {
	paint.All(d, r.ways.lines, (*wayPlan).paint)
	paint.All(d, r.keys.cards, (*keyPlan).paint)
	paint.All(d, r.keys.leases, (*leasePlan).paint)
	paint.All(d, r.ways.lines, (*wayPlan).paintEnd)
	paint.All(d, r.keys.lineUps, (*lineUpPlan).paint)
	paint.All(d, r.keys.brackets, (*bracketPlan).paint)
	paint.All(d, r.keys.kept, (*paint.Visit).Paint)
}

// paint draws a node of a system other than ZooKeeper.
func (b *remotePlan) paint(d *paint.Painter) {
	k := d.Sizes.K
	edge, fill := paint.Pen{Colour: d.Theme.Edge, Width: max(1, 1.2*k)}, d.Theme.Panel
	switch {
	case b.down:
		edge = paint.Pen{Colour: d.Theme.Signal, Width: max(1.5, 2*k), Dash: 6, Gap: 5}
		fill = d.Theme.Paper
	case b.leads:
		edge = paint.Pen{Colour: d.Theme.Soft, Width: max(1.8, 2.4*k)}
	}
	if b.stressed {
		d.Halo(b.Rect)
	}
	d.Panel(b.Rect, d.Sizes.Corner, fill, edge)
	if b.selected {
		d.Panel(b.Grown(3*k), d.Sizes.Corner, 0, paint.Pen{Colour: d.Theme.Ink, Width: max(1.5, 2*k)})
	}
	d.Label(&b.name)
	d.Label(&b.note)
	d.Label(&b.more)
	d.OffClock(b.clock)
	d.Hit(b.id, b.Rect)
}

// paint draws an entry at a node in its owner's colour, with a bar for its remaining time.
func (b *keyPlan) paint(d *paint.Painter) {
	k := d.Sizes.K
	fill, edge := d.Theme.Card, paint.Pen{Colour: d.Theme.Soft, Width: max(1.2, 1.8*k)}
	switch {
	case b.look == keyMissing:
		fill, edge = 0, paint.Pen{Colour: d.Theme.Grey, Width: max(1, 1.2*k), Dash: 2, Gap: 4}
	case b.owner >= 0:
		edge.Colour = d.Theme.Of(b.owner)
	}
	if b.look == keyInDoubt {
		edge.Dash, edge.Gap = 4*max(k, 0.8), 3*max(k, 0.8)
	}
	if b.held {
		fill = d.Theme.Lit
	}
	edge.Colour = edge.Colour.Fade(b.alpha)
	if b.stressed {
		d.Halo(b.Rect)
	}
	d.Panel(b.Rect, 7*k, fill.Fade(b.alpha), edge)
	if b.badge.W > 0 {
		own := d.Theme.Of(b.owner)
		d.Panel(b.badge, 6*k, own.Fade(b.alpha), paint.Pen{})
		d.Inked(&b.letter, paint.On(own).Fade(b.alpha))
	}
	if b.selected {
		d.Panel(b.Grown(3*k), 9*k, 0, paint.Pen{Colour: d.Theme.Ink, Width: max(1.5, 2*k)})
	}
	if b.flash > 0 {
		d.Panel(b.Grown(3*k), 9*k, 0, paint.Pen{Colour: d.Theme.Accent.Fade(b.flash), Width: 3 * k})
	}
	d.Label(&b.name)
	d.Label(&b.version)
	d.Label(&b.second)
	b.paintTime(d)
	if b.struck > 0 {
		y := b.name.Y - b.name.Face.Size*0.32 // through the name, not through the reason below it
		d.Line(b.name.X, y, b.Right()-3, y, paint.Pen{Colour: d.Theme.Soft.Fade(b.struck), Width: max(1, 1.3*k)})
	}
	b.tab.Paint(d)
	d.Hit(b.id, b.Rect)
}

// paintTime draws how long an entry lasts: a bar that runs out, or a sign for an entry without expiry.
func (b *keyPlan) paintTime(d *paint.Painter) {
	d.RunsOut(b.bar, b.left, b.low)
	if f := &b.forever; f.R > 0 {
		how := paint.Pen{Colour: d.Theme.Soft, Width: max(1.2, f.R*0.35)}
		d.Circle(f.X-f.R, f.Y, f.R, 0, how)
		d.Circle(f.X+f.R, f.Y, f.R, 0, how)
	}
	d.Label(&b.time)
}

// paint draws a client's connection to a node, or the line to its place in a queue there.
func (w *wayPlan) paint(d *paint.Painter) {
	k := d.Sizes.K
	how := paint.Pen{Colour: d.Theme.Edge, Width: max(1, 1.4*k)}
	if w.faint {
		how.Colour = d.Theme.Faint
	}
	x, y := w.way.At(1)
	switch w.look {
	case wayKept:
		d.Stroke(&w.way, paint.Pen{Colour: d.Theme.Of(w.client), Width: max(1.4, 2*k)})
		return
	case wayWatch:
		d.Stroke(&w.way, paint.Pen{Colour: d.Theme.Of(w.client), Width: d.Sizes.Line,
			Dash: max(1.5, 2*k), Gap: max(3, 4.5*k)})
		return
	case wayGhost:
		how.Dash, how.Gap = 1, 6
	case wayBroken, wayBegun:
		how.Dash, how.Gap = 3, 3
	}
	fx, fy := w.way.At(0)
	tx, ty := w.way.At(0.5)
	d.Part(display.Hit{ID: w.name, Part: display.LinkPart}, geom.R(fx, fy, 0, 0).With(geom.R(tx, ty, 0, 0)))
	d.Stroke(&w.way, how)
	d.Circle(x, y, max(2, 2.8*k), d.Theme.Edge, paint.Pen{})
	if w.look == wayBroken {
		d.Circle(w.at.X, w.at.Y, w.at.R*1.3, d.Theme.Paper, paint.Pen{})
		d.Scissors(w.at.X, w.at.Y, w.at.R)
	}
}

// paintEnd draws the eye of a client that waits for a notification.
func (w *wayPlan) paintEnd(d *paint.Painter) {
	switch {
	case w.look != wayWatch:
	case w.at.R < 4: // too small for an eye
		d.Circle(w.at.X, w.at.Y, w.at.R, d.Theme.Of(w.client), paint.Pen{Colour: d.Theme.Paper, Width: 1})
	default:
		d.Eye(w.at.X, w.at.Y, w.at.R, d.Theme.Of(w.client))
	}
}

// paint draws the line under the waiting requests, with an arrow towards the head.
func (p *lineUpPlan) paint(d *paint.Painter) {
	how := paint.Pen{Colour: d.Theme.Soft, Width: max(1, 1.4*d.Sizes.K)}
	tip := max(2.4, 3.6*d.Sizes.K)
	d.Line(p.x, p.y, p.right, p.y, how)
	d.Line(p.x+tip, p.y-tip, p.x, p.y, how)
	d.Line(p.x+tip, p.y+tip, p.x, p.y, how)
}

// paint draws the client that has something locked, in brackets if a transaction holds the lock.
func (b *bracketPlan) paint(d *paint.Painter) {
	k := d.Sizes.K
	how := paint.Pen{Colour: d.Theme.Accent, Width: max(1.6, 2.2*k)}
	if b.tx {
		arm := max(2.5, 4*k)
		d.Line(b.X, b.Y, b.X, b.Bottom(), how)
		d.Line(b.X, b.Y, b.X+arm, b.Y, how)
		d.Line(b.X, b.Bottom(), b.X+arm, b.Bottom(), how)
		d.Line(b.Right(), b.Y, b.Right(), b.Bottom(), how)
		d.Line(b.Right()-arm, b.Y, b.Right(), b.Y, how)
		d.Line(b.Right()-arm, b.Bottom(), b.Right(), b.Bottom(), how)
	} else {
		d.Circle(b.disc.X, b.disc.Y, b.disc.R+how.Width*0.8, 0, how)
	}
	b.disc.Paint(d)
	d.Label(&b.text)
}

// paint draws a lease that keys are attached to, and the time it has left.
func (b *leasePlan) paint(d *paint.Painter) {
	k := d.Sizes.K
	edge := paint.Pen{Colour: d.Theme.Soft.Fade(b.alpha), Width: max(1, 1.2*k)}
	if b.client >= 0 {
		edge.Colour = d.Theme.Of(b.client).Fade(b.alpha)
	}
	d.Panel(b.Rect, b.H/2, d.Theme.Card.Fade(b.alpha), edge)
	if b.badge.W > 0 {
		own := d.Theme.Of(b.client)
		d.Panel(b.badge, b.H/2, own.Fade(b.alpha), paint.Pen{})
		d.Inked(&b.letter, paint.On(own).Fade(b.alpha))
	}
	if !b.over {
		d.RunsOut(b.bar, b.left, b.low)
	}
	d.Label(&b.text)
}
