package scene

// paintLine draws an armed watch as a dotted line, and a fired one as a strong line that fades.
func (w *watchPlan) paintLine(d *painter) {
	how := pen{colour: d.t.client(w.client).Fade(w.alpha), width: d.m.line}
	switch w.look {
	case armedWatch:
		if w.selected {
			how.width *= 1.7
		}
		how.dash, how.gap = max(1.5, 2*d.m.k), max(3, 4.5*d.m.k)
	case firedWatch:
		how = pen{colour: d.t.Signal.Fade(w.alpha), width: d.m.line * 1.25}
	case removedWatch:
		how.colour, how.dash, how.gap = d.t.Grey.Fade(w.alpha), 1, 6
	}
	if w.alpha > 0 {
		d.stroke(&w.way, how)
	}
}

// paintEnds draws the eyes of armed watches, and the notifications of fired ones.
func (ws *watches) paintEnds(d *painter) {
	for i := range ws.lines {
		ws.lines[i].paintEnd(d, ws.routes.fine)
	}
}

func (w *watchPlan) paintEnd(d *painter, fine bool) {
	if w.eye > 0 {
		x, y := w.way.at(1)
		d.eye(x, y, w.eye, d.t.client(w.client))
	}
	if !w.pulse {
		return
	}
	r := pulseR(d.m, fine)
	if fine {
		d.circle(w.x, w.y, r, d.t.Signal, pen{colour: d.t.Paper, width: 1})
		return
	}
	d.circle(w.x, w.y, r, d.t.Signal, pen{colour: d.t.Paper, width: max(1, 1.5*d.m.k)})
	d.bang(w.x, w.y, r, pen{colour: d.t.OnSig, width: max(1.4, r*0.26)})
}

// paint draws the one line of many watches, and its eye with their number.
func (b *bundlePlan) paint(d *painter) {
	line := d.m.line
	if b.fired {
		d.stroke(&b.way, pen{colour: d.t.Signal.Fade(b.alpha), width: line * 3})
		return
	}
	d.stroke(&b.way, pen{colour: d.t.Soft, width: line * 2, dash: 2 * line, gap: 3 * line})
	x, y := b.way.at(1)
	d.eye(x, y, max(4, 6*d.m.k), d.t.Soft)
	d.tag(&b.count, d.t.Panel, pen{})
}

// paintParticles draws messages or events of dots.
func paintParticles(d *painter, list []particle) {
	for i := range list {
		p := &list[i]
		x, y, r := float64(p.x), float64(p.y), float64(p.r)
		switch p.look {
		case eventParticle:
			d.circle(x, y, r, d.t.Signal, pen{})
		case requestParticle:
			d.circle(x, y, r, d.t.Accent, pen{})
		case replyParticle:
			d.circle(x, y, r, d.t.Card, pen{colour: d.t.Accent, width: max(1, r*0.4)})
		case lostParticle:
			d.cross(x, y, r*1.5, pen{colour: d.t.Signal, width: 1.5})
		}
	}
}

// paint draws the messages, starting with those that lie under others.
func (ms *messages) paint(d *painter) {
	for _, under := range [2]bool{true, false} {
		for i := range ms.list {
			if ms.list[i].under == under {
				ms.list[i].paint(d)
			}
		}
	}
}

// paint draws a message with its word, or a dot if there is no room. A request is filled, a reply is an outline. The
// tip shows the direction.
func (m *messagePlan) paint(d *painter) {
	k := d.m.k
	switch m.look {
	case lostMessage:
		if m.word.w > 0 {
			m.paintStruck(d)
			return
		}
		d.circle(m.x, m.y, max(5, 7*k), d.t.Paper.Fade(m.alpha), pen{})
		d.cross(m.x, m.y, max(3.5, 5*k), pen{colour: d.t.Signal.Fade(m.alpha), width: max(2, 2.6*k)})
		return
	case pushed:
		m.paintPush(d)
		return
	case ping:
		d.circle(m.x, m.y, max(1.8, 2.4*k), d.t.Soft, pen{})
		return
	}
	ground := m.word.rect
	if m.look == wordless {
		ground = rect{m.x, m.y, 0, 0}
	}
	d.part(Hit{ID: m.name, Part: MessagePart, Message: m.seq}, ground)
	own := d.t.client(m.client)
	fill, edge, colour, tail := own, pen{}, on(own), own
	if m.reply {
		fill, edge, colour = d.t.Card, pen{colour: own, width: max(1.2, 1.8*k)}, d.t.Ink
		if m.bad {
			edge.colour, colour = d.t.Signal, d.t.Signal
		}
		tail = edge.colour
	}
	if m.look == wordless {
		d.circle(m.x, m.y, max(3, 4*k), fill, edge)
		return
	}
	m.paintTip(d, pen{colour: tail, width: max(1.6, 2.2*k)})
	d.panel(m.word.rect, m.word.radius, fill, edge)
	d.inked(&m.word.text, colour)
	switch e := &m.eye; {
	case e.r == 0:
	case m.reply:
		d.cross(e.x, e.y, e.r*0.7, pen{colour: colour, width: max(1.4, e.r*0.4)})
	default:
		d.glyphEye(e.x, e.y, e.r, colour)
	}
}

// paintPush draws a message that a node sends on its own.
func (m *messagePlan) paintPush(d *painter) {
	d.part(Hit{ID: m.name, Part: MessagePart, Message: m.seq}, rect{m.x, m.y, 0, 0})
	d.circle(m.x, m.y, m.bang, d.t.Signal, pen{colour: d.t.Paper, width: max(1, 1.5*d.m.k)})
	d.bang(m.x, m.y, m.bang, pen{colour: d.t.OnSig, width: max(1.4, m.bang*0.26)})
}

// paintStruck draws a lost message with its word, struck out.
func (m *messagePlan) paintStruck(d *painter) {
	r, how := m.word.rect, pen{colour: d.t.Signal.Fade(m.alpha), width: max(1.6, 2.2*d.m.k)}
	d.panel(r, m.word.radius, d.t.Card.Fade(m.alpha), pen{colour: how.colour, width: how.width * 0.7, dash: 3, gap: 2})
	d.inked(&m.word.text, d.t.Ink.Fade(m.alpha))
	over := r.h * 0.35
	d.line(r.x-over, r.bottom()+over*0.2, r.right()+over, r.y-over*0.2, how)
}

// glyphEye draws an eye without a background.
func (d *painter) glyphEye(x, y, r float64, c Colour) {
	how := pen{colour: c, width: max(1, r*0.3)}
	d.curve(cubic{x - r*1.3, y, x - r*0.5, y - r*1.2, x + r*0.5, y - r*1.2, x + r*1.3, y}, how, 0)
	d.curve(cubic{x - r*1.3, y, x - r*0.5, y + r*1.2, x + r*0.5, y + r*1.2, x + r*1.3, y}, how, 0)
	d.circle(x, y, r*0.4, c, pen{})
}

func (m *messagePlan) paintTip(d *painter, how pen) {
	h := m.word.h
	y, tip := m.y+h/2, h*0.3
	if m.up {
		y, tip = m.y-h/2, -tip
	}
	d.line(m.x-h*0.3, y, m.x, y+tip, how)
	d.line(m.x+h*0.3, y, m.x, y+tip, how)
}
