package scene

// paint draws the line of figures.
func (s *stripPlan) paint(d *painter) {
	d.panel(s.rect, min(8*d.m.k, d.m.stripH/3), d.t.Card, pen{colour: d.t.Faint, width: 1})
	d.tag(&s.inside, d.t.Accent, pen{})
	d.label(&s.left)
	d.label(&s.right)
}
