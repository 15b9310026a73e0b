package store

import (
	"strings"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// planWrites plans the latest writes, the last one on the right: lines, numbers, or the value that each client uses.
func (st *Store) planWrites(s *view.Store, in geom.Rect) {
	var chips [view.KeptWrites]chipPlan
	var of [view.KeptWrites]*view.Write
	n, latest := 0, &s.Writes[view.KeptWrites-1]
	for i := range s.Writes {
		w := &s.Writes[i]
		client := st.f.Client(w.Client)
		if w.Client == 0 || client < 0 {
			continue
		}
		look, says := st.sayWrite(s, w, latest, client)
		at := n
		for s.Form == event.StoreValues && at > 0 && of[at-1].Client > w.Client { // clients keep their order
			chips[at], of[at] = chips[at-1], of[at-1]
			at--
		}
		chips[at], of[at] = st.chip(look, client, says), w
		if w.Late && look == asWritten {
			chips[at].late.R = chips[at].H * 0.25
		}
		n++
	}
	all := s.Taken + s.Refused
	if s.Form == event.StoreValues {
		all = n
	}
	from := st.placeChips(chips[:n], in, all)
	for i := from; i < n; i++ {
		st.planArrival(of[i], chips[i].client, chips[i].MidX())
	}
}

// sayWrite returns the look and the text of a write: its content, its number, and what is wrong with it.
func (st *Store) sayWrite(s *view.Store, w, latest *view.Write, client int) (chipLook, string) {
	f := st.f
	what := strings.TrimPrefix(w.Text, f.State.Clients[client].Name+" ")
	if len(what) > 24 {
		what = ""
	}
	look, word := asWritten, ""
	switch {
	case w.Refused:
		look, word = asWrong, "scene.refused"
	case w.Twice, s.Form == event.StoreNumbers && s.Twice > 0 && st.again(s, w):
		look, word = asWrong, "scene.twice"
	case s.Form == event.StoreValues && w.Text != latest.Text:
		look, word = asOpen, "scene.old"
	}
	if word != "" {
		word = f.Phrase(word)
	}
	f.Tidied(what)
	if w.Fence > 0 {
		f.Say(" · ").Num(w.Fence)
	}
	if word != "" {
		f.Say(" · ", word)
	}
	return look, f.Label()
}

// again reports whether a later write repeated this one.
func (st *Store) again(s *view.Store, w *view.Write) bool {
	for i := range s.Writes {
		if o := &s.Writes[i]; o.Twice && o.Text == w.Text {
			return true
		}
	}
	return false
}

// chipFaces returns the faces of a chip's text and of its letter.
//
//go:noinline
func (st *Store) chipFaces() (plain, bold text.Face) {
	f := st.f
	size := max(f.Sizes.Small.Size, min(f.Sizes.Small.Size*1.3, st.plan.H*0.3))
	return text.Face{Size: size}, text.Face{Size: size, Bold: true}
}

// chipGap returns the gap between two chips.
func (st *Store) chipGap() float64 { return max(4, 7*st.f.Sizes.K) }

// chip returns a chip without a place, as wide as its text needs.
func (st *Store) chip(look chipLook, client int, says string) (c chipPlan) {
	m := &st.f.Sizes
	a, bold := st.chipFaces()
	pad := max(3, 5*m.K)
	c.look, c.client = look, client
	c.H = min(a.Size+max(4, 9*m.K), st.plan.H-2)
	name := ""
	if client >= 0 {
		name = text.Letter(client)
	}
	c.badge = geom.R(0, 0, max(c.H, bold.Width(name)+pad), c.H)
	c.letter = text.Centred(name, c.badge.MidX(), 0, bold, text.InkPlain, c.badge.W)
	c.W = c.badge.W + 2*pad + a.Width(says)
	ink := text.InkPlain
	if look == asWrong {
		ink = text.InkOnSignal
	}
	c.text = text.At(says, c.badge.W+pad, 0, a, text.Start, ink, c.W-c.badge.W)
	return c
}

// placeChips places as many of the last chips as fit, and returns the index of the first one placed. all is the total
// number, including chips that are not in the list.
func (st *Store) placeChips(chips []chipPlan, in geom.Rect, all int) (from int) {
	m, gap := &st.f.Sizes, st.chipGap()
	a, _ := st.chipFaces()
	from, in = st.lastThatFit(len(chips), all, func(i int) float64 { return chips[i].W }, gap, in)
	x := in.X
	for i := from; i < len(chips); i++ {
		c := &chips[i]
		c.X, c.Y = x, in.MidY()-c.H/2
		c.badge.X, c.badge.Y = c.X, c.Y
		c.letter.X, c.letter.Y = c.badge.MidX(), in.MidY()+c.letter.Face.Size*0.36
		c.text.X, c.text.Y = c.text.X+c.X, in.MidY()+a.Size*0.36
		c.late.X, c.late.Y = c.Right(), c.Y
		if c.mark.R > 0 {
			c.mark.X, c.mark.Y = c.Right()-c.mark.R-max(3, 5*m.K), in.MidY()
		}
		st.plan.chips = append(st.plan.chips, *c)
		x += c.W + gap
	}
	return from
}

// lastThatFit returns the first index from which n widths fit, and the rectangle for them. They are the last of all,
// and a sign before them counts the hidden ones.
func (st *Store) lastThatFit(n, all int, width func(i int) float64, gap float64, in geom.Rect) (
	from int, rest geom.Rect,
) {
	f := st.f
	wide, sign := st.needs(n, all, width, gap, in)
	hide := func(sign float64) int {
		from, wide := 0, wide
		for ; from < n && wide > in.W-sign; from++ {
			wide -= width(from) + gap
		}
		return from
	}
	from = hide(sign)
	a, _ := st.chipFaces()
	if in.W < 40*a.Size { // a short sign may leave room for one more
		if short := st.plusRoom(all); short < sign && hide(short) < from {
			from, sign = hide(short), short
		}
	}
	hidden := all - n + from
	if hidden == 0 {
		return from, in
	}
	s := f.Hidden("scene.earlier", hidden, a, sign-a.Size*0.5)
	sign = a.Width(s) + a.Size*0.5
	st.plan.more = text.At(s, in.X, in.MidY()+a.Size*0.36, a, text.Start, text.InkSoft, sign)
	return from, geom.R(in.X+sign, in.Y, in.W-sign, in.H)
}

// needs returns the width of n items, the last of all, and of the sign for the others and those that don't fit.
func (st *Store) needs(n, all int, width func(i int) float64, gap float64, in geom.Rect) (wide, sign float64) {
	wide = -gap
	for i := range n {
		wide += width(i) + gap
	}
	if all > n || wide > in.W {
		a, _ := st.chipFaces()
		sign = a.Width(st.f.Phrase("scene.earlier", st.f.Grouped(all))) + a.Size*0.5
		if sign > in.W/4+a.Size*0.5 {
			sign = st.plusRoom(all)
		}
	}
	return wide, sign
}

// plusRoom returns the width of the short form of that sign.
func (st *Store) plusRoom(most int) float64 {
	a, _ := st.chipFaces()
	return a.Width(st.f.Plus(most)) + a.Size*0.5
}
