package scene

import (
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
	"github.com/zkviz/zkviz/engine/stage/scene/paint"
)

// paint paints everything, from the bottom up.
func (l *Layout) paint(d *paint.Painter) {
	l.servers.Paint(d)
	l.letters.Paint(d)
	l.znodes.PaintBox(d)
	l.remote.PaintBoxes(d)
	paint.All(d, l.floor.Wires, (*paint.Wire).Paint)
	l.znodes.PaintRows(d)
	l.watches.PaintLines(d)
	l.crowd.PaintBehind(d)
	d.Labels(l.floor.Texts)
	l.znodes.PaintCards(d)
	l.crowd.PaintTicks(d)
	l.znodes.PaintVeil(d)
	l.remote.Paint(d)
	l.clients.PaintLinks(d)
	l.messages.PaintRequests(d)
	l.clients.Paint(d)
	l.watches.PaintEnds(d)
	l.crowd.PaintEvents(d)
	l.messages.Paint(d)
	l.store.PaintWays(d)
	l.transcript.Paint(d)
	l.store.Paint(d)
	l.strip.Paint(d)
}

// Marks returns the marks of the picture in a new list.
func (p *Plan) Marks() []mark.Mark {
	marks := make([]mark.Mark, 0, len(p.l.floor.Marks))
	for _, m := range p.l.floor.Marks {
		if m.W > 0 && m.H > 0 {
			marks = append(marks, m)
		}
	}
	return p.l.store.Marked(marks)
}

// Hidden says why a mark can't be seen in its frame, or returns "".
func (f *Frame) Hidden(m mark.Mark) string { return m.Hidden(f.Ops, f.Width, f.Height) }
