package tree

import (
	"github.com/zkviz/zkviz/engine/stage/scene/floor"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
	"github.com/zkviz/zkviz/engine/stage/scene/paint"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
	"github.com/zkviz/zkviz/engine/stage/scene/znode"
)

// form is how much room a tree takes. Each form takes less than the one before.
type form uint8

const (
	inFull form = iota
	folded      // the root is beside the box's name, childless siblings share a row, and persistent znodes don't say so
	onRows      // as folded, and they share the row of their parent where they fit
)

// isGone reports whether a row has only a deleted znode.
func (tr *Tree) isGone(t *row) bool {
	return t.queue == 0 && t.beside == 0 && t.node >= 0 && tr.f.State.Tree.Nodes[t.node].Gone
}

// plain reports whether a row is a missing znode, or a childless one whose card tells as much as a row would. Where
// there's no room for rows, that needn't be its data and version.
func (tr *Tree) plain(i int) bool {
	f, t := tr.f, &tr.rows[i]
	if t.queue > 0 || t.path == f.State.Root {
		return false
	}
	if t.node < 0 {
		return true
	}
	n := &f.State.Tree.Nodes[t.node]
	told := n.Data == "" || tr.noteOf(n, longestNote) != "" || n.Number >= 0 || n.Gone
	known := n.Version == 0 || f.Options.Without&mark.VersionTerm != 0
	clear := n.Number >= 0 || !tr.watched(n.Path) // lines of watches end on a row of their own
	return tr.isLeaf(i) && !n.Numbers && (told && known && clear || tr.form == onRows)
}

// takeRootOut takes the root's row out, unless the row has more than its name and the number of its next child.
func (tr *Tree) takeRootOut() {
	f := tr.f
	if len(tr.rows) == 0 || tr.rows[0].path != f.State.Root || tr.rows[0].node < 0 || tr.rows[0].queue > 0 {
		return
	}
	if n := &f.State.Tree.Nodes[tr.rows[0].node]; n.Gone || n.Data != "" {
		return
	}
	tr.rows, tr.rootOut = append(tr.rows[:0], tr.rows[1:]...), true
}

// placeRoot places the root beside the box's name.
func (tr *Tree) placeRoot() {
	f, b := tr.f, tr.f.Box
	m := &f.Sizes
	name := m.Bold.Width(znode.ZooKeeper)
	if m.ServersH > 0 {
		n, _ := f.State.Ensemble.Whose()
		name = max(name, m.Bold.Width(f.Phrase("scene.whose", f.Server(n))))
	}
	pad := 5 * max(m.K, 0.6)
	x := b.X + m.Pad + name + 2*pad
	room := b.Right() - m.Pad - x
	if f.State.Lost || f.Unserved() { // that's said behind it
		room *= 0.6
	}
	wide := m.Name.Width(f.State.Root) + 2*pad + 1
	if s := tr.znodes.NextOf(int32(f.NodeAt(f.State.Root))); s != "" {
		wide += m.Small.Width(s) + 8*m.K + pad
	}
	f.Stand(f.State.Root, geom.R(x, b.Y+max(4, 8*m.K), min(wide, room), m.RootH))
}

// planRoot plans the root beside the box's name.
func (tr *Tree) planRoot() {
	if tr.rootOut {
		tr.znodes.PlanRoot(&tr.f.Hubs[0])
	}
}

// watched reports whether a client watches a znode.
//
//go:noinline
func (tr *Tree) watched(path string) bool {
	for k := range tr.f.State.Watches.List {
		if w := &tr.f.State.Watches.List[k]; w.Path == path && !tr.f.Faded(w) {
			return true
		}
	}
	return false
}

// standBeside puts children that share a row, or are alone, on the row of their parent if they fit there.
func (tr *Tree) standBeside() {
	f := tr.f
	width := tr.rowPlan(tr.area()).rowW
	kept := tr.rows[:0]
	for i := range tr.rows {
		t := tr.rows[i]
		last := len(kept) - 1
		if last < 0 || kept[last].queue > 0 || kept[last].beside > 0 || kept[last].node < 0 ||
			text.Parent(t.path) != kept[last].path || t.queue == 0 && !tr.plain(i) {
			kept = append(kept, t)
			continue
		}
		with, slots := kept[last], len(f.Slots)
		if with.beside, with.first = t.queue, t.first; t.queue == 0 {
			with.beside, with.first = 1, slots
			f.Slots = append(f.Slots, tr.slotOf(&t))
		}
		if with.long = true; tr.needs(&with, width) > width {
			with.long = false
		}
		if tr.needs(&with, width) <= width {
			kept[last] = with
			continue
		}
		f.Slots = f.Slots[:slots]
		kept = append(kept, t)
	}
	tr.rows = kept
}

