package scene

import (
	"slices"
	"sort"
	"strings"

	"github.com/zkviz/zkviz/engine/analysis/view"
)

// row is a row of a tree: a znode, the place of a missing one that is watched, or the sequential children of a znode as
// a queue.
type row struct {
	path  string
	node  int32 // -1 for none
	depth int
	queue int // number of sequential children on the row, 0 for an ordinary row
	first int // first of these in floor.slots
}

// tree plans a subtree as rows.
type tree struct {
	*floor
	znodes *znodes
	rows   []row
	inTree byPath // sorter of the rows
}

// byPath sorts rows in the order of a tree, and rows of the same path in the order in which they came. Like the sort of
// slots it goes through an interface: a sort generated for the type would take 10 kB of the page's program.
type byPath []row

func (s *byPath) Len() int      { return len(*s) }
func (s *byPath) Swap(i, j int) { (*s)[i], (*s)[j] = (*s)[j], (*s)[i] }
func (s *byPath) Less(i, j int) bool {
	a, b := &(*s)[i], &(*s)[j]
	c := compareTree(a.path, b.path)
	return c < 0 || c == 0 && a.node < b.node
}

// fillRows fills tr.rows with the rows of the subtree, parents before children.
func (tr *tree) fillRows() {
	tr.rows = tr.rows[:0]
	for i := range tr.s.Nodes {
		n := &tr.s.Nodes[i]
		if tr.over(n) || n.Path != tr.s.Root && !tr.below(n.Path) {
			continue
		}
		tr.rows = append(tr.rows, row{path: n.Path, node: int32(i)})
	}
	tr.addMissing()
	tr.inTree = tr.rows
	sort.Sort(&tr.inTree)
	tr.foldQueues(tr.sequential)
	if tr.tooHigh() {
		tr.foldQueues(tr.bare)
	}
	top := strings.Count(tr.s.Root, "/")
	if tr.s.Root == "/" {
		top = 0
	}
	for i := range tr.rows {
		t := &tr.rows[i]
		t.depth = max(strings.Count(t.path, "/")-top, 0)
		if t.path == "/" {
			t.depth = 0
		}
	}
}

func (g *setting) below(p string) bool {
	r := g.s.Root
	return r == "/" || r == "" || len(p) > len(r) && p[len(r)] == '/' && p[:len(r)] == r
}

