package queue

import (
	"github.com/zkviz/zkviz/engine/stage/scene/floor"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
)

// PlanNumbered plans an observed queue: its znodes side by side, in order, in as many rows as needed.
func (q *Queue) PlanNumbered() {
	f := q.f
	m, in := &f.Sizes, f.Inner()
	f.Routes.Free = true
	f.LineUp(true)
	f.Box = geom.R(in.X, in.Y, in.W, in.H-m.StripH-m.Margin*0.6)
	q.placeHub(bands{})
	q.znodes.PlanBox()
	q.znodes.PlanHub()
	head := m.RootH + max(14, 30*m.K)
	area := geom.R(f.Box.X+m.Pad, f.Box.Y+head, f.Box.W-2*m.Pad, f.Box.H-head-m.Pad)
	h := m.Name.Size + m.Small.Size + max(7, 14*m.K)
	gap := max(5, 10*m.K)
	cols := max(int((area.W+gap)/(118*max(m.K, 0.6)+gap)), 1)
	rows := max(int((area.H+gap)/(h+gap)), 1)
	w := (area.W+gap)/float64(cols) - gap
	at := 0
	place := func() geom.Rect {
		x, y := area.X+float64(at%cols)*(w+gap), area.Y+float64(at/cols)*(h+gap)
		at++
		return geom.R(x, y, w, h)
	}
	page, n := floor.Span{From: 0, To: len(f.Slots)}, len(f.Slots)
	if n > rows*cols {
		page = floor.PageOf(n, rows*cols-1, rows*cols-2, f.ChosenSlot(f.Slots))
	}
	path := func(i int) string { return f.State.Tree.Nodes[f.Slots[i].Node].Path }
	if page.From > 0 {
		more := f.Hidden("scene.more-before", page.From, m.Note, w)
		q.znodes.More(&q.znodes.Cards, more, path(page.From-1), true, place())
	}
	for _, s := range f.Slots[page.From:page.To] {
		q.znodes.Node(&q.znodes.Cards, &f.State.Tree.Nodes[s.Node], place())
	}
	if page.To < n {
		more := f.Hidden("scene.more", n-page.To, m.Note, w)
		q.znodes.More(&q.znodes.Cards, more, path(page.To), false, place())
	}
}
