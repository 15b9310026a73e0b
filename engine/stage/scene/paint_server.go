package scene

// paint draws the servers, and on each what it has.
func (e *ensemble) paint(d *painter) {
	all(d, e.servers, (*serverPlan).paint)
	all(d, e.details, (*detailPlan).paint)
	all(d, e.entries, (*entryPlan).paint)
	all(d, e.visits, (*visitPlan).paint)
	all(d, e.refused, (*visitPlan).paint)
	for i := range e.fences {
		paintFence(d, e.fences[i])
	}
	all(d, e.cuts, (*cutPlan).paint)
	all(d, e.silences, (*silencePlan).paint)
}

func (l *letters) paint(d *painter) {
	all(d, l.list, (*letterPlan).paintDot)
	all(d, l.list, (*letterPlan).paint)
}

// paint draws a server of an ensemble.
func (s *serverPlan) paint(d *painter) {
	k := d.m.k
	edge := pen{colour: d.t.Edge, width: max(1, 1.2*k)}
	fill := d.t.Card
	switch {
	case s.leads:
		edge, fill = pen{colour: d.t.Accent, width: max(1.6, 2.2*k)}, d.t.Lit
	case s.down:
		edge.colour, edge.dash, edge.gap, fill = d.t.Grey, 3, 3, d.t.Paper
	case s.votes:
		edge.colour = d.t.Signal
	}
	if s.stressed {
		d.halo(s.rect)
	}
	if s.selected {
		edge = pen{colour: d.t.Ink, width: max(1.5, 2.2*k)}
	}
	d.panel(s.rect, 8*k, fill, edge)
	d.label(&s.name)
	d.label(&s.epoch)
	d.label(&s.cost)
	d.label(&s.more)
	d.hit(s.id, s.rect)
}

// paint draws a transaction in a log, or a snapshot before it, in its epoch's colour: full if applied, pale if
// committed, hatched while in doubt, dashed while not on disk, and crossed out if it will be discarded.
func (e *entryPlan) paint(d *painter) {
	how := pen{colour: epochColour(d.t, e.epoch), width: 1.2}
	fill := d.t.Card
	switch e.look {
	case epochLine:
		d.line(e.x, e.y, e.x, e.bottom(), pen{colour: d.t.Soft, width: max(1, 1.2*d.m.k)})
		return
	case diskEdge:
		d.line(e.x, e.y, e.x, e.bottom(), pen{colour: d.t.Ink, width: max(1.4, 2*d.m.k)})
		return
	case entryGone:
		how = pen{colour: d.t.Signal.Fade(e.alpha), width: 1.4}
		d.panel(e.rect, 1.5, 0, pen{colour: how.colour, width: 1, dash: 2, gap: 2})
		d.cross(e.midX(), e.y+e.h/2, e.h/2, how)
		return
	case entryGoes:
		d.panel(e.rect, 1.5, how.colour.Fade(0.35), how)
		d.cross(e.midX(), e.y+e.h/2, e.h/2, pen{colour: d.t.Signal, width: max(1.4, 2*d.m.k)})
		return
	case entryApplied:
		fill = how.colour
	case entryCommitted:
		fill = how.colour.Fade(0.4)
	}
	if !e.disk && e.look != entryApplied {
		how.dash, how.gap = 2, 2
	}
	d.panel(e.rect, 1.5, fill, how)
	if e.look == entryInDoubt {
		hatch(d, e.rect, how.colour)
	}
}

// paint draws a small shape on a server.
func (s *detailPlan) paint(d *painter) {
	k := d.m.k
	r := s.w / 2
	switch s.look {
	case decides:
		d.line(s.x, s.y, s.right(), s.y, pen{colour: d.t.Ink, width: max(1.2, 1.6*k)})
	case saysSame:
		d.circle(s.midX(), s.midY(), r, d.t.Ink, pen{})
	case saysOther:
		how := pen{colour: d.t.Ink, width: max(1, 1.3*k)}
		d.circle(s.midX(), s.midY(), r-how.width/2, d.t.Card, how)
	case saysNot:
		d.circle(s.midX(), s.midY(), max(1, r*0.45), d.t.Grey, pen{})
	case waits:
		d.panel(s.rect, s.h/2, d.t.Card, pen{colour: d.t.Soft, width: 1})
		d.panel(rect{s.x, s.y, s.w * s.part, s.h}, s.h/2, d.t.Ink, pen{})
	case windowPart:
		d.panel(s.rect, 3, d.t.Lit, pen{colour: d.t.Accent, width: max(1, 1.2*k)})
	case lastLine:
		d.line(s.x, s.y, s.x, s.bottom(), pen{colour: d.t.Ink, width: max(1.4, 2*k)})
	case cutLine:
		d.line(s.x, s.y, s.x, s.bottom(), pen{colour: d.t.Signal, width: max(1.6, 2.4*k), dash: 3, gap: 2})
	case sentLine:
		d.line(s.x, s.y, s.x, s.bottom(), pen{colour: d.t.Accent, width: max(1, 1.4*k)})
	case ghostEntry:
		d.panel(s.rect, 1.5, 0, pen{colour: d.t.Accent, width: 1.2, dash: 2, gap: 2})
	case copied:
		d.panel(s.rect, 3, d.t.Lit, pen{colour: d.t.Accent, width: 1.2, dash: 3, gap: 2})
	}
}

