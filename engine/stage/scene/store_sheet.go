package scene

import (
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
)

// planSheets plans the sheets in the printer, and what is wrong with them. Each tray has its place, so that an empty
// one is visible.
func (st *store) planSheets(s *view.Store, in rect) {
	m, p := &st.m, &st.plan
	n, most, right := s.HasTrays(), 0, in.x
	room := rect{in.x, in.y, in.w, in.h}
	if n > 1 {
		room.w = in.w / float64(n+1) // the last part is for the verdict
	}
	for tray := range n {
		if n > 1 {
			inset := max(2, 4*m.k)
			p.trays = append(p.trays, rect{room.x, room.y + inset, room.w - 3*inset, room.h - 2*inset})
		}
		end, jobs := st.planSheet(s, tray, room)
		most, right = max(most, jobs), max(right, end)
		room.x += room.w
	}
	if n > 1 {
		right = room.x
	}
	if most > 1 {
		jobs := st.filled("scene.torn", st.grouped(most))
		st.planVerdict(right+max(6, 10*m.k), in.right(), jobs, st.phrase("scene.torn.short"))
	}
}

// planSheet plans a sheet: the pages from left to right, with a tear where one client's page follows another's, and a
// gap before a refused page. It returns the x at which the sheet ends, and how many clients have printed on it.
func (st *store) planSheet(s *view.Store, tray int, in rect) (right float64, jobs int) {
	writes, _ := s.Sheet(tray)
	var on [view.KeptWrites]*view.Write
	pages := on[:0]
	for i := range writes {
		if writes[i].Tray == tray {
			pages = append(pages, &writes[i])
		}
	}
	jobs = writers(pages)
	m, p := &st.m, &st.plan
	inset := max(2, 4*m.k)
	h := in.h - 2*inset
	wide, gap := max(h*0.78, minText*1.9), tearSide(m.k)*2
	if all := float64(len(pages)) * (wide + gap); s.Pages[tray] > len(pages) || all > in.w { // hides the oldest
		sign := st.earlierRoom(s.Pages[tray], in)
		fits := min(len(pages), max(1, int((in.w-sign)/(wide+gap))))
		pages = pages[len(pages)-fits:]
		in = st.planEarlier(s.Pages[tray]-fits, in, sign)
	}
	x, before := in.x, event.Actor(0)
	paper := rect{in.x, in.y + inset, 0, h}
	for _, w := range pages {
		client := st.client(w.Client)
		if client < 0 {
			continue
		}
		parts := !w.Refused && before != 0 && before != w.Client
		if parts {
			x += gap
		}
		r := rect{x, in.y + inset, wide, h}
		if w.Refused {
			r = rect{x + inset, r.y + h*0.15, wide * 0.8, h * 0.7}
		}
		st.planPage(w, client, r)
		if !w.Refused {
			if parts {
				p.tears = append(p.tears, tearPlan{x - gap/2, r.y, r.bottom()})
			}
			before = w.Client
			paper.w = r.right() - in.x
		}
		x = r.right()
	}
	if paper.w > 0 {
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

func (st *store) planPage(w *view.Write, client int, r rect) {
	page := added(&st.plan.pages)
	page.rect, page.client, page.refused = r, client, w.Refused
	a := face{size: max(minText, r.h*0.46), bold: true}
	if s := a.fit(r.w, letter(client)); s != "" {
		page.letter = middle(s, r.midX(), r.midY(), a, inkPlain, r.w)
	}
	if w.Late && !w.Refused {
		d := max(3, r.w*0.15)
		page.late = spotMark{r.right() - d - 1, r.y + d + 1, d}
	}
	st.planArrival(w, client, r.midX())
}
