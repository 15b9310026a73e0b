package tree

import (
	"sort"
	"strings"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene/floor"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
	"github.com/zkviz/zkviz/engine/stage/scene/znode"
)

// row is a row of a tree: a znode, the place of a missing one that is watched, or the sequential children of a znode as
// a queue.
type row struct {
	path  string
	node  int32 // below 0 for none: the complement of the watch's place in the list
	depth int
	queue int // number of sequential children on the row, 0 for an ordinary row
	first int // first of these in floor.slots
	// beside is the number of children that stand behind their znode, on its row. Their first is first.
	beside int
	long   bool // their data may be long
	keep   bool // the row has a place
}

// Tree plans a subtree as rows.
type Tree struct {
	f       *floor.Floor
	znodes  *znode.Znodes
	form    form
	rootOut bool // the root stands beside the box's name
	rows    []row
	rest    []row   // memory for rows without a place
	pitch   float64 // from one row to the next
	inTree  byPath  // sorter of the rows
}

// Connect lets it find what it refers to.
func (tr *Tree) Connect(f *floor.Floor, z *znode.Znodes) { tr.f, tr.znodes = f, z }

// byPath sorts rows in the order of a tree, and rows of the same path in the order in which they came. Like the sort of
// slots it goes through an interface: a sort generated for the type would take 10 kB of the page's program.
type byPath []row

func (s *byPath) Len() int { return len(*s) }

func (s *byPath) Swap(i, j int) { (*s)[i], (*s)[j] = (*s)[j], (*s)[i] }

func (s *byPath) Less(i, j int) bool {
	a, b := &(*s)[i], &(*s)[j]
	c := compareTree(a.path, b.path)
	return c < 0 || c == 0 && a.node < b.node
}

// Fill fills tr.rows with the rows of the subtree, parents before children.
func (tr *Tree) Fill() { tr.fill(inFull) }

func (tr *Tree) fill(how form) {
	f := tr.f
	tr.form, tr.rootOut, tr.rows, f.Slots = how, false, tr.rows[:0], f.Slots[:0]
	for i := range f.State.Tree.Nodes {
		n := &f.State.Tree.Nodes[i]
		if f.Over(n) || n.Path != f.State.Root && !f.Below(n.Path) {
			continue
		}
		tr.rows = append(tr.rows, row{path: n.Path, node: int32(i)})
	}
	tr.addMissing()
	tr.inTree = tr.rows
	sort.Sort(&tr.inTree)
	if how > inFull {
		tr.foldQueues(tr.plain)
		tr.takeRootOut()
	} else if tr.foldQueues(tr.sequential); tr.tooHigh() {
		tr.foldQueues(tr.bare)
	}
	top := strings.Count(f.State.Root, "/")
	if f.State.Root == "/" {
		top = 0
	}
	for i := range tr.rows {
		t := &tr.rows[i]
		t.depth = max(strings.Count(t.path, "/")-top, 0)
		if t.path == "/" {
			t.depth = 0
		}
		if tr.rootOut {
			t.depth = max(t.depth-1, 0)
		}
	}
	if how == onRows {
		tr.standBeside()
	}
}

// addMissing adds a row for each watch on a missing znode.
func (tr *Tree) addMissing() {
	f := tr.f
	for k := range f.State.Watches.List {
		w := &f.State.Watches.List[k]
		if w.Over || f.NodeAt(w.Path) >= 0 {
			continue
		}
		tr.rows = append(tr.rows, row{path: w.Path, node: ^int32(k)})
	}
}

// compareTree orders paths so that a znode's children directly follow it.
func compareTree(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] == b[i] {
			continue
		}
		if a[i] == '/' {
			return -1
		}
		if b[i] == '/' {
			return 1
		}
		return int(a[i]) - int(b[i])
	}
	return len(a) - len(b)
}

// tooHigh reports whether the rows leave too little height for the clients.
func (tr *Tree) tooHigh() bool {
	f := tr.f
	in := f.Inner()
	return len(f.State.Clients) > 0 && float64(len(tr.rows)+1)*(f.Sizes.Name.Size+max(8, 12*f.Sizes.K)) > in.H*0.5
}

// foldQueues puts two or more siblings that satisfy sort on one row. It also merges rows of the same missing znode.
// Behind a sibling that is on a row of its own, one without a number would look like the parent of the next.
func (tr *Tree) foldQueues(sort func(i int) bool) {
	f := tr.f
	kept := tr.rows[:0]
	for i := 0; i < len(tr.rows); {
		t := tr.rows[i]
		j := i
		for j < len(tr.rows) && sort(j) && text.Parent(tr.rows[j].path) == text.Parent(t.path) && tr.alike(i, j) {
			j++
		}
		n := len(kept)
		if j-i < 2 || n > 0 && tr.form == inFull && event.Number(t.path) < 0 && kept[n-1].path != text.Parent(t.path) {
			if t.node >= 0 || n == 0 || kept[n-1].node >= 0 || kept[n-1].path != t.path {
				kept = append(kept, t)
			}
			i++
			continue
		}
		t.first = len(f.Slots)
		for before := ""; i < j; i++ {
			if r := &tr.rows[i]; r.node >= 0 || r.path != before {
				f.Slots = append(f.Slots, tr.slotOf(r))
				before = r.path
			}
		}
		row := f.Slots[t.first:]
		t.queue = len(row)
		if row[0].Key >= 0 {
			f.InSlotOrder(row)
		}
		kept = append(kept, t)
	}
	tr.rows = kept
}

