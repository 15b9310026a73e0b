package scene

// paint draws for how long a server still waits for another.
func (s *silencePlan) paint(d *painter) {
	d.panel(s.rect, s.h/2, d.t.Paper, pen{colour: d.t.Signal, width: 1})
	if s.left > 0 {
		d.panel(rect{s.x, s.y, max(s.h, s.w*s.left), s.h}, s.h/2, d.t.Signal, pen{})
	}
}
