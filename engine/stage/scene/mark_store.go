package scene

import "strconv"

// marked adds the marks of the store: its name, what is wrong with it, and each write.
func (st *store) marked(marks []Mark) []Mark {
	s := &st.plan
	if s.h == 0 {
		return marks
	}
	b := s.name.bounds()
	marks = append(marks, Mark{StoreMark, s.name.text, s.about.text, "", b.x, b.y, b.w, b.h})
	if b := s.more.bounds(); s.more.text != "" {
		marks = append(marks, Mark{StoreMark, s.name.text, s.more.text, "", b.x, b.y, b.w, b.h})
	}
	if v := &s.verdict; v.w > 0 {
		marks = append(marks, Mark{StoreMark, s.name.text, v.text.text, "", v.x, v.y, v.w, v.h})
	}
	for i := range s.pages {
		g := &s.pages[i]
		value := "page"
		switch {
		case g.refused:
			value = "page refused"
		case g.late.r > 0:
			value = "page late"
		}
		marks = append(marks, Mark{WriteMark, letter(g.client), value, "", g.x, g.y, g.w, g.h})
	}
	for i := range s.chips {
		c := &s.chips[i]
		who := "-"
		if c.client >= 0 {
			who = letter(c.client)
		}
		marks = append(marks, Mark{WriteMark, who, c.text.text, "", c.x, c.y, c.w, c.h})
	}
	for i := range s.halves {
		marks = append(marks, s.halves[i].mark())
	}
	return marks
}

// mark returns a mark with the versions of the two halves.
func (d *halvesPlan) mark() Mark {
	who, value := "-", strconv.Itoa(d.halves[0].version)+" "+strconv.Itoa(d.halves[1].version)
	if d.reader >= 0 {
		who = letter(d.reader)
	}
	if d.torn {
		value += " torn"
	}
	return Mark{HalvesMark, who, value, "", d.x, d.y, d.w, d.h}
}
