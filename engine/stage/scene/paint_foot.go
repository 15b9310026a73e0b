package scene

// strip draws the line of figures.
func (d *painter) strip(s *stripPlan) {
	d.panel(s.rect, min(8*d.m.k, d.m.stripH/3), d.t.Card, pen{colour: d.t.Faint, width: 1})
	d.tag(&s.inside, d.t.Accent, pen{})
	d.label(&s.left)
	d.label(&s.right)
}
