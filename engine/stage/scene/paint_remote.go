package scene

// paint draws what stands at the nodes, and the clients' connections to them.
func (r *remotes) paint(d *painter) {
	all(d, r.ways.lines, (*wayPlan).paint)
	all(d, r.keys.cards, (*keyPlan).paint)
	all(d, r.keys.leases, (*leasePlan).paint)
	all(d, r.ways.lines, (*wayPlan).paintEnd)
	all(d, r.keys.lineUps, (*lineUpPlan).paint)
	all(d, r.keys.brackets, (*bracketPlan).paint)
	all(d, r.keys.kept, (*visitPlan).paint)
}

// paint draws a node of a system other than ZooKeeper.
func (b *remotePlan) paint(d *painter) {
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

// clock draws a small clock face with two hands.
func (d *painter) clock(x, y, r float64, how pen) {
	d.circle(x, y, r, 0, how)
	d.line(x, y-r*0.55, x, y, how)
	d.line(x, y, x+r*0.4, y+r*0.25, how)
}

// paint draws an entry at a node in its owner's colour, with a bar for its remaining time.
func (b *keyPlan) paint(d *painter) {
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
	b.paintTime(d)
	if b.struck > 0 {
		y := b.name.y - b.name.face.size*0.32 // through the name, not through the reason below it
		d.line(b.name.x, y, b.right()-3, y, pen{colour: d.t.Soft.Fade(b.struck), width: max(1, 1.3*k)})
	}
	b.tab.paint(d)
	d.hit(b.id, b.rect)
}

// paintTime draws how long an entry lasts: a bar that runs out, or a sign for an entry without expiry.
func (b *keyPlan) paintTime(d *painter) {
	d.runsOut(b.bar, b.left, b.low)
	if f := &b.forever; f.r > 0 {
		how := pen{colour: d.t.Soft, width: max(1.2, f.r*0.35)}
		d.circle(f.x-f.r, f.y, f.r, 0, how)
		d.circle(f.x+f.r, f.y, f.r, 0, how)
	}
	d.label(&b.time)
}

// paint draws a client's connection to a node, or the line to its place in a queue there.
func (w *wayPlan) paint(d *painter) {
	k := d.m.k
	how := pen{colour: d.t.Edge, width: max(1, 1.4*k)}
	if w.faint {
		how.colour = d.t.Faint
	}
	x, y := w.way.at(1)
	switch w.look {
	case wayKept:
		d.stroke(&w.way, pen{colour: d.t.client(w.client), width: max(1.4, 2*k)})
		return
	case wayWatch:
		d.stroke(&w.way, pen{colour: d.t.client(w.client), width: d.m.line, dash: max(1.5, 2*k), gap: max(3, 4.5*k)})
		return
	case wayGhost:
		how.dash, how.gap = 1, 6
	case wayBroken, wayBegun:
		how.dash, how.gap = 3, 3
	}
	fx, fy := w.way.at(0)
	tx, ty := w.way.at(0.5)
	d.part(Hit{ID: w.name, Part: LinkPart}, rect{fx, fy, 0, 0}.with(rect{tx, ty, 0, 0}))
	d.stroke(&w.way, how)
	d.circle(x, y, max(2, 2.8*k), d.t.Edge, pen{})
	if w.look == wayBroken {
		d.circle(w.at.x, w.at.y, w.at.r*1.3, d.t.Paper, pen{})
		d.scissors(w.at.x, w.at.y, w.at.r)
	}
}

// paintEnd draws the eye of a client that waits for a notification.
func (w *wayPlan) paintEnd(d *painter) {
	switch {
	case w.look != wayWatch:
	case w.at.r < 4: // too small for an eye
		d.circle(w.at.x, w.at.y, w.at.r, d.t.client(w.client), pen{colour: d.t.Paper, width: 1})
	default:
		d.eye(w.at.x, w.at.y, w.at.r, d.t.client(w.client))
	}
}

// paint draws the line under the waiting requests, with an arrow towards the head.
func (p *lineUpPlan) paint(d *painter) {
	how := pen{colour: d.t.Soft, width: max(1, 1.4*d.m.k)}
	tip := max(2.4, 3.6*d.m.k)
	d.line(p.x, p.y, p.right, p.y, how)
	d.line(p.x+tip, p.y-tip, p.x, p.y, how)
	d.line(p.x+tip, p.y+tip, p.x, p.y, how)
}

// paint draws the client that has something locked, in brackets if a transaction holds the lock.
func (b *bracketPlan) paint(d *painter) {
	k := d.m.k
	how := pen{colour: d.t.Accent, width: max(1.6, 2.2*k)}
	if b.tx {
		arm := max(2.5, 4*k)
		d.line(b.x, b.y, b.x, b.bottom(), how)
		d.line(b.x, b.y, b.x+arm, b.y, how)
		d.line(b.x, b.bottom(), b.x+arm, b.bottom(), how)
		d.line(b.right(), b.y, b.right(), b.bottom(), how)
		d.line(b.right()-arm, b.y, b.right(), b.y, how)
		d.line(b.right()-arm, b.bottom(), b.right(), b.bottom(), how)
	} else {
		d.circle(b.disc.x, b.disc.y, b.disc.r+how.width*0.8, 0, how)
	}
	b.disc.paint(d)
	d.label(&b.text)
}

// paint draws a lease that keys are attached to, and the time it has left.
func (b *leasePlan) paint(d *painter) {
	k := d.m.k
	edge := pen{colour: d.t.Soft.Fade(b.alpha), width: max(1, 1.2*k)}
	if b.client >= 0 {
		edge.colour = d.t.client(b.client).Fade(b.alpha)
	}
	d.panel(b.rect, b.h/2, d.t.Card.Fade(b.alpha), edge)
	if b.badge.w > 0 {
		own := d.t.client(b.client)
		d.panel(b.badge, b.h/2, own.Fade(b.alpha), pen{})
		d.inked(&b.letter, on(own).Fade(b.alpha))
	}
	if !b.over {
		d.runsOut(b.bar, b.left, b.low)
	}
	d.label(&b.text)
}

// runsOut draws a bar of the time left.
func (d *painter) runsOut(r rect, left float64, low bool) {
	if r.w <= 0 {
		return
	}
	colour := d.t.Accent
	if low {
		colour = d.t.Signal
	}
	d.panel(r, r.h/2, d.t.Faint, pen{})
	if w := r.w * left; w > 0 {
		d.panel(rect{r.x, r.y, max(w, min(r.h, r.w)), r.h}, r.h/2, colour, pen{})
	}
}

// paintTimer draws the small clock next to a client: how much of a wait is over, or that a timer keeps running.
func (c *clientPlan) paintTimer(d *painter) {
	b := &c.timer
	if b.r == 0 {
		return
	}
	how := pen{colour: d.t.Ink, width: max(1.2, b.r*0.24)}
	d.circle(b.x, b.y, b.r, d.t.Card, pen{colour: d.t.Paper, width: max(2, 3*d.m.k)})
	if c.timerPart < 0 {
		d.circle(b.x, b.y, b.r, d.t.Card, pen{})
		d.clock(b.x, b.y, b.r*0.95, how)
		return
	}
	d.circle(b.x, b.y, b.r*0.95, 0, how)
	if c.timerPart > 0 {
		d.arc(b.x, b.y, b.r*0.36, min(c.timerPart, 1), pen{colour: d.t.Accent, width: b.r * 0.7})
	}
}

// paintPips draws at how many nodes a client has its entry.
func (c *clientPlan) paintPips(d *painter) {
	p, own := &c.pips, d.t.client(c.index)
	for i := range p.of {
		r := rect{p.x + float64(i)*p.h*1.5, p.y, p.h, p.h}
		fill := Colour(0)
		if p.nodes&(1<<i) != 0 {
			fill = own
		}
		d.panel(r, 0, fill, pen{colour: own, width: 1})
	}
}
