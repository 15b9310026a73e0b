package scene

import (
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
)

// halvesPlan is a document of two halves, or a reader's copy of it with the reader's letter. If it is torn, a jagged
// edge separates the halves.
type halvesPlan struct {
	rect
	reader int // -1 for the document itself
	badge  rect
	letter label
	halves [2]halfPlan
	open   bool // the second half is still missing the version that is being written
	tear   tearPlan
	torn   bool
}

// halfPlan is a half in the colour of its writer, with its version.
type halfPlan struct {
	rect
	client  int // -1 for none
	version int
	text    label
}

// planDocument plans the document, and next to it the latest copy of each reader, the last one on the right.
func (st *store) planDocument(s *view.Store, in rect) {
	if st.written() == 0 {
		return
	}
	m := &st.m
	gap := max(8, 12*m.k)
	doc := st.planHalves(s.Halves, -1, in, in.w*0.4)
	doc.open = s.Draft.Client != 0
	torn := s.Halves.Torn() && !doc.open
	st.plan.halves = append(st.plan.halves, doc.tornIf(torn, m.k))
	var copies [view.KeptWrites]*view.Write
	n := 0
	for i := range s.Writes {
		w := &s.Writes[i]
		client := st.client(w.Client)
		switch {
		case w.Client == 0 || client < 0:
		case w.Refused || w.Text != event.ACopy:
			st.planArrival(w, client, doc.midX())
		default:
			copies[n], torn = w, torn || w.Halves.Torn()
			n++
		}
	}
	rest := rect{doc.right() + gap, in.y, in.right() - doc.right() - gap, in.h}
	word := st.phrase("scene.torn.short")
	if torn {
		rest.w -= m.note.width(word) + 12*max(m.k, 0.7) + gap
	}
	right := st.planCopies(copies[:n], rest, gap)
	if torn {
		st.planVerdict(right, in.right(), st.phrase("scene.torn.halves"), word)
	}
}

// planCopies plans as many of the last copies as fit, and returns the x of the next one.
func (st *store) planCopies(writes []*view.Write, in rect, gap float64) float64 {
	var plans [view.KeptWrites]halvesPlan
	copies := plans[:len(writes)]
	for i, w := range writes {
		copies[i] = st.planHalves(w.Halves, st.client(w.Client), in, 0)
	}
	from, in := st.lastThatFit(len(copies), len(copies), func(i int) float64 { return copies[i].w }, gap, in)
	x := in.x
	for i := from; i < len(copies); i++ {
		c := &copies[i]
		c.move(x)
		x = c.right() + gap
		st.plan.halves = append(st.plan.halves, c.tornIf(writes[i].Halves.Torn(), st.m.k))
		st.planArrival(writes[i], c.reader, c.midX())
	}
	return x
}

// planHalves plans two halves at the left of in. It adds the letters of their writers if they fit in room.
func (st *store) planHalves(halves view.Halves, reader int, in rect, room float64) (d halvesPlan) {
	m := &st.m
	a, bold := st.chipFaces()
	pad, inset := max(3, 5*m.k), max(2, 4*m.k)
	d.rect, d.reader = rect{in.x, in.y + inset, 0, in.h - 2*inset}, reader
	if reader >= 0 {
		name := letter(reader)
		d.badge = rect{d.x, d.y, bold.width(name) + 2*pad, d.h}
		d.letter = middle(name, d.badge.midX(), d.midY(), bold, inkPlain, d.badge.w)
		d.w = d.badge.w
	}
	var texts [2]string
	wide := 0.0
	for i, h := range halves {
		version := st.grouped(h.Version)
		texts[i] = st.filled("scene.version.short", version)
		if c := st.client(h.Writer); c >= 0 && room > 0 {
			if s := st.filled("scene.version", letter(c), version); 2*(a.width(s)+2*pad) <= room {
				texts[i] = s
			}
		}
		wide = max(wide, a.width(texts[i])+2*pad)
	}
	for i, h := range halves {
		half := &d.halves[i]
		half.rect, half.client, half.version = rect{d.right(), d.y, wide, d.h}, st.client(h.Writer), h.Version
		half.text = middle(texts[i], half.midX(), half.midY(), a, inkPlain, wide)
		d.w += wide
		if i == 0 {
			d.w += 2 * tearSide(m.k)
		}
	}
	return d
}

// move moves it to x.
func (d *halvesPlan) move(x float64) {
	by := x - d.x
	d.x, d.badge.x, d.letter.x = x, d.badge.x+by, d.letter.x+by
	for i := range d.halves {
		d.halves[i].x += by
		d.halves[i].text.x += by
	}
}

// tornIf returns d, with a tear if torn is true.
func (d *halvesPlan) tornIf(torn bool, k float64) halvesPlan {
	if d.torn = torn; torn {
		d.tear = tearPlan{d.halves[1].x - tearSide(k), d.y, d.bottom()}
	}
	return *d
}

// paint draws the halves on their sheet, and a jagged edge between them if they don't match.
func (p *halvesPlan) paint(d *painter) {
	k := max(d.m.k, 0.7)
	d.panel(p.grown(max(1, 1.6*k)), 1, d.t.Card, pen{colour: d.t.Ink, width: max(1, 1.2*k)})
	if p.reader >= 0 {
		own := d.t.client(p.reader)
		d.panel(p.badge, min(4*k, p.h/3), own, pen{colour: d.t.Card, width: max(1, 1.4*k)})
		d.inked(&p.letter, on(own))
	}
	for i := range p.halves {
		h := &p.halves[i]
		fill, edge := d.t.Panel, pen{colour: d.t.Card, width: max(1, 1.4*k)}
		if h.client >= 0 {
			fill = d.t.client(h.client)
		}
		if i == 1 && p.open {
			edge = pen{colour: d.t.Ink, width: max(1.2, 1.4*k), dash: 3 * k, gap: 2 * k}
		}
		d.panel(h.rect, 1, fill, edge)
		if h.client >= 0 {
			d.inked(&h.text, on(fill))
		} else {
			d.label(&h.text)
		}
	}
	if p.torn {
		p.tear.paint(d)
	}
}
