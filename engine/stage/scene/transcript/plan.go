package transcript

import (
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/paint"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// waitPlan is the bar beside a statement without a result, from its line down.
type waitPlan struct {
	geom.Rect
	client int
	open   bool // the client still waits
}

type plan struct {
	geom.Rect              // zero height for none
	lines     []text.Label // statements and results
	waits     []waitPlan
}

// Paint draws the transcript.
func (t *Transcript) Paint(d *paint.Painter) {
	p := &t.plan
	if p.H == 0 {
		return
	}
	d.Panel(p.Rect, min(8*d.Sizes.K, p.H/4), d.Theme.Card, paint.Pen{Colour: d.Theme.Faint, Width: 1})
	for i := range p.waits {
		w := &p.waits[i]
		colour := d.Theme.Of(w.client)
		if !w.open {
			colour = colour.Fade(0.4)
		}
		d.Panel(w.Rect, 1, colour, paint.Pen{})
	}
	d.Labels(p.lines)
}
