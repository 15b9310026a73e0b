package scene

// server draws a server of an ensemble.
func (d *painter) server(s *serverPlan) {
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
	d.label(&s.more)
	d.hit(s.id, s.rect)
}

// entry draws a transaction in a log: full if it is committed, an outline on disk, dashed if not even that.
func (d *painter) entry(e *entryPlan) {
	how := pen{colour: d.t.Accent, width: 1.2}
	fill := d.t.Accent
	switch e.look {
	case entryOnDisk:
		fill = 0
	case entryLogged:
		fill, how = 0, pen{colour: d.t.Signal, width: 1.2, dash: 2, gap: 2}
	}
	d.panel(e.rect, 1.5, fill, how)
}

// visit draws a client at the server that it is connected to.
func (d *painter) visit(v *visitPlan) {
	colour := d.t.client(v.index)
	d.circle(v.x, v.y, v.r, colour, pen{})
	d.put(Op{Kind: Text, Text: v.letter.text, X: d.x + float32(v.letter.x), Y: d.y + float32(v.letter.y),
		W: float32(v.letter.room), Size: float32(v.letter.face.size), Bold: true, Anchor: Middle, Fill: on(colour)})
}
