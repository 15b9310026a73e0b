package znode

import (
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// made returns a znode's creation time in seconds, with milliseconds, as its ctime has it.
func (z *Znodes) made(n *view.Node) string {
	f := z.f
	ms := madeAt(n)
	f.Num(ms / 1000).Say(".")
	for limit := int64(100); limit > 1 && ms%1000 < limit; limit /= 10 {
		f.Say("0")
	}
	return f.Num(ms % 1000).Label()
}

// madeAt returns a znode's creation time in milliseconds.
//
//go:noinline
func madeAt(n *view.Node) int64 {
	if n.Made > 0 {
		return n.Made % 3_600_000
	}
	return (n.Created + n.Ahead).Milliseconds()
}

// Name returns the text on a znode's card: as much of lock-007 as fits.
func (z *Znodes) Name(n *view.Node, a text.Face, room float64) string {
	f := z.f
	if n.Number < 0 && f.Routes.Tree {
		return f.CutMiddle(text.Base(n.Path), a, room)
	}
	return f.NameOf(n.Path, a, room)
}

// More writes in r that there is more, and leads to path there.
func (z *Znodes) More(to *[]NodePlan, s, path string, back bool, r geom.Rect) {
	a := z.f.Sizes.Note
	*to = append(*to, NodePlan{})
	p := &(*to)[len(*to)-1]
	p.Rect, p.Hit, p.Path, p.Look, p.owner, p.alpha = r, r, path, AsMore, -1, 1
	p.Back = back
	p.Name = text.At(s, r.X+3, r.MidY()+a.Size*0.36, a, text.Start, text.InkSoft, r.W-3)
}

// Said is a set of the facts that a znode's words state.
type Said uint16

const (
	saidMode Said = 1 << iota
	saidOwner
	saidData
	saidEnd
	saidTime
	saidCzxid
	saidLeft
	SaidVersion
	SaidNext
)
