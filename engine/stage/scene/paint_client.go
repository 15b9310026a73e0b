package scene

// paint draws the dots, and then the clients with a letter.
func (cs *clients) paint(d *painter) {
	all(d, cs.dots, (*dotPlan).paint)
	all(d, cs.letters, (*clientPlan).paint)
}

// paint draws a client's connection, and the stem from there to the client's own znode.
func (l *linkPlan) paint(d *painter) {
	k := d.m.k
	d.part(Hit{ID: l.name, Part: LinkPart}, rect{l.x, l.top, 0, l.bottom - l.top})
	how := pen{colour: d.t.Edge, width: max(1, 1.4*k)}
	if l.back {
		how = pen{colour: d.t.Accent, width: 2 * how.width}
	}
	if !l.broken {
		d.line(l.x, l.top, l.x, l.bottom, how)
		d.circle(l.x, l.top, max(2, 2.8*k), d.t.Edge, pen{})
		if l.stem > 0 {
			d.line(l.x, l.stem, l.x, l.top, pen{colour: d.t.client(l.client), width: max(1.2, 1.8*k)})
		}
		return
	}
	mid, gap := mix(l.top, l.bottom, cutAt), max(6, 9*k)
	how.dash, how.gap = 3, 3
	d.line(l.x, l.top, l.x, mid-gap, how)
	d.line(l.x, mid+gap, l.x, l.bottom, how)
	d.scissors(l.x, mid, max(6, 9*k))
}

// scissors draws the mark for a link that passes nothing: two blades, open to the link, and their rings.
func (d *painter) scissors(x, y, r float64) {
	how := pen{colour: d.t.Signal, width: max(1.4, r*0.2)}
	d.line(x+r*0.9, y-r*0.45, x-r*0.9, y+r*0.45, how)
	d.line(x+r*0.9, y+r*0.45, x-r*0.9, y-r*0.45, how)
	d.circle(x-r*1.15, y+r*0.55, r*0.32, 0, how)
	d.circle(x-r*1.15, y-r*0.55, r*0.32, 0, how)
}

// paint draws a client: the ring that runs down, the letter, the sign and the words.
func (c *clientPlan) paint(d *painter) {
	k, ring := d.m.k, ringOf(c.r)
	if c.lit {
		d.circle(c.x, c.y, ring+c.r*0.22, d.t.Accent.Fade(0.2), pen{colour: d.t.Accent, width: max(1.2, 2*k)})
	}
	if c.stressed {
		how := pen{colour: d.t.Signal, width: max(1.5, 2*k), dash: 2, gap: 4}
		d.circle(c.x, c.y, ring+c.r*0.32, d.t.Signal.Fade(0.08), how)
	}
	if c.selected {
		d.circle(c.x, c.y, ring+c.r*0.3, 0, pen{colour: d.t.Ink, width: max(1.5, 2.2*k)})
	}
	c.paintRing(d, ring)
	c.paintDisc(d)
	c.paintSign(d)
	c.paintTimer(d)
	c.paintPips(d)
	d.label(&c.word)
	d.tag(&c.belief, d.t.Signal, pen{})
	d.label(&c.second)
	if w := &c.wrong; w.r > 0 {
		d.circle(w.x, w.y, w.r, d.t.Signal, pen{})
		d.bang(w.x, w.y, w.r, pen{colour: d.t.OnSig, width: max(1.2, w.r*0.3)})
	}
	d.tag(&c.note, d.t.Card, pen{colour: d.t.Edge, width: 1})
	d.tag(&c.pending, d.t.Signal, pen{colour: d.t.Paper, width: max(1, 1.4*k)})
	side := max(ring*2, 24)
	d.hit(c.name, rect{c.x - side/2, c.y - side/2, side, side})
}

func (c *clientPlan) paintRing(d *painter, ring float64) {
	w, colour := max(2, c.r*0.21), d.t.client(c.index)
	switch c.ring {
	case noSession:
		d.circle(c.x, c.y, ring, 0, pen{colour: d.t.Grey, width: max(1, w*0.25), dash: 2, gap: 5})
		return
	case unknownLeft:
		d.circle(c.x, c.y, ring, 0, pen{colour: colour, width: w})
		return
	}
	d.circle(c.x, c.y, ring, 0, pen{colour: d.t.Faint, width: w})
	if c.left < 0.25 {
		colour = d.t.Signal
	}
	if c.left > 0 {
		d.arc(c.x, c.y, ring, c.left, pen{colour: colour, width: w})
	}
}

