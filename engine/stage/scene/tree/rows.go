package tree

import (
	"slices"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/stage/scene/floor"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
	"github.com/zkviz/zkviz/engine/stage/scene/paint"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
	"github.com/zkviz/zkviz/engine/stage/scene/znode"
)

// rowPlan is the layout of a tree's rows.
type rowPlan struct {
	rowH, pitch float64
	cols, rows  int
	colW, rowW  float64
	lanes       float64 // on the right, for watches
}

func (tr *Tree) rowPlan(area geom.Rect) rowPlan {
	f := tr.f
	m := &f.Sizes
	p := rowPlan{rowH: m.Name.Size + max(6, 10*m.K)}
	p.pitch = p.rowH + max(2, 5*m.K)
	if n := float64(len(tr.rows)); n*p.pitch > area.H && n*(p.rowH+1) <= area.H+1 {
		p.pitch = area.H / n
	}
	p.rows = max(int(area.H/p.pitch+0.01), 1)
	most := 1
	if n := len(f.State.Clients); n == 0 || f.Observed {
		most = max(int(area.W/(200*max(m.K, 0.7))), 1)
	} else if f.State.Counts.WatchesSet+len(f.State.Watches.List) > 0 || p.rows == 1 { // one row has "+N" there
		p.lanes = min(max(area.W*0.3, 60), 12*m.K*float64(n+2))
	}
	p.cols = min(max((len(tr.rows)+p.rows-1)/p.rows, 1), most)
	p.colW = (area.W - p.lanes) / float64(p.cols)
	if p.rowW = p.colW; p.cols > 1 || p.rows == 1 { // something stands behind it
		p.rowW -= 8 * m.K
	}
	if n := len(tr.rows); n > 0 && n < p.rows { // room to breathe
		p.pitch = min(area.H/float64(n), p.rowH*1.7)
	}
	return p
}

// area returns the part of ZooKeeper's box that rows may have.
func (tr *Tree) area() geom.Rect {
	m, b := &tr.f.Sizes, tr.f.Box
	head := m.RootH + max(8, 14*m.K)
	return geom.R(b.X+m.Pad, b.Y+head, b.W-2*m.Pad, b.H-head-max(4, 8*m.K))
}

// Plan plans the rows.
func (tr *Tree) Plan() {
	f := tr.f
	area := tr.area()
	p := tr.rowPlan(area)
	if len(tr.rows) > p.rows*p.cols { // existing znodes take precedence over deleted ones
		all := tr.rows
		tr.rows = all[:0]
		for i := range all {
			if !tr.isGone(&all[i]) {
				tr.rows = append(tr.rows, all[i])
			}
		}
		p = tr.rowPlan(area)
	}
	if tr.form > inFull {
		tr.planRoot()
		tr.mostTelling(p.rows*p.cols - 1)
	}
	tr.pitch = p.pitch
	f.Routes.CardTop = area.Y
	page, places := floor.Span{From: 0, To: len(tr.rows)}, p.rows*p.cols
	if len(tr.rows) > places {
		page = floor.PageOf(len(tr.rows), places-1, places-2, tr.chosenRow())
	}
	at := 0 // next place
	place := func() geom.Rect {
		x, y := area.X+float64(at/p.rows)*p.colW, area.Y+float64(at%p.rows)*p.pitch
		at++
		return geom.R(x, y, p.rowW, p.rowH)
	}
	if page.From > 0 {
		says := f.Phrase("scene.more-before", f.Grouped(page.From))
		f.Routes.More = true
		tr.znodes.More(&tr.znodes.Rows, says, tr.pathOf(page.From-1), true, place())
	}
	var trunk [32]float64 // y of the last row at each depth, for the elbows
	for i := page.From; i < page.To; i++ {
		top := at%p.rows == 0 || i == page.From
		r := place()
		if top {
			for d := range trunk {
				trunk[d] = r.Y
			}
		}
		tr.planRow(&tr.rows[i], r, trunk[:])
	}
	if rest := len(tr.rows) - page.To; rest > 0 {
		f.Routes.More = true
		tr.znodes.More(&tr.znodes.Rows, f.Phrase("scene.more", f.Grouped(rest)), tr.pathOf(page.To), false, place())
	}
	tr.nearLanes(area)
}

