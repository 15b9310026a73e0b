package store

import (
	"strconv"

	"github.com/zkviz/zkviz/engine/stage/scene/mark"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// Marked adds the marks of the store: its name, what is wrong with it, and each write.
func (st *Store) Marked(marks []mark.Mark) []mark.Mark {
	s := &st.plan
	if s.H == 0 {
		return marks
	}
	b := s.name.Bounds()
	marks = append(marks, mark.At(mark.Store, s.name.Text, s.about.Text, b))
	for i := range s.more {
		marks = append(marks, mark.At(mark.Store, s.name.Text, s.more[i].Text, s.more[i].Bounds()))
	}
	if v := &s.verdict; v.W > 0 {
		marks = append(marks, mark.At(mark.Store, s.name.Text, v.Text.Text, v.Rect))
	}
	for i := range s.pages {
		g := &s.pages[i]
		value := "page"
		switch {
		case g.refused:
			value = "page refused"
		case g.late.R > 0:
			value = "page late"
		}
		marks = append(marks, mark.At(mark.Write, text.Letter(g.client), value, g.Rect))
	}
	for i := range s.chips {
		c := &s.chips[i]
		who := "-"
		if c.client >= 0 {
			who = text.Letter(c.client)
		}
		value := c.says
		if c.late.R > 0 {
			value += " late"
		}
		marks = append(marks, mark.At(mark.Write, who, value, c.Rect))
	}
	for i := range s.halves {
		marks = append(marks, s.halves[i].mark())
	}
	return marks
}

// mark returns a mark with the versions of the two halves.
func (d *halvesPlan) mark() mark.Mark {
	who, value := "-", strconv.Itoa(d.halves[0].version)+" "+strconv.Itoa(d.halves[1].version)
	if d.reader >= 0 {
		who = text.Letter(d.reader)
	}
	if d.torn {
		value += " torn"
	}
	return mark.At(mark.Halves, who, value, d.Rect)
}
