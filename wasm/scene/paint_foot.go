package scene

// store draws what the lock protects, and the latest writes, those that it refused crossed out.
func (d *painter) store(s *storePlan) {
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
	for i := range s.writes {
		d.write(&s.writes[i])
	}
}

func (d *painter) write(w *writePlan) {
	k, own := d.m.k, d.t.client(w.client)
	edge := pen{colour: own, width: max(1.2, 1.6*k)}
	if w.refused {
		edge.dash, edge.gap = 3*max(k, 0.8), 2*max(k, 0.8)
		d.tag(&w.tag, d.t.Signal, edge)
	} else {
		d.tag(&w.tag, d.t.Card, edge)
	}
	if !w.arrives {
		return
	}
	if w.refused {
		own = d.t.Signal
	}
	how := pen{colour: own, width: max(1.5, 2*k)}
	d.curve(w.bend, how, 0)
	d.line(w.bend.x3, w.bend.y3, w.bend.x3, w.bottom, how)
	if w.refused {
		d.cross(w.bend.x3, w.bottom, 5*max(k, 0.7), pen{colour: own, width: max(2, 2.5*k)})
		return
	}
	d.circle(w.bend.x3, w.bottom, 4*max(k, 0.7), own, pen{})
}

// strip draws the line of figures.
func (d *painter) strip(s *stripPlan) {
	d.panel(s.rect, min(8*d.m.k, d.m.stripH/3), d.t.Card, pen{colour: d.t.Faint, width: 1})
	d.tag(&s.inside, d.t.Accent, pen{})
	d.label(&s.left)
	d.label(&s.right)
}
