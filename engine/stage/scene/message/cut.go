package message

import (
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// latePlan is a message that meets a lost one on its link, and so is planned after that has its place.
type latePlan struct {
	m view.Flight
	p Plan
}

// ClearCuts moves the words of lost messages beside the scissors on their links, and those of others beside both.
// Messages for which there is no room aren't drawn. Call it when all messages are planned.
func (ms *Messages) ClearCuts() {
	for i := 0; i < len(ms.List); i++ {
		p := &ms.List[i]
		if p.Look != LostMessage || p.Word.W == 0 {
			continue
		}
		if cut := ms.cutOf(p.Client); cut.W > 0 && !ms.clear(i, cut) {
			ms.moveLost(p.Word.Rect, geom.Rect{})
			ms.List = append(ms.List[:i], ms.List[i+1:]...)
			i--
		}
	}
	for k := range ms.late {
		l, i := &ms.late[k], len(ms.List)
		if l.p.Look == Wordless {
			continue
		}
		ms.List = append(ms.List, l.p)
		if !ms.clear(i, ms.struckOf(l.p.Client)) {
			ms.List = ms.List[:i]
			continue
		}
		ms.messageMark(&l.m, &ms.List[i])
	}
}

// cutOf returns the place of the scissors on a client's link, zero for none.
func (ms *Messages) cutOf(client int) (r geom.Rect) {
	for k := range ms.f.Marks {
		if m := &ms.f.Marks[k]; m.Kind == mark.Cut && m.Subject == text.Letter(client) {
			r = geom.R(m.X, m.Y, m.W, m.H)
		}
	}
	return r
}

// struckOf returns the place of a client's lost messages and of the scissors there.
func (ms *Messages) struckOf(client int) geom.Rect {
	all := ms.cutOf(client)
	for i := range ms.List {
		p := &ms.List[i]
		if p.Client != client || p.Look != LostMessage || p.Word.W == 0 {
			continue
		}
		r := p.Word.Rect.Grown(2)
		if all.W > 0 {
			r = r.With(all)
		}
		all = r
	}
	return all
}

// clear moves the word of message i to the right or left of what is on its link if it lies on that. It reports whether
// there is room.
func (ms *Messages) clear(i int, on geom.Rect) bool {
	f, p := ms.f, &ms.List[i]
	r := p.Word.Rect
	const edge = 3
	over := r.H * 0.35 // the stroke is longer than the word
	if r.Y-over > on.Bottom() || r.Bottom()+over < on.Y {
		return true
	}
	sides := [2]float64{on.Right() + over, on.X - over - r.W}
	if on.MidX() > p.X+1 { // stay close to the link
		sides[0], sides[1] = sides[1], sides[0]
	}
	for _, x := range sides {
		all := geom.R(x-over, r.Y-over, r.W+2*over, r.H+2*over)
		apart := max(p.X-all.X, all.Right()-p.X) < f.Routes.Pitch-4
		if apart && all.X >= edge && all.Right() <= f.Options.Width-edge && !ms.onWord(all, i) {
			ms.moveLost(r, geom.R(x, r.Y, r.W, r.H))
			p.Word.Text.X += x - r.X
			p.Eye.X += x - r.X
			p.X, p.Word.X = p.X+x-r.X, x
			return true
		}
	}
	return false
}

// moveLost moves the mark of a lost message, or removes it if that isn't drawn.
func (ms *Messages) moveLost(from, to geom.Rect) {
	for k := range ms.f.Marks {
		m := &ms.f.Marks[k]
		if m.Kind != mark.Lost || m.X != from.X || m.Y != from.Y {
			continue
		}
		if m.X, m.Y, m.W, m.H = to.X, to.Y, to.W, to.H; to.W == 0 {
			ms.f.Marks = append(ms.f.Marks[:k], ms.f.Marks[k+1:]...)
			return
		}
	}
}
