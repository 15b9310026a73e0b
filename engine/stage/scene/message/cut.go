package message

import (
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// ClearCuts moves the words of lost messages beside the scissors on their links, where there is room. Call it when all
// messages are planned.
func (ms *Messages) ClearCuts() {
	for i := range ms.List {
		p := &ms.List[i]
		if p.Look != LostMessage || p.Word.W == 0 {
			continue
		}
		for k := range ms.f.Marks {
			if m := &ms.f.Marks[k]; m.Kind == mark.Cut && m.Subject == text.Letter(p.Client) {
				ms.clearCut(i, geom.R(m.X, m.Y, m.W, m.H))
			}
		}
	}
}

// clearCut moves the word of message i to the right or left of the scissors if it lies on them. Where neither side has
// room, a cross stands for it.
func (ms *Messages) clearCut(i int, cut geom.Rect) {
	f, p := ms.f, &ms.List[i]
	r := p.Word.Rect
	const edge = 3
	over := r.H * 0.35 // the stroke is longer than the word
	if r.Y-over > cut.Bottom() || r.Bottom()+over < cut.Y {
		return
	}
	for _, x := range [2]float64{cut.Right() + over, cut.X - over - r.W} {
		all := geom.R(x-over, r.Y-over, r.W+2*over, r.H+2*over)
		apart := max(p.X-all.X, all.Right()-p.X) < f.Routes.Pitch-4
		if apart && all.X >= edge && all.Right() <= f.Options.Width-edge && !ms.onWord(all, i) {
			ms.moveLost(r, geom.R(x, r.Y, r.W, r.H))
			p.Word.Text.X += x - r.X
			p.X, p.Word.X = p.X+x-r.X, x
			return
		}
	}
	small := max(5, 7*f.Sizes.K) // neither side has room for the word
	p.Word, p.X = text.Tag{}, cut.Right()+small
	ms.moveLost(r, geom.Around(p.X, p.Y, small))
}

// moveLost moves the mark of a lost message.
func (ms *Messages) moveLost(from, to geom.Rect) {
	for k := range ms.f.Marks {
		if m := &ms.f.Marks[k]; m.Kind == mark.Lost && m.X == from.X && m.Y == from.Y {
			m.X, m.Y, m.W, m.H = to.X, to.Y, to.W, to.H
		}
	}
}
