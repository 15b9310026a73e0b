package scene

// silence draws for how long a server still waits for another.
func (d *painter) silence(s *silencePlan) {
	d.panel(s.rect, s.h/2, d.t.Paper, pen{colour: d.t.Signal, width: 1})
	if s.left > 0 {
		d.panel(rect{s.x, s.y, max(s.h, s.w*s.left), s.h}, s.h/2, d.t.Signal, pen{})
	}
}
