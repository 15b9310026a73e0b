package watch

import (
	"github.com/zkviz/zkviz/engine/stage/scene/paint"
)

// paintLine draws an armed watch as a dotted line, and a fired one as a strong line that fades.
func (w *watchPlan) paintLine(d *paint.Painter) {
	how := paint.Pen{Colour: d.Theme.Of(w.client).Fade(w.alpha), Width: d.Sizes.Line}
	switch w.look {
	case armedWatch:
		if w.selected {
			how.Width *= 1.7
		}
		how.Dash, how.Gap = max(1.5, 2*d.Sizes.K), max(3, 4.5*d.Sizes.K)
	case firedWatch:
		how = paint.Pen{Colour: d.Theme.Signal.Fade(w.alpha), Width: d.Sizes.Line * 1.25}
	case removedWatch:
		how.Colour, how.Dash, how.Gap = d.Theme.Grey.Fade(w.alpha), 1, 6
	}
	if w.alpha > 0 {
		d.Stroke(&w.way, how)
	}
}

// PaintLines draws the lines of the watches.
func (ws *Watches) PaintLines(d *paint.Painter) { paint.All(d, ws.lines, (*watchPlan).paintLine) }

// PaintEnds draws the eyes of armed watches, and the notifications of fired ones.
func (ws *Watches) PaintEnds(d *paint.Painter) {
	for i := range ws.lines {
		ws.lines[i].paintEnd(d, ws.f.Routes.Fine)
	}
}

func (w *watchPlan) paintEnd(d *paint.Painter, fine bool) {
	if w.eye > 0 {
		x, y := w.way.At(1)
		d.Eye(x, y, w.eye, d.Theme.Of(w.client))
	}
	if !w.pulse {
		return
	}
	r := PulseR(d.Sizes, fine)
	if fine {
		d.Circle(w.x, w.y, r, d.Theme.Signal, paint.Pen{Colour: d.Theme.Paper, Width: 1})
		return
	}
	d.Circle(w.x, w.y, r, d.Theme.Signal, paint.Pen{Colour: d.Theme.Paper, Width: max(1, 1.5*d.Sizes.K)})
	d.Bang(w.x, w.y, r, paint.Pen{Colour: d.Theme.OnSig, Width: max(1.4, r*0.26)})
}
