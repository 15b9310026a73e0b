package store

import (
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/paint"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// halvesPlan is a document of two halves, or a reader's copy of it with the reader's letter. If it is torn, a jagged
// edge separates the halves.
type halvesPlan struct {
	geom.Rect
	reader int // -1 for the document itself
	badge  geom.Rect
	letter text.Label
	halves [2]halfPlan
	open   bool // the second half is still missing the version that is being written
	tear   tearPlan
	torn   bool
}

// halfPlan is a half in the colour of its writer, with its version.
type halfPlan struct {
	geom.Rect
	client  int // -1 for none
	version int
	text    text.Label
}

// planDocument plans the document, and next to it the latest copy of each reader, the last one on the right.
func (st *Store) planDocument(s *view.Store, in geom.Rect) {
	f := st.f
	if st.written() == 0 {
		return
	}
	m := &f.Sizes
	gap := max(8, 12*m.K)
	doc := st.planHalves(s.Halves, -1, in, in.W*0.4)
	doc.open = s.Draft.Client != 0
	torn := s.Halves.Torn() && !doc.open
	st.plan.halves = append(st.plan.halves, doc.tornIf(torn, m.K))
	var copies [view.KeptWrites]*view.Write
	n := 0
	for i := range s.Writes {
		w := &s.Writes[i]
		client := f.Client(w.Client)
		switch {
		case w.Client == 0 || client < 0:
		case w.Refused || w.Text != event.ACopy:
			st.planArrival(w, client, doc.MidX())
		default:
			copies[n], torn = w, torn || w.Halves.Torn()
			n++
		}
	}
	rest := geom.R(doc.Right()+gap, in.Y, in.Right()-doc.Right()-gap, in.H)
	word := f.Phrase("scene.torn.short")
	if torn {
		rest.W -= m.Note.Width(word) + 12*max(m.K, 0.7) + gap
	}
	right := st.planCopies(copies[:n], rest, gap)
	if torn {
		st.planVerdict(right, in.Right(), f.Phrase("scene.torn.halves"), word)
	}
}

// planCopies plans as many of the last copies as fit, and returns the x of the next one.
func (st *Store) planCopies(writes []*view.Write, in geom.Rect, gap float64) float64 {
	f := st.f
	var plans [view.KeptWrites]halvesPlan
	copies := plans[:len(writes)]
	for i, w := range writes {
		copies[i] = st.planHalves(w.Halves, f.Client(w.Client), in, 0)
	}
	from, in := st.lastThatFit(len(copies), len(copies), func(i int) float64 { return copies[i].W }, gap, in)
	x := in.X
	for i := from; i < len(copies); i++ {
		c := &copies[i]
		c.move(x)
		x = c.Right() + gap
		st.plan.halves = append(st.plan.halves, c.tornIf(writes[i].Halves.Torn(), f.Sizes.K))
		st.planArrival(writes[i], c.reader, c.MidX())
	}
	return x
}

// planHalves plans two halves at the left of in. It adds the letters of their writers if they fit in room.
func (st *Store) planHalves(halves view.Halves, reader int, in geom.Rect, room float64) (d halvesPlan) {
	f := st.f
	m := &f.Sizes
	a, bold := st.chipFaces()
	pad, inset := max(3, 5*m.K), max(2, 4*m.K)
	d.Rect, d.reader = geom.R(in.X, in.Y+inset, 0, in.H-2*inset), reader
	if reader >= 0 {
		name := text.Letter(reader)
		d.badge = geom.R(d.X, d.Y, bold.Width(name)+2*pad, d.H)
		d.letter = text.Centred(name, d.badge.MidX(), d.MidY(), bold, text.InkPlain, d.badge.W)
		d.W = d.badge.W
	}
	var texts [2]string
	wide := 0.0
	for i, h := range halves {
		version := f.Grouped(h.Version)
		texts[i] = f.Filled("scene.version.short", version)
		if c := f.Client(h.Writer); c >= 0 && room > 0 {
			if s := f.Filled("scene.version", text.Letter(c), version); 2*(a.Width(s)+2*pad) <= room {
				texts[i] = s
			}
		}
		wide = max(wide, a.Width(texts[i])+2*pad)
	}
	for i, h := range halves {
		half := &d.halves[i]
		half.Rect, half.client, half.version = geom.R(d.Right(), d.Y, wide, d.H), f.Client(h.Writer), h.Version
		half.text = text.Centred(texts[i], half.MidX(), half.MidY(), a, text.InkPlain, wide)
		d.W += wide
		if i == 0 {
			d.W += 2 * tearSide(m.K)
		}
	}
	return d
}

// move moves it to x.
func (d *halvesPlan) move(x float64) {
	by := x - d.X
	d.X, d.badge.X, d.letter.X = x, d.badge.X+by, d.letter.X+by
	for i := range d.halves {
		d.halves[i].X += by
		d.halves[i].text.X += by
	}
}

// tornIf returns d, with a tear if torn is true.
func (d *halvesPlan) tornIf(torn bool, k float64) halvesPlan {
	if d.torn = torn; torn {
		d.tear = tearPlan{d.halves[1].X - tearSide(k), d.Y, d.Bottom()}
	}
	return *d
}

// paint draws the halves on their sheet, and a jagged edge between them if they don't match.
func (p *halvesPlan) paint(d *paint.Painter) {
	k := max(d.Sizes.K, 0.7)
	d.Panel(p.Grown(max(1, 1.6*k)), 1, d.Theme.Card, paint.Pen{Colour: d.Theme.Ink, Width: max(1, 1.2*k)})
	if p.reader >= 0 {
		own := d.Theme.Of(p.reader)
		d.Panel(p.badge, min(4*k, p.H/3), own, paint.Pen{Colour: d.Theme.Card, Width: max(1, 1.4*k)})
		d.Inked(&p.letter, paint.On(own))
	}
	for i := range p.halves {
		h := &p.halves[i]
		fill, edge := d.Theme.Panel, paint.Pen{Colour: d.Theme.Card, Width: max(1, 1.4*k)}
		if h.client >= 0 {
			fill = d.Theme.Of(h.client)
		}
		if i == 1 && p.open {
			edge = paint.Pen{Colour: d.Theme.Ink, Width: max(1.2, 1.4*k), Dash: 3 * k, Gap: 2 * k}
		}
		d.Panel(h.Rect, 1, fill, edge)
		if h.client >= 0 {
			d.Inked(&h.text, paint.On(fill))
		} else {
			d.Label(&h.text)
		}
	}
	if p.torn {
		p.tear.paint(d)
	}
}