// alike reports whether both or none of two rows have a number.
func (tr *Tree) alike(i, j int) bool {
	return (event.Number(tr.rows[i].path) >= 0) == (event.Number(tr.rows[j].path) >= 0)
}

// slotOf returns the slot for a row's znode.
func (tr *Tree) slotOf(t *row) floor.Slot {
	if t.node < 0 {
		return floor.Slot{Client: -1, Node: t.node, Key: event.Number(t.path)}
	}
	return floor.Slot{Client: -1, Node: t.node, Key: tr.f.State.Tree.Nodes[t.node].Number}
}

// sequential reports whether a row is a childless znode with a number. If there's little width, but height, one with
// data keeps its row.
func (tr *Tree) sequential(i int) bool {
	if !tr.isLeaf(i) {
		return false
	}
	n := &tr.f.State.Tree.Nodes[tr.rows[i].node]
	narrow := tr.f.Inner().W < 20*tr.f.Sizes.Name.Size && !tr.tooHigh()
	return n.Number >= 0 && (!narrow || tr.noteOf(n, longestNote) == "")
}

// bare reports whether a row is a childless znode without number and data.
func (tr *Tree) bare(i int) bool {
	f := tr.f
	r := &tr.rows[i]
	return tr.isLeaf(i) && f.State.Tree.Nodes[r.node].Number < 0 && f.State.Tree.Nodes[r.node].Data == "" &&
		r.path != f.State.Root
}

// isLeaf reports whether a row is a znode without children.
func (tr *Tree) isLeaf(i int) bool {
	t := &tr.rows[i]
	return t.node >= 0 && t.queue == 0 && (i+1 == len(tr.rows) || text.Parent(tr.rows[i+1].path) != t.path)
}

// Place places the rows and the clients. Rows that don't fit into one column continue in the next. If they don't fit at
// all, they are drawn in a shorter form.
func (tr *Tree) Place() {
	f := tr.f
	sizes := f.Sizes
	tr.place()
	for tr.lacks() && tr.form < onRows && !f.Observed && !f.Visitors {
		f.Sizes = sizes
		tr.fill(tr.form + 1)
		tr.place()
	}
}

// lacks reports whether there are more rows than places.
func (tr *Tree) lacks() bool {
	p := tr.rowPlan(tr.area())
	n := len(tr.rows)
	for i := range tr.rows {
		if tr.form == inFull && tr.isGone(&tr.rows[i]) { // others take precedence
			n--
		}
	}
	return n > p.rows*p.cols
}

func (tr *Tree) place() {
	f := tr.f
	m, in := &f.Sizes, f.Inner()
	bottom := in.Bottom() - m.StripH - m.Margin*0.6
	boxBottom := bottom
	lane := max(20, 40*m.K)
	n := f.Here()
	if rows := len(tr.rows); rows > 0 && tr.form < onRows { // few rows are larger
		k := min(max((bottom-in.Y)*0.42/(float64(rows+1)*(m.Name.Size+16*m.K)), 1), 1.35, max(in.W/150, 1))
		m.Name.Size *= k
		for _, a := range []*text.Face{&m.Small, &m.Note, &m.Bold} {
			a.Size *= min(k, 1.2)
		}
		m.RootH = m.Name.Size + max(6, 12*m.K)
	}
	if n > 0 {
		need := m.Small.Size*2.6 + m.Bold.Size*1.3 + m.Small.Size*2.5 + 3*max(9, 20*m.K) + max(20, 40*m.K)
		boxBottom = max(bottom-max(need, (bottom-in.Y)*0.3), in.Y+(bottom-in.Y)*0.45)
		rows := m.RootH + 24*m.K + float64(len(tr.rows))*(m.Name.Size+max(8, 12*m.K))
		loose := 1.3
		if tr.form == onRows { // lines of watches pass between the rows
			loose = 1.6
		}
		least := m.Bold.Size*1.3 + m.Small.Size*2.5 + f.NotesH() + 3*max(8.4, 15*m.K) + max(20, 40*m.K)
		boxBottom = max(boxBottom, min(in.Y+rows, bottom-least))
		// If the box would be partly empty, more room for messages is better.
		if way := max(80*m.K, (bottom-in.Y)*0.15); in.Y+rows*loose+way <= boxBottom {
			boxBottom, lane = boxBottom-way, lane+way
		}
	}
	f.Box = geom.R(in.X, in.Y, in.W, boxBottom-in.Y)
	f.Hubs = f.Hubs[:0]
	if tr.rootOut {
		tr.placeRoot()
	}
	f.Routes = floor.Routing{Rows: 1, Cols: max(n, 1), Pitch: in.W / float64(max(n, 1)), Left: in.X, Tree: true}
	if n > 0 {
		f.PlaceRow(geom.R(in.X, boxBottom+lane, in.W, bottom-boxBottom-lane))
	}
}
