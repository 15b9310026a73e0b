package strip

import (
	"github.com/zkviz/zkviz/engine/stage/scene/paint"
)

// Paint draws the figures.
func (t *Strip) Paint(d *paint.Painter) { t.plan.paint(d) }

// paint draws the line of figures.
func (s *stripPlan) paint(d *paint.Painter) {
	d.Panel(s.Rect, min(8*d.Sizes.K, d.Sizes.StripH/3), d.Theme.Card, paint.Pen{Colour: d.Theme.Faint, Width: 1})
	d.Tag(&s.inside, d.Theme.Accent, paint.Pen{})
	d.Label(&s.left)
	d.Label(&s.right)
}
