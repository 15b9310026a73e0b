package tree

import (
	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene/floor"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
	"github.com/zkviz/zkviz/engine/stage/scene/paint"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
	"github.com/zkviz/zkviz/engine/stage/scene/znode"
)

// widest returns the width of the longest name in a queue, with its owner's letter, that of the longest note, and that
// of both, one behind the other.
func (tr *Tree) widest(t *row) (name, note, both float64) {
	longest := longestNote
	if t.long {
		longest = longestWord
	}
	f := tr.f
	a := f.Sizes.Name
	for _, s := range f.Slots[t.first:][:min(t.queue, floor.MaxGrid)] {
		if s.Node < 0 {
			name = max(name, a.Width(f.NameOf(tr.pathIn(s), a, 30*a.Size)))
			continue
		}
		n := &f.State.Tree.Nodes[s.Node]
		w := a.Width(tr.znodes.Name(n, a, 30*a.Size))
		if n.Owner != 0 {
			w += a.Width("·W")
		}
		name = max(name, w)
		if s := tr.noteOf(n, longest); s != "" {
			note = max(note, f.Sizes.Note.Width(s))
			w += tr.noteGap() + f.Sizes.Note.Width(s)
		}
		both = max(both, w)
	}
	return name, note, max(name, both)
}

// The greatest length of data that a card in a queue shows, and one on its parent's row.
const (
	longestNote = 8
	longestWord = 24
)

// pathIn returns the path of a card in a queue.
func (tr *Tree) pathIn(s floor.Slot) string {
	if s.Node < 0 {
		return tr.f.State.Watches.List[^s.Node].Path
	}
	return tr.f.State.Tree.Nodes[s.Node].Path
}

// noteOf returns the data of a znode in a queue if it's at most most long, like a number.
func (tr *Tree) noteOf(n *view.Node, most int) string {
	if f := tr.f; n.Gone || int(n.Bytes) > most || len(n.Data) > most || f.Observed || f.Visitors {
		return ""
	}
	return n.Data
}

// noteGap returns the gap between a name and its note.
func (tr *Tree) noteGap() float64 { return tr.f.Sizes.Name.Size * 0.6 }

// addNote writes a znode's note behind its name, if it fits.
func (tr *Tree) addNote(n *view.Node, p *znode.NodePlan, most int) {
	f := tr.f
	s, a := tr.noteOf(n, most), f.Sizes.Note
	wide := tr.noteGap() + a.Width(s)
	name, b := p.Name.Text, &p.Name
	if b.Face.Width(name)+wide > p.W-4 && n.Number >= 0 && n.Owner == 0 { // the number says enough
		name = f.Padded(n.Number).Label()
	}
	if s == "" || p.Second.Text != "" || b.Face.Width(name)+wide > p.W-4 {
		return
	}
	b.Text = name
	p.Name.X -= wide / 2
	f.Moved(mark.Node, n.Path, p.Name.Bounds())
	f.Moved(mark.Owner, n.Path, p.Name.Bounds())
	x := p.Name.X + p.Name.Face.Width(p.Name.Text)/2 + tr.noteGap()
	p.Second = text.At(s, x, p.Name.Y, a, text.Start, text.InkPlain, wide).Faded(p.Name.Alpha)
	f.Labelled(mark.Data, n.Path, n.Data, &p.Second)
}

// putNote writes a znode's note below its name, for which the card grows.
func (tr *Tree) putNote(n *view.Node, p *znode.NodePlan, more float64) {
	f := tr.f
	s, a := tr.noteOf(n, longestNote), f.Sizes.Note
	if s == "" || p.Second.Text != "" || a.Width(s) > p.W-4 {
		return
	}
	p.Second = text.Centred(s, p.MidX(), p.Name.Y+more*0.72, a, text.InkPlain, p.W-4).Faded(p.Name.Alpha)
	p.H += more
	p.Hit = p.Rect
	f.Labelled(mark.Data, n.Path, n.Data, &p.Second)
}

// planCard plans the card in slot k at r, with a note of at most most bytes. It grows by below for a note, if that's
// more than 0.
func (tr *Tree) planCard(k int, r geom.Rect, below float64, most int) {
	f := tr.f
	s := f.Slots[k]
	if s.Node < 0 {
		path := tr.pathIn(s)
		f.Stand(path, r).Slot = int32(k)
		tr.znodes.Missing(&tr.znodes.Rows, path, r)
		return
	}
	n := &f.State.Tree.Nodes[s.Node]
	p := tr.znodes.Node(&tr.znodes.Rows, n, r)
	if below > 0 {
		tr.putNote(n, p, below)
		r.H = p.H
	} else {
		tr.addNote(n, p, most)
	}
	f.Places[s.Node] = floor.Place{Rect: r, Shown: true, Slot: int32(k)}
}