// pathOf returns the path that selects row i.
func (tr *Tree) pathOf(i int) string {
	f := tr.f
	t := &tr.rows[i]
	if t.queue > 0 {
		return tr.pathIn(f.Slots[t.first])
	}
	return t.path
}

// chosenRow returns the row that is, or contains, the selected znode, or -1.
func (tr *Tree) chosenRow() int {
	f := tr.f
	path := f.Chosen()
	return slices.IndexFunc(tr.rows, func(t row) bool {
		if t.queue > 0 {
			return path != "" && f.ChosenSlot(f.Slots[t.first:][:t.queue]) >= 0
		}
		return path != "" && t.path == path
	})
}

// nearLanes moves the lanes for watches close to the widest row.
func (tr *Tree) nearLanes(area geom.Rect) {
	f := tr.f
	x := area.X + area.W*0.3
	for i := range f.Places {
		if c := &f.Places[i]; c.Shown {
			x = max(x, c.Right())
		}
	}
	for i := range f.Hubs {
		if h := &f.Hubs[i]; h.Path != f.State.Root || tr.watched(h.Path) {
			x = max(x, h.Right())
		}
	}
	f.Routes.TreeStep = min(26*f.Sizes.K, (area.Right()-x)/float64(len(f.State.Clients)+2))
	f.Routes.TreeX = x + f.Routes.TreeStep
}

func (tr *Tree) planRow(t *row, r geom.Rect, trunk []float64) {
	f := tr.f
	m := &f.Sizes
	depth := min(t.depth, len(trunk)-1)
	step := min(22*m.K, r.W*0.5/float64(depth+1))
	x := r.X + float64(depth)*step
	hangs := tr.hangs(t)
	if depth > 0 && hangs {
		bx := x - step*0.55
		f.Wire(bx, trunk[depth-1], bx, r.MidY(), paint.RowWire)
		f.Wire(bx, r.MidY(), x, r.MidY(), paint.RowWire)
	}
	for d := depth; d < len(trunk); d++ {
		trunk[d] = r.Bottom()
	}
	if depth > 0 && hangs {
		trunk[depth-1] = r.MidY()
	}
	r.W -= x - r.X
	r.X = x
	switch {
	case t.queue > 0:
		tr.planQueueRow(t, r)
	case t.node < 0:
		r.W = min(r.W, m.Name.Width(text.Base(t.path))+20*m.K)
		f.Stand(t.path, r)
		tr.znodes.Missing(&tr.znodes.Rows, t.path, r)
	default:
		tr.planLeaf(t, r)
	}
}

// hangs reports whether a row has an existing znode.
func (tr *Tree) hangs(t *row) bool {
	if t.queue == 0 {
		return tr.exists(floor.Slot{Node: t.node})
	}
	return slices.ContainsFunc(tr.f.Slots[t.first:][:t.queue], tr.exists)
}

// exists reports whether there is a znode in a slot.
func (tr *Tree) exists(s floor.Slot) bool { return s.Node >= 0 && !tr.f.State.Tree.Nodes[s.Node].Gone }

