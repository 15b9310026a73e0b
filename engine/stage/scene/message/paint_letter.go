package message

import (
	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/paint"
)

// Paint draws the messages between servers, those with words on top.
func (l *Letters) Paint(d *paint.Painter) {
	paint.All(d, l.List, (*Letter).paintWay)
	paint.All(d, l.List, (*Letter).paintDot)
	paint.All(d, l.List, (*Letter).paint)
}

// paintWay draws a line from the sender, which has the dot, to the receiver. It lies below all messages.
func (p *Letter) paintWay(d *paint.Painter) {
	if p.Way == (geom.Cubic{}) {
		return
	}
	_, edge, _ := p.inks(d)
	colour, w := edge.Colour.Fade(0.5*p.Alpha), &p.Way
	d.Line(w.X0, w.Y0, w.X3, w.Y3, paint.Pen{Colour: colour, Width: max(1, 1.2*d.Sizes.K)})
	d.Circle(w.X0, w.Y0, max(2, 2.6*d.Sizes.K), colour, paint.Pen{})
}

// paintDot draws a message between servers that has no room for its word. It lies below those with words.
func (p *Letter) paintDot(d *paint.Painter) {
	if p.W > 0 {
		return
	}
	p.part(d, geom.R(p.X, p.Y, 0, 0))
	fill, edge, _ := p.inks(d)
	d.Circle(p.X, p.Y, max(3, 3.6*d.Sizes.K), fill, edge)
}

// paint draws a message between servers, with a tip in the direction it travels.
func (p *Letter) paint(d *paint.Painter) {
	if p.W == 0 {
		return
	}
	p.part(d, p.Rect)
	fill, edge, ink := p.inks(d)
	d.Panel(p.Rect, p.Radius, fill, edge)
	d.Inked(&p.Text, ink)
	half := 3 * max(d.Sizes.K, 0.7)
	if p.Upright {
		x, y, tip := p.Rect.MidX(), p.Rect.Y-1, p.Rect.Y-TipLength
		if p.Right {
			y, tip = p.Rect.Bottom()+1, p.Rect.Bottom()+TipLength
		}
		d.Line(x-half, y, x, tip, edge)
		d.Line(x+half, y, x, tip, edge)
	} else {
		tip, back := p.ends()
		d.Line(back, p.Y-half, tip, p.Y, edge)
		d.Line(back, p.Y+half, tip, p.Y, edge)
	}
	if p.Lost {
		d.Line(p.Rect.X+3, p.Y, p.Rect.Right()-3, p.Y, edge)
	}
}

// part lets the pointer find a message to which something can be done.
func (p *Letter) part(d *paint.Painter, r geom.Rect) {
	if p.From != "" {
		d.Part(display.Hit{ID: p.From, Part: display.MessagePart, Message: p.Seq}, r)
	}
}

// inks returns the style of a message between servers: orange before the leader serves, green afterwards, filled
// if it acknowledges a write.
func (p *Letter) inks(d *paint.Painter) (fill display.Colour, edge paint.Pen, ink display.Colour) {
	edge = paint.Pen{Colour: d.Theme.Accent, Width: max(1.2, 1.6*d.Sizes.K)}
	if p.Look == LetterVote || p.Look == LetterTerms {
		edge.Colour = d.Theme.Signal
	}
	fill, ink = d.Theme.Card, d.Theme.Ink
	switch {
	case p.Lost:
		edge.Colour, edge.Dash, edge.Gap = d.Theme.Signal, 3, 2
	case p.Look == LetterAgrees:
		fill, ink = edge.Colour, paint.On(edge.Colour)
	}
	edge.Colour = edge.Colour.Fade(p.Alpha)
	return fill.Fade(p.Alpha), edge, ink.Fade(p.Alpha)
}

// ends returns the x of a message's tip, and of the start of its lines.
func (p *Letter) ends() (tip, back float64) {
	if p.Right {
		return p.Rect.Right() + TipLength, p.Rect.Right() + 1
	}
	return p.Rect.X - TipLength, p.Rect.X - 1
}
