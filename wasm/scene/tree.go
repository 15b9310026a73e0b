package scene

import (
	"slices"
	"strings"
)

// twig is one row of a tree: a znode, or the place of one that is watched and missing, or the sequential
// children of a znode as a queue.
type twig struct {
	path  string
	node  int32 // -1 without
	depth int
	queue int // how many sequential children are on the row, 0 for an ordinary one
	first int // of these, in f.slots
}

// drawTree draws a subtree as indented rows. Watches arrive from the right, where no card stands.
func (f *Frame) drawTree() {
	f.grow()
	f.placeTree()
	f.drawBox()
	f.drawTwigs()
	f.drawWatchLines()
	f.drawLinks()
	for i := range f.spots {
		f.drawMember(i)
	}
	f.drawWatchEnds()
	f.drawFlights()
}

// grow fills f.twigs with the subtree's rows, parents before children.
func (f *Frame) grow() {
	for i := range f.s.Nodes {
		n := &f.s.Nodes[i]
		if f.over(n) || n.Path != f.s.Root && !f.below(n.Path) {
			continue
		}
		f.twigs = append(f.twigs, twig{path: n.Path, node: int32(i)})
	}
	f.addMissing()
	slices.SortStableFunc(f.twigs, func(a, b twig) int { return compareTree(a.path, b.path) })
	f.foldQueues()
	top := strings.Count(f.s.Root, "/")
	if f.s.Root == "/" {
		top = 0
	}
	for i := range f.twigs {
		t := &f.twigs[i]
		t.depth = max(strings.Count(t.path, "/")-top, 0)
		if t.path == "/" {
			t.depth = 0
		}
	}
}

func (f *Frame) below(p string) bool {
	r := f.s.Root
	return r == "/" || r == "" || len(p) > len(r) && p[len(r)] == '/' && p[:len(r)] == r
}

// addMissing adds a row for each watch on a znode that is not there.
func (f *Frame) addMissing() {
	for k := range f.s.Watches {
		w := &f.s.Watches[k]
		if w.Over || f.nodeAt(w.Path) >= 0 {
			continue
		}
		f.twigs = append(f.twigs, twig{path: w.Path, node: -1})
	}
}

// compareTree orders paths so that a znode's children follow it at once.
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

// foldQueues puts two or more sequential siblings without children of their own on one row, and so it does with what
// is missing and watched more than once.
func (f *Frame) foldQueues() {
	kept := f.twigs[:0]
	for i := 0; i < len(f.twigs); {
		t := f.twigs[i]
		j := i
		for j < len(f.twigs) && f.sequential(j) && parent(f.twigs[j].path) == parent(t.path) {
			j++
		}
		if j-i < 2 {
			if n := len(kept); t.node >= 0 || n == 0 || kept[n-1].node >= 0 || kept[n-1].path != t.path {
				kept = append(kept, t)
			}
			i++
			continue
		}
		t.queue, t.first = j-i, len(f.slots)
		for ; i < j; i++ {
			k := f.twigs[i].node
			f.slots = append(f.slots, slot{client: -1, node: k, key: f.s.Nodes[k].Number})
		}
		row := f.slots[t.first:]
		slices.SortFunc(row, func(a, b slot) int { return int(a.key - b.key) })
		kept = append(kept, t)
	}
	f.twigs = kept
}

func (f *Frame) sequential(i int) bool {
	t := &f.twigs[i]
	leaf := i+1 == len(f.twigs) || parent(f.twigs[i+1].path) != t.path
	return t.node >= 0 && f.s.Nodes[t.node].Number >= 0 && leaf
}

// placeTree gives the rows and the clients their places. Rows that do not fit into one column go on in the next.
func (f *Frame) placeTree() {
	m, in := &f.m, f.inner()
	bottom := in.bottom() - m.stripH - m.margin*0.6
	boxBottom := bottom
	n := f.here()
	if rows := len(f.twigs); rows > 0 { // few rows are large
		k := min(max((bottom-in.y)*0.42/(float64(rows+1)*(m.name.size+16*m.k)), 1), 1.35)
		m.name.size *= k
		for _, a := range []*face{&m.small, &m.note, &m.bold, &m.body} {
			a.size *= min(k, 1.2)
		}
		m.rootH = m.name.size + max(6, 12*m.k)
	}
	if n > 0 {
		need := m.small.size*2.6 + m.bold.size*1.3 + m.small.size*2.5 + 3*max(9, 20*m.k) + max(20, 40*m.k)
		boxBottom = max(bottom-max(need, (bottom-in.y)*0.3), in.y+(bottom-in.y)*0.45)
		rows := m.rootH + 24*m.k + float64(len(f.twigs))*(m.name.size+max(8, 12*m.k))
		least := m.bold.size*1.3 + m.small.size*2.5 + 3*max(9, 15*m.k) + max(20, 32*m.k)
		boxBottom = max(boxBottom, min(in.y+rows, bottom-least))
	}
	f.box = rect{in.x, in.y, in.w, boxBottom - in.y}
	f.routes = routing{rows: 1, cols: max(n, 1), pitch: in.w / float64(max(n, 1)), left: in.x, tree: true}
	if n > 0 {
		lane := max(20, 40*m.k)
		f.placeRow(rect{in.x, boxBottom + lane, in.w, bottom - boxBottom - lane})
	}
}

// placeRow puts all clients into one area.
func (f *Frame) placeRow(area rect) {
	g, words := f.groupGrid(f.here(), area)
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
		k++
		x, y := area.x+(float64(k%g.cols)+0.5)*g.pitch, area.y+float64(k/g.cols)*g.cell+ringOf(g.r)*1.1
		f.spots[i] = spot{x: x, y: y, r: g.r, slot: -1, col: int32(k % g.cols), dot: g.r < 5, gap: g.gap}
		if words {
			f.spots[i].room = g.pitch - 4
		}
	}
}

// here is how many clients are shown.
func (f *Frame) here() int {
	n := 0
	for i := range f.s.Clients {
		if !f.hasLeft(&f.s.Clients[i]) {
			n++
		}
	}
	return n
}
