package store

import (
	"strings"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// mostChips is the maximum number of chips: two for a task in sight, and one for each time that it was done again.
const mostChips = 2*view.KeptTasks + view.KeptWrites

// How much the chips leave out, each with what is before it.
const (
	briefShared = iota + 1 // of a task that several have done: the second time
	briefLook              // the word for what is wrong or open: the look tells it
	briefText              // all but the last word
)

// planChips plans the writes or the tasks. In little room it hides the oldest, and what is wrong, open or outdated only
// after all others. If even that doesn't fit, or only one chip is seen, the chips have fewer words.
func (st *Store) planChips(s *view.Store, in geom.Rect) {
	most, best := 0, 0
	for st.brief = 0; ; st.brief++ {
		last := st.brief > briefText
		if last {
			st.brief = best
		}
		st.plan.chips, st.plan.more = st.plan.chips[:0], st.plan.more[:0]
		seen, enough, rest := st.hideChips(st.addChips(s), in)
		if last || enough {
			st.placeChips(rest)
			return
		}
		if seen > most {
			most, best = seen, st.brief
		}
	}
}

// hideChips sets the width of those that don't fit to zero. It returns how many are seen, whether they are enough, and
// the rectangle for them. all is the total number, including chips that are not in the list.
func (st *Store) hideChips(all int, in geom.Rect) (seen int, enough bool, rest geom.Rect) {
	var order [mostChips]int
	chips, n, lower := st.plan.chips, 0, 0
	for rank := range chipRanks {
		lower = n
		for i := range chips {
			if chips[i].rank == rank {
				order[n] = i
				n++
			}
		}
	}
	from, rest := st.lastThatFit(n, all, func(i int) float64 { return chips[order[i]].W }, st.chipGap(), in)
	for _, i := range order[:from] {
		chips[i].W = 0
	}
	return n - from, from == 0 || from <= lower && n-from > 1, rest
}

// addChips adds the chips of the tasks, or one for each of the latest writes, the last one on the right: lines,
// numbers, or the value that each client uses. It returns the number of all.
func (st *Store) addChips(s *view.Store) (all int) {
	if s.Form == event.StoreTasks {
		return st.taskChips(s)
	}
	p, latest := &st.plan, &s.Writes[view.KeptWrites-1]
	for i := range s.Writes {
		w := &s.Writes[i]
		client := st.f.Client(w.Client)
		if w.Client == 0 || client < 0 ||
			s.Form == event.StoreValues && w.Text == latest.Text && departed(&st.f.State.Clients[client]) {
			continue
		}
		c := st.writeChip(s, w, latest, client)
		at := len(p.chips)
		p.chips = append(p.chips, c)
		if s.Form != event.StoreValues {
			continue
		}
		for k := range at {
			if o := &p.chips[k]; o.text.Text == c.text.Text {
				o.rank = repeated
			}
		}
		for ; at > 0 && p.chips[at-1].client > client; at-- { // clients keep their order
			p.chips[at] = p.chips[at-1]
		}
		p.chips[at] = c
	}
	if s.Form == event.StoreValues {
		return len(p.chips)
	}
	return s.Taken + s.Refused
}

// departed reports whether a client has left what its value was for: a closed till has no price. If others have got
// another value while it was leaving, it had its own for too long.
func departed(c *view.Client) bool {
	return c.Belief.Phase == program.Left || c.Belief.Phase == program.Leaving && c.Blocked
}

// writeChip returns the chip of a write: its content, its number, and what is wrong with it.
func (st *Store) writeChip(s *view.Store, w, latest *view.Write, client int) chipPlan {
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
	c := st.chip(look, client, f.Label(), word)
	c.write = w
	if w.Late && look == asWritten {
		c.late.R, c.rank = c.H*0.25, wanted
	}
	return c
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

// chip returns a chip without a place, as wide as its text needs. Its look says what the word says.
func (st *Store) chip(look chipLook, client int, says, word string) (c chipPlan) {
	m := &st.f.Sizes
	a, bold := st.chipFaces()
	pad := max(3, 5*m.K)
	c.look, c.client, c.rank = look, client, plain
	if look == asWrong || look == asOpen {
		c.rank = wanted
	}
	c.H = min(a.Size+max(4, 9*m.K), st.plan.H-2)
	name := ""
	if client >= 0 {
		name = text.Letter(client)
	}
	c.says = says
	if word != "" {
		c.says = st.f.Say(says, " · ", word).Label()
	}
	switch {
	case st.brief == briefText:
		says = says[strings.LastIndexByte(says, ' ')+1:]
	case st.brief < briefLook:
		says = c.says
	}
	c.badge = geom.R(0, 0, max(c.H, bold.Width(name)+pad), c.H)
	c.letter = text.Centred(name, c.badge.MidX(), 0, bold, text.InkPlain, c.badge.W)
	c.W = c.badge.W + 2*pad + a.Width(says)
	ink := text.InkPlain
	if look == asWrong {
		ink = text.InkOnSignal
	}
	c.text = text.At(says, c.badge.W+pad, 0, a, text.Start, ink, c.W-c.badge.W)
	if look == asDone {
		c.mark.R = a.Size * 0.4
		c.W += 2*c.mark.R + pad
	}
	return c
}

// placeChips places the chips that aren't hidden, from the left of in.
func (st *Store) placeChips(in geom.Rect) {
	m, chips := &st.f.Sizes, st.plan.chips
	a, _ := st.chipFaces()
	x, n := in.X, 0
	for i := range chips {
		c := &chips[i]
		if c.W == 0 {
			continue
		}
		c.X, c.Y = x, in.MidY()-c.H/2
		c.badge.X, c.badge.Y = c.X, c.Y
		c.letter.X, c.letter.Y = c.badge.MidX(), in.MidY()+c.letter.Face.Size*0.36
		c.text.X, c.text.Y = c.text.X+c.X, in.MidY()+a.Size*0.36
		c.late.X, c.late.Y = c.Right(), c.Y
		if c.mark.R > 0 {
			c.mark.X, c.mark.Y = c.Right()-c.mark.R-max(3, 5*m.K), in.MidY()
		}
		if c.write != nil {
			st.planArrival(c.write, c.client, c.MidX())
		}
		x += c.W + st.chipGap()
		chips[n] = *c
		n++
	}
	st.plan.chips = chips[:n]
}

// lastThatFit returns the first index from which n widths fit, and the rectangle for them. They are the last of all,
// and a sign before them counts the hidden ones.
func (st *Store) lastThatFit(n, all int, width func(i int) float64, gap float64, in geom.Rect) (
	from int, rest geom.Rect,
) {
	f := st.f
	wide := -gap
	for i := range n {
		wide += width(i) + gap
	}
	if all == n && wide <= in.W {
		return 0, in
	}
	a, _ := st.chipFaces()
	hide := func(sign string) (from int, room float64) {
		room = a.Width(sign) + a.Size*0.5
		for wide := wide; from < n && wide > in.W-room; from++ {
			wide -= width(from) + gap
		}
		return from, room
	}
	from, room := hide(f.Phrase("scene.earlier", f.Grouped(all)))
	short, _ := hide(f.Plus(all))
	brief := room > in.W/4+a.Size*0.5 || in.W < 40*a.Size && short < from // a short sign may leave room for one more
	if brief {
		from = short
	}
	hidden := all - n + from
	s := f.Plus(hidden)
	if !brief {
		s = f.Phrase("scene.earlier", f.Grouped(hidden))
	}
	room = a.Width(s) + a.Size*0.5
	st.plan.more = append(st.plan.more, text.At(s, in.X, in.MidY()+a.Size*0.36, a, text.Start, text.InkSoft, room))
	return from, geom.R(in.X+room, in.Y, in.W-room, in.H)
}