// paintFence draws a barrier that blocks messages between two servers.
func paintFence(d *painter, r rect) {
	w := max(2.4, 3.6*d.m.k)
	d.line(r.midX(), r.y, r.midX(), r.bottom(), pen{colour: d.t.Paper, width: w + 2})
	d.line(r.midX(), r.y, r.midX(), r.bottom(), pen{colour: d.t.Signal, width: w, dash: 2 * w, gap: w})
}

// paint draws scissors, and the servers that a server is cut off from.
func (c *cutPlan) paint(d *painter) {
	d.scissors(c.x, c.y, c.r)
	d.label(&c.from)
}

// hatch draws slanting lines across a rectangle.
func hatch(d *painter, r rect, c Colour) {
	how := pen{colour: c, width: 1}
	for x := r.x; x < r.right(); x += r.h {
		side := min(r.h, r.right()-x)
		d.line(x, r.y+side/2, x+side/2, r.y, how)
		d.line(x, r.y+side, x+side, r.y, how)
		d.line(x+side/2, r.y+side, x+side, r.y+side/2, how)
	}
}

// epochColour returns the colour of an epoch, different from that of the epochs before and after.
func epochColour(t *Theme, n int64) Colour {
	return [...]Colour{t.Client[3], t.Accent, t.Client[0]}[n%3]
}

// paint draws a client at the server that it is connected to.
func (v *visitPlan) paint(d *painter) {
	colour := d.t.client(v.index)
	if v.refused {
		d.circle(v.x, v.y, v.r, d.t.Card, pen{colour: colour, width: max(1.2, 1.6*d.m.k), dash: 2, gap: 2})
		d.inked(&v.letter, d.t.Soft)
		d.cross(v.x, v.y, v.r*0.8, pen{colour: d.t.Signal, width: max(1.6, 2*d.m.k)})
		return
	}
	d.circle(v.x, v.y, v.r, colour, pen{})
	d.put(Op{Kind: Text, Text: v.letter.text, X: d.x + float32(v.letter.x), Y: d.y + float32(v.letter.y),
		W: float32(v.letter.room), Size: float32(v.letter.face.size), Bold: true, Anchor: Middle, Fill: on(colour)})
}

// paintDot draws a message between servers that has no room for its word. It lies below those with words.
func (p *letterPlan) paintDot(d *painter) {
	if p.w > 0 {
		return
	}
	fill, edge, _ := p.inks(d)
	d.circle(p.x, p.y, max(3, 3.6*d.m.k), fill, edge)
}

// paint draws a message between servers, with a tip in the direction it travels.
func (p *letterPlan) paint(d *painter) {
	if p.w == 0 {
		return
	}
	fill, edge, ink := p.inks(d)
	d.panel(p.rect, p.radius, fill, edge)
	d.inked(&p.text, ink)
	tip, back := p.ends()
	half := 3 * max(d.m.k, 0.7)
	d.line(back, p.y-half, tip, p.y, edge)
	d.line(back, p.y+half, tip, p.y, edge)
	if p.lost {
		d.line(p.rect.x+3, p.y, p.rect.right()-3, p.y, edge)
	}
}

// inks returns the style of a message between servers: orange before the leader serves, green afterwards, filled
// if it acknowledges a write.
func (p *letterPlan) inks(d *painter) (fill Colour, edge pen, ink Colour) {
	edge = pen{colour: d.t.Accent, width: max(1.2, 1.6*d.m.k)}
	if p.look == letterVote || p.look == letterTerms {
		edge.colour = d.t.Signal
	}
	fill, ink = d.t.Card, d.t.Ink
	switch {
	case p.lost:
		edge.colour, edge.dash, edge.gap = d.t.Signal, 3, 2
	case p.look == letterAgrees:
		fill, ink = edge.colour, on(edge.colour)
	}
	edge.colour = edge.colour.Fade(p.alpha)
	return fill.Fade(p.alpha), edge, ink.Fade(p.alpha)
}

// ends returns the x of a message's tip, and of the start of its lines.
func (p *letterPlan) ends() (tip, back float64) {
	if p.right {
		return p.rect.right() + tipLength, p.rect.right() + 1
	}
	return p.rect.x - tipLength, p.rect.x - 1
}
