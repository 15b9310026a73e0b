package znode

import (
	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/engine/stage/scene/paint"
)

// PaintBox draws ZooKeeper's box.
func (z *Znodes) PaintBox(d *paint.Painter) { z.frame.paint(d) }

// PaintRows draws the znodes at which watches' lines end.
func (z *Znodes) PaintRows(d *paint.Painter) { paint.All(d, z.Rows, (*NodePlan).paint) }

// PaintCards draws the znodes under which they pass.
func (z *Znodes) PaintCards(d *paint.Painter) { paint.All(d, z.Cards, (*NodePlan).paint) }

// PaintVeil fades the box and all that is in it while no server answers, or the one whose znodes these are doesn't, but
// not the words that say so.
func (z *Znodes) PaintVeil(d *paint.Painter) {
	if b := &z.frame; b.faded {
		d.Panel(b.Rect, d.Sizes.Corner, d.Theme.Paper.Fade(0.5), paint.Pen{})
		d.Label(&b.note)
	}
}

// paint draws the box.
func (b *boxPlan) paint(d *paint.Painter) {
	if b.W == 0 {
		return // none to draw
	}
	k := d.Sizes.K
	edge := paint.Pen{Colour: d.Theme.Edge, Width: max(1, 1.2*k)}
	if b.lost {
		edge = paint.Pen{Colour: d.Theme.Signal, Width: max(1.5, 2*k), Dash: 6, Gap: 5}
	} else if b.faded {
		edge.Dash, edge.Gap = 3, 3
	}
	d.Panel(b.Rect, d.Sizes.Corner, d.Theme.Panel, edge)
	d.Label(&b.name)
	if !b.faded {
		d.Label(&b.note)
	}
	d.OffClock(b.clock)
	if b.acts {
		d.Part(display.Hit{Part: display.ServerPart}, b.name.Bounds())
	}
}

// paint draws a znode: dashed if it is ephemeral, lit if its owner is inside, faint as it goes.
func (n *NodePlan) paint(d *paint.Painter) {
	k := d.Sizes.K
	if n.stressed {
		d.Halo(n.Rect)
	}
	if n.Look == AsMore {
		d.Label(&n.Name)
		d.Hit(n.Path, n.Hit)
		return
	}
	fill, edge := n.ground(d)
	d.Panel(n.Rect, 7*k, fill, edge)
	if n.selected {
		d.Panel(n.Rect.Grown(3*k), 9*k, 0, paint.Pen{Colour: d.Theme.Ink, Width: max(1.5, 2*k)})
	}
	if n.flash > 0 {
		d.Panel(n.Rect.Grown(3*k), 9*k, 0, paint.Pen{Colour: d.Theme.Accent.Fade(n.flash), Width: 3 * k})
	}
	d.Label(&n.Name)
	if n.tie.W > 0 {
		d.Panel(n.tie, n.tie.H/2, d.Theme.Signal.Fade(n.alpha), paint.Pen{})
	}
	d.Label(&n.Second)
	d.Label(&n.Third)
	if n.Struck > 0 {
		d.Line(n.X+3, n.MidY(), n.Right()-3, n.MidY(), paint.Pen{Colour: d.Theme.Soft.Fade(n.Struck), Width: max(1, 1.3*k)})
	}
	n.tab.Paint(d)
	d.Hit(n.Path, n.Hit)
}

func (n *NodePlan) ground(d *paint.Painter) (fill display.Colour, edge paint.Pen) {
	k := d.Sizes.K
	switch n.Look {
	case asRoot:
		return d.Theme.Card, paint.Pen{Colour: d.Theme.Soft, Width: max(1, 1.3*k)}
	case asMissing:
		return 0, paint.Pen{Colour: d.Theme.Grey, Width: max(1, 1.2*k), Dash: 2, Gap: 4}
	}
	fill, edge = d.Theme.Card, paint.Pen{Colour: d.Theme.Soft, Width: max(1.2, 1.8*k)}
	if n.owner >= 0 {
		edge.Colour = d.Theme.Of(n.owner)
	}
	if n.held {
		fill = d.Theme.Lit
	}
	if n.dashed {
		edge.Dash, edge.Gap = 4*max(k, 0.8), 3*max(k, 0.8)
	}
	edge.Colour = edge.Colour.Fade(n.alpha)
	return fill.Fade(n.alpha), edge
}