// planLeaf plans the row of one znode: the card with the name, then its data, its kind and its version.
func (tr *Tree) planLeaf(t *row, r geom.Rect) {
	f := tr.f
	m, n := &f.Sizes, &f.State.Tree.Nodes[t.node]
	pad, note := max(4, 8*m.K), 0.0
	if s := tr.noteOf(n, longestWord); s != "" { // the name gives way to it
		note = m.Note.Width(s) + 8*m.K
	}
	name := tr.leafName(t, max(r.W-2*pad-note, min(r.W-2*pad, m.Name.Width("007·W"))))
	w := m.Name.Width(name) + 2*pad
	c := geom.R(r.X, r.Y, w, r.H)
	var alpha float64
	if n.Gone {
		alpha = tr.znodes.Fading(n)
	} else {
		alpha = geom.Ease(f.Grown(n.Created))
	}
	p := tr.znodes.Outline(&tr.znodes.Rows, n, c, f.Owner(n), alpha)
	p.Name = text.Centred(name, c.MidX(), c.MidY(), m.Name, text.InkPlain, c.W).Faded(alpha)
	if n.Gone {
		p.Struck = alpha
	}
	x, room := c.Right()+8*m.K, r.Right()-c.Right()-8*m.K
	y := c.MidY() + m.Small.Size*0.36
	if s := tr.valueOf(n, min(room, max(room*0.6, 30, note))); s != "" {
		a := m.Note
		p.Second = text.At(s, x, y, a, text.Start, text.InkPlain, room).Faded(alpha)
		f.Labelled(mark.Data, n.Path, n.Data, &p.Second)
		w := a.Width(s) + 10*m.K
		x, room = x+w, room-w
	}
	f.Labelled(mark.Node, n.Path, "", &p.Name)
	slot, cards := int32(-1), 0.0
	if t.beside > 0 {
		slot, cards = int32(t.first), tr.besideW(t)
	}
	if s, what := tr.traits(n, f.Owner(n), room-cards); s != "" {
		p.Third = text.At(s, x+cards, y, m.Small, text.Start, text.InkSoft, room).Faded(alpha)
		tr.znodes.Tells(n, f.Owner(n), what, &p.Third)
		if cards == 0 {
			x += m.Small.Width(s) + 6*m.K
		}
	}
	c.W = max(x-r.X, w) // lines stop before the words
	f.Places[t.node] = floor.Place{Rect: c, Shown: true, Slot: slot}
	if p.Hit = c; t.beside > 0 {
		p.Hit = p.Rect
		tr.planBeside(t, x, r)
	}
}

func (tr *Tree) leafName(t *row, room float64) string {
	f := tr.f
	if t.path == f.State.Root {
		return f.CutMiddle(t.path, f.Sizes.Name, room)
	}
	return tr.znodes.Name(&f.State.Tree.Nodes[t.node], f.Sizes.Name, room)
}

// valueOf returns as much of a znode's data as fits.
func (tr *Tree) valueOf(n *view.Node, room float64) string {
	f := tr.f
	if n.Gone || n.Data == "" {
		return ""
	}
	return f.Cut(n.Data, f.Sizes.Note, room)
}

// traits returns a znode's kind, owner, version, and the number of its next child.
func (tr *Tree) traits(n *view.Node, owner int, room float64) (string, znode.Said) {
	f := tr.f
	s, what := tr.znodes.KindOf(n, owner, room)
	if tr.form > inFull && !n.Gone && !n.Mode.IsEphemeral() { // its border says it
		s, what = "", 0
	}
	if n.Gone || f.Observed { // an observer may have missed changes
		return s, what
	}
	if f.Options.Without&mark.VersionTerm == 0 && (n.Version > 0 || n.Numbers || tr.conditional(n.Path)) {
		number := f.Num(int64(n.Version)).Label()
		if long := f.Phrase("scene.version", s, number); s != "" && !n.Numbers && f.Sizes.Small.Width(long) <= room {
			s, what = long, what|znode.SaidVersion
		} else if short := f.Phrase("scene.version.short", number); !n.Numbers && f.Sizes.Small.Width(short) <= room {
			s, what = short, znode.SaidVersion
		}
	}
	if n.Numbers {
		next := f.Phrase("scene.next", f.Num(n.Next).Label())
		if long := f.Say(s, " · ", next).Label(); s != "" && f.Sizes.Small.Width(long) <= room {
			return long, what | znode.SaidNext
		}
		return f.Sizes.Small.Fit(room, next, s), znode.SaidNext
	}
	return s, what
}

// conditional reports whether a write of the znode under way is conditional on its version.
func (tr *Tree) conditional(path string) bool {
	f := tr.f
	for i := range f.State.Flights.List {
		if m := &f.State.Flights.List[i]; m.If && m.Path == path && !m.Reply {
			return true
		}
	}
	return false
}
