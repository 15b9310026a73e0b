package scene

// paint draws what the lock protects, and the latest writes.
func (s *storePlan) paint(d *painter) {
	if s.h == 0 {
		return
	}
	k := d.m.k
	if s.stressed {
		d.halo(s.rect)
	}
	d.panel(s.rect, min(8*k, d.m.stripH/3), d.t.Panel, pen{colour: d.t.Soft, width: max(1.2, 1.6*k)})
	d.label(&s.name)
	d.label(&s.about)
	s.paintSheets(d)
	d.label(&s.more)
	all(d, s.chips, (*chipPlan).paint)
	all(d, s.halves, (*halvesPlan).paint)
	d.tag(&s.verdict, d.t.Signal, pen{})
	all(d, s.arrivals, (*arrivalPlan).paint)
}

// paintSheets draws the pages on their sheet, with a jagged edge between pages of different clients.
func (s *storePlan) paintSheets(d *painter) {
	k := d.m.k
	for _, r := range s.trays {
		d.panel(r.grown(max(1, 2.4*k)), min(4*k, r.h/3), d.t.Card, pen{colour: d.t.Soft, width: max(1, k)})
	}
	for _, r := range s.papers {
		d.panel(r.grown(max(1, 1.6*k)), 1, d.t.Card, pen{colour: d.t.Ink, width: max(1, 1.2*k)})
	}
	for i := range s.pages {
		p := &s.pages[i]
		own := d.t.client(p.client)
		edge := pen{colour: d.t.Card, width: max(1, 1.4*k)}
		if p.refused {
			edge = pen{colour: d.t.Signal, width: max(1.2, 1.6*k), dash: 3, gap: 2}
		}
		d.panel(p.rect, 1, own, edge)
		d.inked(&p.letter, on(own))
		if p.refused {
			d.cross(p.midX(), p.midY(), p.w*0.4, pen{colour: d.t.Signal, width: max(2, 2.4*k)})
		}
		if w := &p.late; w.r > 0 {
			d.circle(w.x, w.y, w.r, d.t.Signal, pen{colour: d.t.Card, width: 1})
			d.bang(w.x, w.y, w.r, pen{colour: d.t.OnSig, width: max(1, w.r*0.3)})
		}
	}
	for i := range s.tears {
		s.tears[i].paint(d)
	}
}

// paint draws a jagged edge, wide enough to be visible on any colour.
func (t *tearPlan) paint(d *painter) {
	const teeth = 6
	k := max(d.m.k, 0.7)
	step, side := (t.bottom-t.top)/teeth, tearSide(d.m.k)
	for _, how := range [2]pen{{colour: d.t.Card, width: 5 * k}, {colour: d.t.Ink, width: 1.8 * k}} {
		x := t.x - side
		for i := range teeth {
			y := t.top + float64(i)*step
			to := 2*t.x - x
			d.line(x, y, to, y+step, how)
			x = to
		}
	}
}

// paint draws a client's letter in its colour, and what it has written, got or done.
func (c *chipPlan) paint(d *painter) {
	k := max(d.m.k, 0.7)
	fill, edge := d.t.Card, pen{colour: d.t.Soft, width: max(1.2, 1.4*k)}
	switch c.look {
	case asWrong:
		fill, edge.colour = d.t.Signal, d.t.Signal
	case asOpen:
		edge.dash, edge.gap = 3*k, 2*k
	}
	d.panel(c.rect, min(4*k, c.h/3), fill, edge)
	if c.client >= 0 {
		own := d.t.client(c.client)
		d.panel(c.badge, min(4*k, c.h/3), own, pen{colour: edge.colour, width: edge.width})
		d.inked(&c.letter, on(own))
	}
	d.label(&c.text)
	if w := &c.mark; w.r > 0 { // a tick
		how := pen{colour: d.t.Accent, width: max(1.5, 2*k)}
		d.line(w.x-w.r, w.y, w.x-w.r*0.3, w.y+w.r*0.7, how)
		d.line(w.x-w.r*0.3, w.y+w.r*0.7, w.x+w.r, w.y-w.r*0.7, how)
	}
}

// paint draws the path of a write. A refused write hits the store and bounces off.
func (a *arrivalPlan) paint(d *painter) {
	k, own := max(d.m.k, 0.7), d.t.client(a.client)
	colour := own
	if a.refused {
		colour = d.t.Signal
	}
	d.stroke(&a.way, pen{colour: colour, width: max(1.5, 2*k)})
	if !a.refused {
		d.circle(a.x, a.y, 4*k, own, pen{})
	} else {
		d.cross(a.x, a.y, 5*k, pen{colour: colour, width: max(2, 2.5*k)})
	}
	if a.paper.w == 0 {
		return
	}
	d.panel(a.paper, 1, own, pen{colour: d.t.Ink, width: max(1, 1.2*k)})
	if a.refused {
		d.cross(a.paper.midX(), a.paper.midY(), a.paper.w*0.35, pen{colour: on(own), width: max(1.5, 1.8*k)})
	}
}