// leaveOutDeleted takes deleted znodes out of a row, the oldest first, until the rest fit.
func (tr *Tree) leaveOutDeleted(t *row, fit func() bool) {
	slots := tr.f.Slots[t.first:][:t.queue]
	for k := 0; k < t.queue && t.queue > 1 && !fit(); {
		if slots[k].Node < 0 || tr.exists(slots[k]) {
			k++
			continue
		}
		copy(slots[k:], slots[k+1:])
		t.queue--
	}
}

// shortWidths returns the widths of a row's cards without the names' stems, or with little of them, in the order in
// which they are tried: the last one is taken even if the cards don't fit. Notes of zero width aren't there. The pad is
// what a card is wider than its words.
func (tr *Tree) shortWidths(t *row, note, behind, room, pad float64) [4]float64 {
	m := &tr.f.Sizes
	least, with := "007·W", 0.0
	wide := max(m.Name.Width("lock-007·W"), note) + pad
	if n := tr.f.Slots[t.first].Node; n >= 0 && tr.f.State.Tree.Nodes[n].Owner == 0 {
		least = "007"
		if behind > 0 {
			with = m.Name.Width(least) + tr.noteGap() + behind + pad
		}
	}
	short := max(m.Name.Width(least), note) + pad
	last := short
	if room >= 3*wide {
		last = wide
	}
	return [4]float64{max(wide, with), wide, short, last}
}

// planQueueRow plans sequential siblings side by side, in order.
func (tr *Tree) planQueueRow(t *row, r geom.Rect) {
	f := tr.f
	m := &f.Sizes
	gap := 5 * m.K
	pad := max(6, 8*m.K)
	name, note, both := tr.widest(t)
	w, below := both+pad, 0.0
	fit := func() bool { return float64(t.queue)*(w+gap) <= r.W+gap }
	// Notes of more than a number go below the names, if there's room.
	low, more, longer := max(name, note)+pad, m.Note.Size*1.05, tr.noteGap()+m.Note.Width("9999")
	behind := note
	if r.H+more+1 <= tr.pitch && (w-low > longer || !fit()) {
		w, below, behind = low, more, 0
	} else {
		note = 0
	}
	if !fit() && event.Number(tr.pathIn(f.Slots[t.first])) < 0 {
		w = max((r.W+gap)/float64(t.queue)-gap, m.Name.Width("lock-007")+pad)
	} else if !fit() {
		for _, w = range tr.shortWidths(t, note, behind, r.W, pad) {
			if fit() {
				break
			}
		}
	}
	tr.leaveOutDeleted(t, fit)
	slots, words := f.Slots[t.first:][:t.queue], m.Note.Width("+9999")
	fits := func(words float64) int { return max(int((r.W-words+gap)/(w+gap)), 1) }
	page, heads := floor.Span{From: 0, To: t.queue}, 0
	if fits(0) < t.queue {
		if fits(2*words) < 4 && (f.Visitors || f.Observed) { // the row above says what they're for
			w = m.Name.Width("007·W") + pad
		}
		heads = f.Turns(slots, fits(2*words)/2)
		page = floor.PageOf(t.queue, fits(words), fits(2*words)-heads, f.ChosenSlot(slots))
	}
	x, hangs := r.X, false
	card := func(k int) {
		there := tr.exists(slots[k])
		if k > 0 && !hangs && there { // nothing connects those before it any more
			f.Wire(r.X, r.MidY(), x, r.MidY(), paint.RowWire)
		}
		hangs = hangs || there
		tr.planCard(t.first+k, geom.R(x, r.Y, w, r.H), below, longestNote)
		x += w + gap
	}
	rest := func(n, k int, back bool) {
		if n > 0 {
			more := geom.R(x, r.Y, min(words, r.Right()-x), r.H)
			tr.znodes.More(&tr.znodes.Rows, f.Plus(n), tr.pathIn(slots[k]), back, more)
			x += words
		}
	}
	for k := range min(heads, page.From) {
		card(k)
	}
	rest(page.From-heads, page.From-1, true)
	for k := page.From; k < page.To; k++ {
		card(k)
	}
	rest(t.queue-page.To, min(page.To, t.queue-1), false)
}
