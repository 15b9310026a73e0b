package message

import (
	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/paint"
)

// PaintParticles draws messages or events of dots.
func PaintParticles(d *paint.Painter, list []Particle) {
	for i := range list {
		p := &list[i]
		x, y, r := float64(p.X), float64(p.Y), float64(p.R)
		switch p.Look {
		case EventParticle:
			d.Circle(x, y, r, d.Theme.Signal, paint.Pen{})
		case RequestParticle:
			d.Circle(x, y, r, d.Theme.Accent, paint.Pen{})
		case ReplyParticle:
			d.Circle(x, y, r, d.Theme.Card, paint.Pen{Colour: d.Theme.Accent, Width: max(1, r*0.4)})
		case LostParticle:
			d.Cross(x, y, r*1.5, paint.Pen{Colour: d.Theme.Signal, Width: 1.5})
		}
	}
}

// PaintRequests draws the messages of the dots.
func (ms *Messages) PaintRequests(d *paint.Painter) { PaintParticles(d, ms.Requests) }

// Paint draws the messages, starting with those that lie under others.
func (ms *Messages) Paint(d *paint.Painter) {
	for _, under := range [2]bool{true, false} {
		for i := range ms.List {
			if ms.List[i].Under == under {
				ms.List[i].paint(d)
			}
		}
	}
}

// paint draws a message with its word, or a dot if there is no room. A request is filled, a reply is an outline. The
// tip shows the direction.
func (m *Plan) paint(d *paint.Painter) {
	k := d.Sizes.K
	switch m.Look {
	case LostMessage:
		if m.Word.W > 0 {
			m.paintStruck(d)
			return
		}
		d.Circle(m.X, m.Y, max(5, 7*k), d.Theme.Paper.Fade(m.Alpha), paint.Pen{})
		d.Cross(m.X, m.Y, max(3.5, 5*k), paint.Pen{Colour: d.Theme.Signal.Fade(m.Alpha), Width: max(2, 2.6*k)})
		return
	case Pushed:
		m.paintPush(d)
		return
	case Beat:
		d.Circle(m.X, m.Y, max(1.8, 2.4*k), d.Theme.Soft, paint.Pen{})
		return
	}
	ground := m.Word.Rect
	if m.Look == Wordless {
		ground = geom.R(m.X, m.Y, 0, 0)
	}
	d.Part(display.Hit{ID: m.Name, Part: display.MessagePart, Message: m.Seq}, ground)
	own := d.Theme.Of(m.Client)
	fill, edge, colour, tail := own, paint.Pen{}, paint.On(own), own
	if m.Reply {
		fill, edge, colour = d.Theme.Card, paint.Pen{Colour: own, Width: max(1.2, 1.8*k)}, d.Theme.Ink
		if m.Bad {
			edge.Colour, colour = d.Theme.Signal, d.Theme.Signal
		}
		tail = edge.Colour
	}
	if m.Look == Wordless {
		d.Circle(m.X, m.Y, max(3, 4*k), fill, edge)
		return
	}
	m.paintTip(d, paint.Pen{Colour: tail, Width: max(1.6, 2.2*k)})
	d.Panel(m.Word.Rect, m.Word.Radius, fill, edge)
	d.Inked(&m.Word.Text, colour)
	switch e := &m.Eye; {
	case e.R == 0:
	case m.Reply:
		d.Cross(e.X, e.Y, e.R*0.7, paint.Pen{Colour: colour, Width: max(1.4, e.R*0.4)})
	default:
		d.GlyphEye(e.X, e.Y, e.R, colour)
	}
}

// paintPush draws a message that a node sends on its own.
func (m *Plan) paintPush(d *paint.Painter) {
	d.Part(display.Hit{ID: m.Name, Part: display.MessagePart, Message: m.Seq}, geom.R(m.X, m.Y, 0, 0))
	d.Circle(m.X, m.Y, m.Bang, d.Theme.Signal, paint.Pen{Colour: d.Theme.Paper, Width: max(1, 1.5*d.Sizes.K)})
	d.Bang(m.X, m.Y, m.Bang, paint.Pen{Colour: d.Theme.OnSig, Width: max(1.4, m.Bang*0.26)})
}

// paintStruck draws a lost message with its word, struck out.
func (m *Plan) paintStruck(d *paint.Painter) {
	r, how := m.Word.Rect, paint.Pen{Colour: d.Theme.Signal.Fade(m.Alpha), Width: max(1.6, 2.2*d.Sizes.K)}
	edge := paint.Pen{Colour: how.Colour, Width: how.Width * 0.7, Dash: 3, Gap: 2}
	d.Panel(r, m.Word.Radius, d.Theme.Card.Fade(m.Alpha), edge)
	d.Inked(&m.Word.Text, d.Theme.Ink.Fade(m.Alpha))
	over := r.H * 0.35
	d.Line(r.X-over, r.Bottom()+over*0.2, r.Right()+over, r.Y-over*0.2, how)
}

func (m *Plan) paintTip(d *paint.Painter, how paint.Pen) {
	h := m.Word.H
	y, tip := m.Y+h/2, h*0.3
	if m.Up {
		y, tip = m.Y-h/2, -tip
	}
	d.Line(m.X-h*0.3, y, m.X, y+tip, how)
	d.Line(m.X+h*0.3, y, m.X, y+tip, how)
}
