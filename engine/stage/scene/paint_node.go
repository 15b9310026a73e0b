package scene

// paint draws the box.
func (b *boxPlan) paint(d *painter) {
	if b.w == 0 {
		return // none to draw
	}
	k := d.m.k
	edge := pen{colour: d.t.Edge, width: max(1, 1.2*k)}
	if b.lost {
		edge = pen{colour: d.t.Signal, width: max(1.5, 2*k), dash: 6, gap: 5}
	}
	d.panel(b.rect, d.m.corner, d.t.Panel, edge)
	d.label(&b.name)
	d.label(&b.note)
}

func (w *wire) paint(d *painter) {
	how := pen{colour: d.t.Edge, width: max(1, 1.4*d.m.k)}
	switch w.look {
	case bentWire:
		d.curve(w.cubic, how, 0)
		return
	case rowWire:
		how.width = max(1, 1.3*d.m.k)
	case divider:
		how = pen{colour: d.t.Faint, width: max(1, 1.2*d.m.k), dash: 2, gap: 5}
	}
	d.dashed(w.cubic, how, 0)
}

// paint draws a znode: dashed if it is ephemeral, lit if its owner is inside, faint as it goes.
func (n *nodePlan) paint(d *painter) {
	k := d.m.k
	if n.stressed {
		d.halo(n.rect)
	}
	if n.look == asMore {
		d.label(&n.name)
		d.hit(n.path, n.hit)
		return
	}
	fill, edge := n.ground(d)
	d.panel(n.rect, 7*k, fill, edge)
	if n.selected {
		d.panel(n.rect.grown(3*k), 9*k, 0, pen{colour: d.t.Ink, width: max(1.5, 2*k)})
	}
	if n.flash > 0 {
		d.panel(n.rect.grown(3*k), 9*k, 0, pen{colour: d.t.Accent.Fade(n.flash), width: 3 * k})
	}
	d.label(&n.name)
	if n.tie.w > 0 {
		d.panel(n.tie, n.tie.h/2, d.t.Signal.Fade(n.alpha), pen{})
	}
	d.label(&n.second)
	d.label(&n.third)
	if n.struck > 0 {
		d.line(n.x+3, n.midY(), n.right()-3, n.midY(), pen{colour: d.t.Soft.Fade(n.struck), width: max(1, 1.3*k)})
	}
	n.tab.paint(d)
	d.hit(n.path, n.hit)
}

func (n *nodePlan) ground(d *painter) (fill Colour, edge pen) {
	k := d.m.k
	switch n.look {
	case asRoot:
		return d.t.Card, pen{colour: d.t.Soft, width: max(1, 1.3*k)}
	case asMissing:
		return 0, pen{colour: d.t.Grey, width: max(1, 1.2*k), dash: 2, gap: 4}
	}
	fill, edge = d.t.Card, pen{colour: d.t.Soft, width: max(1.2, 1.8*k)}
	if n.owner >= 0 {
		edge.colour = d.t.client(n.owner)
	}
	if n.held {
		fill = d.t.Lit
	}
	if n.dashed {
		edge.dash, edge.gap = 4*max(k, 0.8), 3*max(k, 0.8)
	}
	edge.colour = edge.colour.Fade(n.alpha)
	return fill.Fade(n.alpha), edge
}

// halo emphasizes what is in focus.
func (d *painter) halo(r rect) {
	k := d.m.k
	d.panel(r.grown(4*k), 9*k, d.t.Signal.Fade(0.14), pen{colour: d.t.Signal, width: max(1.5, 2*k), dash: 2, gap: 3})
}

func (b *tabPlan) paint(d *painter) {
	switch {
	case b.bar:
		d.panel(b.rect, 2, d.t.Accent, pen{})
	case b.shown:
		d.tag(&b.tag, d.t.Accent, pen{})
	}
}

// paintTicks paints znodes that are too small for a name.
func (c *crowd) paintTicks(d *painter, ticks []tickPlan) {
	side := c.tickCell
	for i := range ticks {
		k, fill := &ticks[i], d.t.Soft
		if k.selected {
			fill = d.t.Signal
		}
		r := rect{float64(k.x), float64(k.y), side * tickWidth, side * tickHeight}
		d.panel(r, 0, fill, pen{})
		d.hit(k.path, rect{r.midX() - side/2, r.midY() - side/2, side, side})
	}
}

// paintBehind paints what lies under the cards.
func (c *crowd) paintBehind(d *painter) {
	all(d, c.bundles, (*bundlePlan).paint)
	c.paintTicks(d, c.ticksBefore)
}
