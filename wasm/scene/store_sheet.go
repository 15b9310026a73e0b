package scene

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/view"
)

// planSheet plans the sheet in the printer: the pages from left to right, a tear where one client's follows another's,
// and what is wrong with it. What was refused lies beside it.
func (l *Layout) planSheet(s *view.Store, in rect) {
	pages, torn := s.Sheet()
	m, p := &l.m, &l.p.store
	inset := max(2, 4*m.k)
	h := in.h - 2*inset
	wide, gap := max(h*0.78, minText*1.9), tearSide(m.k)*2
	if all := float64(len(pages)) * (wide + gap); s.Pages > len(pages) || all > in.w { // the oldest give way
		sign := l.earlierRoom(s.Pages, in)
		fits := min(len(pages), max(1, int((in.w-sign)/(wide+gap))))
		pages = pages[len(pages)-fits:]
		in = l.planEarlier(s.Pages-fits, in, sign)
	}
	x, before := in.x, event.Actor(0)
	for i := range pages {
		w := &pages[i]
		client := l.client(w.Client)
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
		l.planPage(w, client, r)
		if !w.Refused {
			if parts {
				p.tears = append(p.tears, tearPlan{x - gap/2, r.y, r.bottom()})
			}
			before = w.Client
			p.paper = rect{in.x, r.y, r.right() - in.x, h}
		}
		x = r.right()
	}
	if torn {
		jobs := l.filled("scene.torn", l.grouped(writers(pages)))
		l.planVerdict(x+max(6, 10*m.k), in.right(), jobs, l.phrase("scene.torn.short"))
	}
}

// tearSide is how far a jagged edge reaches to either side.
func tearSide(k float64) float64 { return 2.6 * max(k, 0.7) }

// writers counts the clients whose pages these are.
func writers(pages []view.Write) (n int) {
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

func (l *Layout) planPage(w *view.Write, client int, r rect) {
	page := added(&l.p.store.pages)
	page.rect, page.client, page.refused = r, client, w.Refused
	a := face{size: max(minText, r.h*0.46), bold: true}
	if s := a.fit(r.w, letter(client)); s != "" {
		page.letter = middle(s, r.midX(), r.midY(), a, inkPlain, r.w)
	}
	if w.Late && !w.Refused {
		d := max(3, r.w*0.15)
		page.late = spotMark{r.right() - d - 1, r.y + d + 1, d}
	}
	l.planArrival(w, client, r.midX())
}