// needs returns the width that a row with its children needs. A text that is wider than room counts as much as room.
func (tr *Tree) needs(t *row, room float64) float64 {
	f := tr.f
	m, n := &f.Sizes, &f.State.Tree.Nodes[t.node]
	w := float64(t.depth)*22*m.K + m.Name.Width(tr.leafName(t, room)) + 2*max(4, 8*m.K) + 8*m.K + tr.besideW(t)
	if s := tr.valueOf(n, room); s != "" {
		w += m.Note.Width(s) + 10*m.K
	}
	if s, _ := tr.traits(n, f.Owner(n), room); s != "" {
		w += m.Small.Width(s) + 6*m.K
	}
	return w + 10*m.K
}

// besideW returns the width of a znode's children on its row.
func (tr *Tree) besideW(t *row) (w float64) {
	for k := range t.beside {
		w += tr.cardW(t, k) + 5*tr.f.Sizes.K
	}
	return w + 8*tr.f.Sizes.K
}

// cardW returns the width of the k-th card on the row of its parent.
func (tr *Tree) cardW(t *row, k int) float64 {
	card := row{queue: 1, first: t.first + k, long: t.long}
	_, _, both := tr.widest(&card)
	return both + max(6, 8*tr.f.Sizes.K)
}

// planBeside plans a znode's children on its row, from x on.
func (tr *Tree) planBeside(t *row, x float64, r geom.Rect) {
	f := tr.f
	from := x - 8*f.Sizes.K
	for k := range t.beside {
		w := tr.cardW(t, k)
		if tr.exists(f.Slots[t.first+k]) {
			f.Wire(from, r.MidY(), x, r.MidY(), paint.RowWire)
			from = x + w
		}
		tr.planCard(t.first+k, geom.R(x, r.Y, w, r.H), 0, longestWord)
		x += w + 5*f.Sizes.K
	}
}

// mostTelling puts the rows that have a place first if there are more than places: those in focus, then those that
// clients watch or ask about, each with what it's below, then the others. All keep their order.
func (tr *Tree) mostTelling(places int) {
	if n := len(tr.rows); n <= places+1 || n > floor.MaxGrid || tr.chosenRow() >= 0 {
		return
	}
	free := max(places, 1)
	for rank := range ranks {
		for i := range tr.rows {
			if t := &tr.rows[i]; free > 0 && !t.keep && tr.has(t, rank) {
				t.keep = true
				free--
			}
		}
	}
	tr.rest = append(tr.rest[:0], tr.rows...)
	tr.rows = tr.rows[:0]
	for _, keep := range [...]bool{true, false} {
		for i := range tr.rest {
			if tr.rest[i].keep == keep {
				tr.rows = append(tr.rows, tr.rest[i])
			}
		}
	}
}

// ranks is how many ranks znodes have.
const ranks = 3

// tells reports whether a znode has a rank: in focus, watched or asked about, or any.
func (tr *Tree) tells(path string, rank int) bool {
	return rank == 2 || rank == 1 && tr.asked(path) || rank == 0 && tr.f.Stressed(path)
}

// has reports whether a row, or one below it, has a znode of that rank.
func (tr *Tree) has(t *row, rank int) bool {
	for i := range tr.rows {
		o := &tr.rows[i]
		n := len(t.path)
		below := len(o.path) > n && o.path[n] == '/' && o.path[:n] == t.path
		if o.path != t.path && (t.queue > 0 || !below) {
			continue
		}
		if o.queue == 0 && tr.tells(o.path, rank) {
			return true
		}
		for _, s := range tr.f.Slots[o.first:][:o.queue+o.beside] {
			if tr.tells(tr.pathIn(s), rank) {
				return true
			}
		}
	}
	return false
}

// asked reports whether a client watches a znode, or a message about it is under way.
func (tr *Tree) asked(path string) bool {
	if tr.watched(path) {
		return true
	}
	for i := range tr.f.State.Flights.List {
		if m := &tr.f.State.Flights.List[i]; m.Path == path && !m.Over {
			return true
		}
	}
	return false
}