func (c *clientPlan) paintDisc(d *painter) {
	own := d.t.client(c.index)
	fill, edge, colour := own, pen{colour: own, width: max(1, 1.5*d.m.k)}, on(own)
	switch c.disc {
	case crashed, expired:
		edge.dash, edge.gap = 3, 2
		fill, colour = d.t.Grey, darkInk
	case absent:
		fill, colour = d.t.Card, d.t.Ink
	default:
		edge = pen{}
	}
	d.circle(c.x, c.y, c.r, fill, edge)
	if c.index >= len(d.t.Client) && c.disc != absent && c.r >= 8 {
		d.circle(c.x, c.y, c.r*0.84, 0, pen{colour: colour.Fade(0.55), width: 1}) // the colours repeat: a second sign
	}
	d.inked(&c.letter, colour)
}

// inked writes a text in a colour chosen for its background.
func (d *painter) inked(b *label, colour Colour) {
	if b.text == "" {
		return
	}
	d.label(b)
	d.f.Ops[len(d.f.Ops)-1].Fill = colour
}

// paintSign draws a small badge at the upper right of a client.
func (c *clientPlan) paintSign(d *painter) {
	if c.sign == plain || c.sign == absent || c.sign == inside {
		return
	}
	r := max(4.5, c.r*0.4)
	x, y := c.x+c.r*0.98, c.y-c.r*0.98
	fill, colour := d.t.Signal, d.t.OnSig
	if c.sign != woken && c.sign != lost {
		fill, colour = d.t.Ink, d.t.Paper
	}
	d.circle(x, y, r, fill, pen{colour: d.t.Paper, width: max(1, 1.4*d.m.k)})
	how := pen{colour: colour, width: max(1.2, r*0.3)}
	switch c.sign {
	case woken:
		d.bang(x, y, r, how)
	case paused:
		d.line(x-r*0.28, y-r*0.4, x-r*0.28, y+r*0.4, how)
		d.line(x+r*0.28, y-r*0.4, x+r*0.28, y+r*0.4, how)
	case crashed, expired, lost:
		d.cross(x, y, r*0.38, how)
	case cut:
		d.line(x-r*0.5, y, x-r*0.2, y, how)
		d.line(x+r*0.2, y, x+r*0.5, y, how)
	}
}

// paint draws a client too small for a letter. Its shape shows its state: filled waits, large and ringed is inside, a
// ring is not in the queue, a ring with a point is connected, a cross is dead.
func (c *dotPlan) paint(d *painter) {
	x, y, r := float64(c.x), float64(c.y), float64(c.r)
	switch c.look {
	case dotInside:
		d.circle(x, y, r*1.5, d.t.Accent, pen{colour: d.t.Paper, width: max(0.8, r*0.3)})
	case dotWrong:
		d.circle(x, y, r*1.4, d.t.Card, pen{colour: d.t.Signal, width: max(1.2, r*0.5)})
	case dotWoken:
		d.circle(x, y, r, d.t.Signal, pen{})
	case dotDead:
		d.cross(x, y, r*0.7, pen{colour: d.t.Soft, width: max(0.8, r*0.4)})
	case dotStopped:
		d.circle(x, y, r*0.9, d.t.Card, pen{colour: d.t.Ink, width: max(0.8, r*0.4)})
	case dotAbsent:
		d.circle(x, y, r*0.8, 0, pen{colour: d.t.Grey, width: max(0.7, r*0.3)})
	case dotThere:
		d.circle(x, y, r*0.8, 0, pen{colour: d.t.Soft, width: max(0.7, r*0.3)})
		d.circle(x, y, r*0.35, d.t.Soft, pen{})
	default:
		d.circle(x, y, r*0.9, d.t.Soft, pen{})
	}
	if c.selected {
		d.circle(x, y, r*2, 0, pen{colour: d.t.Ink, width: 1.5})
	}
	side := max(r*2.4, 3)
	d.hit(c.name, rect{x - side/2, y - side/2, side, side})
}