// addMissing adds a row for each watch on a missing znode.
func (tr *tree) addMissing() {
	for k := range tr.s.Watches {
		w := &tr.s.Watches[k]
		if w.Over || tr.nodeAt(w.Path) >= 0 {
			continue
		}
		tr.rows = append(tr.rows, row{path: w.Path, node: -1})
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
func (tr *tree) tooHigh() bool {
	in := tr.inner()
	return len(tr.s.Clients) > 0 && float64(len(tr.rows)+1)*(tr.m.name.size+max(8, 12*tr.m.k)) > in.h*0.5
}

// foldQueues puts two or more siblings that satisfy sort on one row. It also merges rows of the same missing znode.
func (tr *tree) foldQueues(sort func(i int) bool) {
	kept := tr.rows[:0]
	for i := 0; i < len(tr.rows); {
		t := tr.rows[i]
		j := i
		for j < len(tr.rows) && sort(j) && parent(tr.rows[j].path) == parent(t.path) {
			j++
		}
		if j-i < 2 {
			if n := len(kept); t.node >= 0 || n == 0 || kept[n-1].node >= 0 || kept[n-1].path != t.path {
				kept = append(kept, t)
			}
			i++
			continue
		}
		t.queue, t.first = j-i, len(tr.slots)
		for ; i < j; i++ {
			k := tr.rows[i].node
			tr.slots = append(tr.slots, slot{client: -1, node: k, key: tr.s.Nodes[k].Number})
		}
		row := tr.slots[t.first:]
		tr.inSlotOrder(row)
		kept = append(kept, t)
	}
	tr.rows = kept
}

func (tr *tree) sequential(i int) bool {
	return tr.isLeaf(i) && tr.s.Nodes[tr.rows[i].node].Number >= 0
}

// bare reports whether a row is a childless znode without number and data.
func (tr *tree) bare(i int) bool {
	return tr.isLeaf(i) && tr.s.Nodes[tr.rows[i].node].Number < 0 && tr.s.Nodes[tr.rows[i].node].Data == "" &&
		tr.rows[i].path != tr.s.Root
}

// isLeaf reports whether a row is a znode without children.
func (tr *tree) isLeaf(i int) bool {
	t := &tr.rows[i]
	return t.node >= 0 && t.queue == 0 && (i+1 == len(tr.rows) || parent(tr.rows[i+1].path) != t.path)
}

// placeTree places the rows and the clients. Rows that don't fit into one column continue in the next.
func (tr *tree) placeTree() {
	m, in := &tr.m, tr.inner()
	bottom := in.bottom() - m.stripH - m.margin*0.6
	boxBottom := bottom
	lane := max(20, 40*m.k)
	n := tr.here()
	if rows := len(tr.rows); rows > 0 { // few rows are larger
		k := min(max((bottom-in.y)*0.42/(float64(rows+1)*(m.name.size+16*m.k)), 1), 1.35)
		m.name.size *= k
		for _, a := range []*face{&m.small, &m.note, &m.bold} {
			a.size *= min(k, 1.2)
		}
		m.rootH = m.name.size + max(6, 12*m.k)
	}
	if n > 0 {
		need := m.small.size*2.6 + m.bold.size*1.3 + m.small.size*2.5 + 3*max(9, 20*m.k) + max(20, 40*m.k)
		boxBottom = max(bottom-max(need, (bottom-in.y)*0.3), in.y+(bottom-in.y)*0.45)
		rows := m.rootH + 24*m.k + float64(len(tr.rows))*(m.name.size+max(8, 12*m.k))
		least := m.bold.size*1.3 + m.small.size*2.5 + tr.notesH() + 3*max(8.4, 15*m.k) + max(20, 40*m.k)
		boxBottom = max(boxBottom, min(in.y+rows, bottom-least))
		// If the box would be partly empty, more room for messages is better.
		if way := max(80*m.k, (bottom-in.y)*0.15); in.y+rows*1.3+way <= boxBottom {
			boxBottom, lane = boxBottom-way, lane+way
		}
	}
	tr.box = rect{in.x, in.y, in.w, boxBottom - in.y}
	tr.routes = routing{rows: 1, cols: max(n, 1), pitch: in.w / float64(max(n, 1)), left: in.x, tree: true}
	if n > 0 {
		tr.placeRow(rect{in.x, boxBottom + lane, in.w, bottom - boxBottom - lane})
	}
}

// placeRow places all clients in one area.
func (f *floor) placeRow(area rect) {
	g := f.groupGrid(f.here(), area)
	var named []int
	if g.small() && (f.visitors || f.observed) {
		const pitch = 52
		named = f.named(int(area.w * 0.4 / pitch))
		left := area
		left.w = pitch * float64(len(named))
		area.x, area.w = area.x+left.w, area.w-left.w
		g = f.groupGrid(f.here()-len(named), area)
		g.r = min(g.r, 4.9) // the others stay dots in the rest of the area
		for k, i := range named {
			r := min(16, left.h/3)
			f.spots[i] = spot{x: left.x + (float64(k)+0.5)*pitch, y: left.y + ringOf(r)*1.1, r: r, slot: -1, col: int32(k),
				room: pitch - 4}
		}
	}
	f.routes.pitch = g.pitch
	if g.gap > 0 {
		f.crowded = true
	}
	k := -1
	for i := range f.spots {
		if f.hasLeft(&f.s.Clients[i]) {
			f.spots[i].slot = -1
			continue
		}
		if slices.Contains(named, i) {
			continue
		}
		k++
		f.spots[i] = g.spot(k, area, -1)
	}
}

// named returns the clients that have letters while all others are dots: the selected one, and some of those that have
// the lock.
func (f *floor) named(most int) (who []int) {
	chosen := f.chosen()
	for i := range f.s.Clients {
		k := f.owned[i]
		selected := f.s.Clients[i].Name == f.o.Selected || k >= 0 && chosen == f.s.Nodes[k].Path
		switch {
		case f.hasLeft(&f.s.Clients[i]) || !selected && !f.lit(i):
		case len(who) < most:
			who = append(who, i)
		case selected && most > 0:
			who[most-1] = i
		}
	}
	return who
}

// notesH returns the height of the notes below the clients, if there are any.
func (f *floor) notesH() float64 {
	if slices.ContainsFunc(f.s.Clients, func(c view.Client) bool { return c.Note != "" && !c.Crashed }) {
		return f.m.small.size * 1.6
	}
	return 0
}

// here counts the clients that are shown.
func (t *cast) here() int {
	n := 0
	for i := range t.s.Clients {
		if !t.hasLeft(&t.s.Clients[i]) {
			n++
		}
	}
	return n
}
