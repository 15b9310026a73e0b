package scene

// storeMarks adds what is drawn of the store.
func (p *Plan) storeMarks(marks []Mark) []Mark {
	s := &p.store
	if s.h == 0 {
		return marks
	}
	b := s.name.bounds()
	marks = append(marks, Mark{StoreMark, s.name.text, s.about.text, b.x, b.y, b.w, b.h})
	for i := range s.writes {
		w := &s.writes[i]
		marks = append(marks, Mark{WriteMark, letter(w.client), w.text.text, w.x, w.y, w.w, w.h})
	}
	return marks
}
