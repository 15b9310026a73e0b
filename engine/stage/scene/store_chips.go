package scene

import (
	"strings"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
)

// mostChips is the maximum number of chips in a store.
const mostChips = max(view.KeptWrites, view.KeptTasks)

// planWrites plans the latest writes, the last one on the right: lines, numbers, or the value that each client uses.
func (st *store) planWrites(s *view.Store, in rect) {
	var chips [mostChips]chipPlan
	var of [mostChips]*view.Write
	n, latest := 0, &s.Writes[view.KeptWrites-1]
	for i := range s.Writes {
		w := &s.Writes[i]
		client := st.client(w.Client)
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
		n++
	}
	all := s.Taken + s.Refused
	if s.Form == event.StoreValues {
		all = n
	}
	from := st.placeChips(chips[:n], in, all)
	for i := from; i < n; i++ {
		st.planArrival(of[i], chips[i].client, chips[i].midX())
	}
}

// sayWrite returns the look and the text of a write: its content, its number, and what is wrong with it.
func (st *store) sayWrite(s *view.Store, w, latest *view.Write, client int) (chipLook, string) {
	what := strings.TrimPrefix(w.Text, st.s.Clients[client].Name+" ")
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
		word = st.phrase(word)
	}
	st.tidied(what)
	if w.Fence > 0 {
		st.say(" · ").num(w.Fence)
	}
	if word != "" {
		st.say(" · ", word)
	}
	return look, st.label()
}

// again reports whether a later write repeated this one.
func (st *store) again(s *view.Store, w *view.Write) bool {
	for i := range s.Writes {
		if o := &s.Writes[i]; o.Twice && o.Text == w.Text {
			return true
		}
	}
	return false
}

// chipFaces returns the faces of a chip's text and of its letter.
func (st *store) chipFaces() (plain, bold face) {
	size := max(st.m.small.size, min(st.m.small.size*1.3, st.plan.h*0.3))
	return face{size: size}, face{size: size, bold: true}
}

// chip returns a chip without a place, as wide as its text needs.
func (st *store) chip(look chipLook, client int, says string) (c chipPlan) {
	m := &st.m
	a, bold := st.chipFaces()
	pad := max(3, 5*m.k)
	c.look, c.client = look, client
	c.h = min(a.size+max(4, 9*m.k), st.plan.h-2)
	name := ""
	if client >= 0 {
		name = letter(client)
	}
	c.badge = rect{0, 0, max(c.h, bold.width(name)+pad), c.h}
	c.letter = middle(name, c.badge.midX(), 0, bold, inkPlain, c.badge.w)
	c.w = c.badge.w + 2*pad + a.width(says)
	ink := inkPlain
	if look == asWrong {
		ink = inkOnSignal
	}
	c.text = text(says, c.badge.w+pad, 0, a, Start, ink, c.w-c.badge.w)
	return c
}

// placeChips places as many of the last chips as fit, and returns the index of the first one placed. all is the total
// number, including chips that are not in the list.
func (st *store) placeChips(chips []chipPlan, in rect, all int) (from int) {
	m := &st.m
	gap := max(4, 7*m.k)
	a, _ := st.chipFaces()
	from, in = st.lastThatFit(len(chips), all, func(i int) float64 { return chips[i].w }, gap, in)
	x := in.x
	for i := from; i < len(chips); i++ {
		c := &chips[i]
		c.x, c.y = x, in.midY()-c.h/2
		c.badge.x, c.badge.y = c.x, c.y
		c.letter.x, c.letter.y = c.badge.midX(), in.midY()+c.letter.face.size*0.36
		c.text.x, c.text.y = c.text.x+c.x, in.midY()+a.size*0.36
		if c.mark.r > 0 {
			c.mark.x, c.mark.y = c.right()-c.mark.r-max(3, 5*m.k), in.midY()
		}
		st.plan.chips = append(st.plan.chips, *c)
		x += c.w + gap
	}
	return from
}

// lastThatFit returns the first index from which n widths fit, and the rectangle for them. They are the last of all,
// and a sign before them counts the hidden ones.
func (st *store) lastThatFit(n, all int, width func(i int) float64, gap float64, in rect) (from int, rest rect) {
	wide, sign := -gap, 0.0
	for i := range n {
		wide += width(i) + gap
	}
	if all > n || wide > in.w {
		sign = st.earlierRoom(all, in)
	}
	for ; from < n && wide > in.w-sign; from++ {
		wide -= width(from) + gap
	}
	if hidden := all - n + from; hidden > 0 {
		return from, st.planEarlier(hidden, in, sign)
	}
	return from, in
}

// earlierRoom returns the width of the sign for up to most hidden, older items.
func (st *store) earlierRoom(most int, in rect) float64 {
	a, _ := st.chipFaces()
	n := st.grouped(most)
	wide := a.width(st.phrase("scene.earlier", n))
	if wide > in.w/4 {
		wide = a.width(st.say("+", n).label())
	}
	return wide + a.size*0.5
}

// planEarlier plans that sign, no wider than room, and returns the rectangle next to it.
func (st *store) planEarlier(n int, in rect, room float64) rect {
	a, _ := st.chipFaces()
	s := st.grouped(n)
	s = a.fit(room-a.size*0.5, st.phrase("scene.earlier", s), st.say("+", s).label())
	room = a.width(s) + a.size*0.5
	st.plan.more = text(s, in.x, in.midY()+a.size*0.36, a, Start, inkSoft, room)
	return rect{in.x + room, in.y, in.w - room, in.h}
}
