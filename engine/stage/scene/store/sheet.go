package store

import (
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// planSheets plans the sheets in the printer, and what is wrong with them. Each tray has its place, so that an empty
// one is visible.
func (st *Store) planSheets(s *view.Store, in geom.Rect) {
	f := st.f
	m, p := &f.Sizes, &st.plan
	n, most, right := s.HasTrays(), 0, in.X
	room := geom.R(in.X, in.Y, in.W, in.H)
	if n > 1 {
		room.W = in.W / float64(n+1) // the last part is for the verdict
	}
	for tray := range n {
		if n > 1 {
			inset := max(2, 4*m.K)
			p.trays = append(p.trays, geom.R(room.X, room.Y+inset, room.W-3*inset, room.H-2*inset))
		}
		end, jobs := st.planSheet(s, tray, room)
		most, right = max(most, jobs), max(right, end)
		room.X += room.W
	}
	if n > 1 {
		right = room.X
	}
	if most > 1 {
		jobs := f.Filled("scene.torn", f.Grouped(most))
		st.planVerdict(right+max(6, 10*m.K), in.Right(), jobs, f.Phrase("scene.torn.short"))
	}
}

// planSheet plans a sheet: the pages from left to right, with a tear where one client's page follows another's, and a
// gap before a refused page. It returns the x at which the sheet ends, and how many clients have printed on it.
func (st *Store) planSheet(s *view.Store, tray int, in geom.Rect) (right float64, jobs int) {
	f := st.f
	writes, _ := s.Sheet(tray)
	var on [view.KeptWrites]*view.Write
	pages := on[:0]
	for i := range writes {
		if writes[i].Tray == tray {
			pages = append(pages, &writes[i])
		}
	}
	jobs = writers(pages)
	m, p := &f.Sizes, &st.plan
	inset := max(2, 4*m.K)
	h := in.H - 2*inset
	wide, gap := max(h*0.78, text.MinSize*1.9), tearSide(m.K)*2
	from, in := st.lastThatFit(len(pages), s.Pages[tray], func(int) float64 { return wide }, gap, in)
	pages = pages[from:]
	x, before := in.X, event.Actor(0)
	paper := geom.R(in.X, in.Y+inset, 0, h)
	for _, w := range pages {
		client := f.Client(w.Client)
		if client < 0 {
			continue
		}
		parts := !w.Refused && before != 0 && before != w.Client
		if parts {
			x += gap
		}
		r := geom.R(x, in.Y+inset, wide, h)
		if w.Refused {
			r = geom.R(x+inset, r.Y+h*0.15, wide*0.8, h*0.7)
		}
		st.planPage(w, client, r)
		if !w.Refused {
			if parts {
				p.tears = append(p.tears, tearPlan{x - gap/2, r.Y, r.Bottom()})
			}
			before = w.Client
			paper.W = r.Right() - in.X
		}
		x = r.Right()
	}
	if paper.W > 0 {
		p.papers = append(p.papers, paper)
	}
	return x, jobs
}

// tearSide returns how far a jagged edge reaches to either side.
func tearSide(k float64) float64 { return 2.6 * max(k, 0.7) }

// writers counts the clients that printed the pages.
func writers(pages []*view.Write) (n int) {
	for i := range pages {
		again := pages[i].Refused
		for k := range i {
			again = again || !pages[k].Refused && pages[k].Client == pages[i].Client
		}
		if !again {
			n++
		}
	}
	return n
}

func (st *Store) planPage(w *view.Write, client int, r geom.Rect) {
	st.plan.pages = append(st.plan.pages, pagePlan{})
	page := &st.plan.pages[len(st.plan.pages)-1]
	page.Rect, page.client, page.refused = r, client, w.Refused
	a := text.Face{Size: max(text.MinSize, r.H*0.46), Bold: true}
	if s := a.Fit(r.W, text.Letter(client)); s != "" {
		page.letter = text.Centred(s, r.MidX(), r.MidY(), a, text.InkPlain, r.W)
	}
	if w.Late && !w.Refused {
		d := max(3, r.W*0.15)
		page.late = geom.Round{X: r.Right() - d - 1, Y: r.Y + d + 1, R: d}
	}
	st.planArrival(w, client, r.MidX())
}
