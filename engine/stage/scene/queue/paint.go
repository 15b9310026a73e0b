package queue

import (
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/message"
	"github.com/zkviz/zkviz/engine/stage/scene/paint"
)

// PaintTicks draws the znodes after the cards that are too small for a name.
func (c *Crowd) PaintTicks(d *paint.Painter) { c.paintSmall(d, c.TicksAfter) }

// PaintEvents draws the watch events on their way to the dots.
func (c *Crowd) PaintEvents(d *paint.Painter) { message.PaintParticles(d, c.events) }

func (c *Crowd) paintSmall(d *paint.Painter, ticks []TickPlan) {
	side := c.tickCell
	for i := range ticks {
		k, fill := &ticks[i], d.Theme.Soft
		if k.selected {
			fill = d.Theme.Signal
		}
		r := geom.R(float64(k.x), float64(k.y), side*tickWidth, side*tickHeight)
		d.Panel(r, 0, fill, paint.Pen{})
		d.Hit(k.Path, geom.R(r.MidX()-side/2, r.MidY()-side/2, side, side))
	}
}

// PaintBehind draws what lies under the cards.
func (c *Crowd) PaintBehind(d *paint.Painter) {
	paint.All(d, c.bundles, (*bundlePlan).paint)
	c.paintSmall(d, c.TicksBefore)
}

// paint draws the one line of many watches, and its eye with their number.
func (b *bundlePlan) paint(d *paint.Painter) {
	line := d.Sizes.Line
	if b.fired {
		d.Stroke(&b.way, paint.Pen{Colour: d.Theme.Signal.Fade(b.alpha), Width: line * 3})
		return
	}
	d.Stroke(&b.way, paint.Pen{Colour: d.Theme.Soft, Width: line * 2, Dash: 2 * line, Gap: 3 * line})
	x, y := b.way.At(1)
	d.Eye(x, y, max(4, 6*d.Sizes.K), d.Theme.Soft)
	d.Tag(&b.count, d.Theme.Panel, paint.Pen{})
}
