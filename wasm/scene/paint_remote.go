package scene

// remote draws a node of a system that is not ZooKeeper.
func (d *painter) remote(b *remotePlan) {
	k := d.m.k
	edge, fill := pen{colour: d.t.Edge, width: max(1, 1.2*k)}, d.t.Panel
	switch {
	case b.down:
		edge = pen{colour: d.t.Signal, width: max(1.5, 2*k), dash: 6, gap: 5}
		fill = d.t.Paper
	case b.leads:
		edge = pen{colour: d.t.Soft, width: max(1.8, 2.4*k)}
	}
	if b.stressed {
		d.halo(b.rect)
	}
	d.panel(b.rect, d.m.corner, fill, edge)
	if b.selected {
		d.panel(b.grown(3*k), d.m.corner, 0, pen{colour: d.t.Ink, width: max(1.5, 2*k)})
	}
	d.label(&b.name)
	d.label(&b.note)
	d.label(&b.more)
	if c := &b.clock; c.r > 0 {
		d.clock(c.x, c.y, c.r, pen{colour: d.t.Signal, width: max(1.2, c.r*0.22)})
	}
	d.hit(b.id, b.rect)
}

// clock is a small face with two hands.
func (d *painter) clock(x, y, r float64, how pen) {
	d.circle(x, y, r, 0, how)
	d.line(x, y-r*0.55, x, y, how)
	d.line(x, y, x+r*0.4, y+r*0.25, how)
}

// key draws an entry at a node: in its owner's colour, with a bar of the time that it still has.
func (d *painter) key(b *keyPlan) {
	k := d.m.k
	fill, edge := d.t.Card, pen{colour: d.t.Soft, width: max(1.2, 1.8*k)}
	switch {
	case b.look == keyMissing:
		fill, edge = 0, pen{colour: d.t.Grey, width: max(1, 1.2*k), dash: 2, gap: 4}
	case b.owner >= 0:
		edge.colour = d.t.client(b.owner)
	}
	if b.look == keyInDoubt {
		edge.dash, edge.gap = 4*max(k, 0.8), 3*max(k, 0.8)
	}
	if b.held {
		fill = d.t.Lit
	}
	edge.colour = edge.colour.Fade(b.alpha)
	if b.stressed {
		d.halo(b.rect)
	}
	d.panel(b.rect, 7*k, fill.Fade(b.alpha), edge)
	if b.badge.w > 0 {
		own := d.t.client(b.owner)
		d.panel(b.badge, 6*k, own.Fade(b.alpha), pen{})
		d.inked(&b.letter, on(own).Fade(b.alpha))
	}
	if b.selected {
		d.panel(b.grown(3*k), 9*k, 0, pen{colour: d.t.Ink, width: max(1.5, 2*k)})
	}
	if b.flash > 0 {
		d.panel(b.grown(3*k), 9*k, 0, pen{colour: d.t.Accent.Fade(b.flash), width: 3 * k})
	}
	d.label(&b.name)
	d.label(&b.version)
	d.label(&b.second)
	d.lasts(b)
	if b.struck > 0 {
		y := b.name.y - b.name.face.size*0.32 // through its name, not through why it has gone
		d.line(b.name.x, y, b.right()-3, y, pen{colour: d.t.Soft.Fade(b.struck), width: max(1, 1.3*k)})
	}
	d.tab(&b.tab)
	d.hit(b.id, b.rect)
}

// lasts draws how long an entry still lasts: a bar that runs out, or the sign of what never ends.
func (d *painter) lasts(b *keyPlan) {
	if b.bar.w > 0 {
		colour := d.t.Accent
		if b.low {
			colour = d.t.Signal
		}
		d.panel(b.bar, b.bar.h/2, d.t.Faint, pen{})
		if w := b.bar.w * b.left; w > 0 {
			d.panel(rect{b.bar.x, b.bar.y, max(w, min(b.bar.h, b.bar.w)), b.bar.h}, b.bar.h/2, colour, pen{})
		}
	}
	if f := &b.forever; f.r > 0 {
		how := pen{colour: d.t.Soft, width: max(1.2, f.r*0.35)}
		d.circle(f.x-f.r, f.y, f.r, 0, how)
		d.circle(f.x+f.r, f.y, f.r, 0, how)
	}
	d.label(&b.time)
}

// stand draws a client in line at an entry.
func (d *painter) stand(s *standPlan) {
	if s.index < 0 {
		d.label(&s.letter)
		return
	}
	own := d.t.client(s.index)
	edge := pen{colour: d.t.Paper, width: max(1, d.m.k)}
	if s.holds {
		edge = pen{colour: d.t.Accent, width: max(2, 2.4*d.m.k)}
	}
	d.circle(s.x, s.y, s.r, own, edge)
	d.inked(&s.letter, on(own))
}
