package scene

import (
	"cmp"
	"sort"
	"strings"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
)

// slot is one place in the queue: a znode, a client, or a client below its own znode. -1 stands for none.
type slot struct {
	client, node int32
	fill         int32 // index before sorting
	key          int64
}

// noKey is greater than every sequence number.
const noKey = int64(1) << 40

// spot is the place of a client.
type spot struct {
	x, y float64 // centre
	r    float64 // radius of the letter's disc; 0 without a place
	slot int32   // in floor.slots, -1 for none
	col  int32   // in the grid of slots
	dot  bool    // too small for a letter
	room float64 // width for its words, px
	gap  float64 // distance to the gutter that its messages take, 0 for its own link
}

// place is the place of a znode.
type place struct {
	rect
	shown bool
	tick  bool // too small for a name
	slot  int32
}

// mark is a standalone znode, or a missing one that is watched.
type hub struct {
	rect
	path string
	node int32 // -1 if it is missing
}

// under reports whether path is a child of dir.
func under(path, dir string) bool {
	return len(path) > len(dir)+1 && path[len(dir)] == '/' && path[:len(dir)] == dir &&
		strings.IndexByte(path[len(dir)+1:], '/') < 0
}

// over reports whether a znode is deleted and has faded out.
func (g *setting) over(n *view.Node) bool { return n.Gone && g.at >= n.GoneAt+view.Keep }

// owner returns the index of the client that a znode belongs to, -1 if unknown.
func (t *cast) owner(n *view.Node) int {
	if c := int(n.Creator) - 1; c >= 0 && c < len(t.s.Clients) {
		return c
	}
	if n.Owner != 0 {
		return t.ofSession(n.Owner)
	}
	return -1
}

// ofSession returns the index of the first client with the session, or -1.
func (t *cast) ofSession(id int64) int {
	if len(t.owners) == 0 {
		if t.owners == nil {
			t.owners = make(map[int64]int32)
		}
		for i := len(t.s.Clients) - 1; i >= 0; i-- {
			t.owners[t.s.Clients[i].Session] = int32(i)
		}
	}
	if i, ok := t.owners[id]; ok {
		return int(i)
	}
	return -1
}

// lineUp fills f.slots with the queue: each client at its own znode, in the order of the sequence numbers. A client
// whose znode is gone keeps its place. A client that had no znode yet stands at the end.
func (f *floor) lineUp(byNumber bool) {
	for i := range f.s.Clients {
		f.slots = append(f.slots, slot{client: int32(i), node: -1, key: noKey + int64(i)})
		f.spots[i].slot = int32(i)
	}
	for i := range f.s.Nodes {
		n := &f.s.Nodes[i]
		if !under(n.Path, f.queueOf) || f.over(n) || byNumber && n.Number < 0 {
			continue
		}
		f.placeNode(int32(i), n, byNumber)
	}
	for i := range f.s.Clients {
		if s := &f.slots[i]; byNumber && s.node < 0 {
			if n := event.Number(f.s.Clients[i].Belief.Path); n >= 0 {
				s.key = n
			}
		}
	}
	f.dropDeparted()
	f.sortSlots()
	for i, s := range f.slots {
		if s.client >= 0 {
			f.spots[s.client].slot = int32(i)
		}
		if s.node >= 0 {
			f.places[s.node].slot = int32(i)
		}
	}
}

// sortSlots starts from the last picture's order, which usually still holds.
func (f *floor) sortSlots() {
	for i := range f.slots {
		f.slots[i].fill = int32(i)
	}
	if len(f.order) == len(f.slots) {
		f.before = append(f.before[:0], f.slots...)
		for i, k := range f.order {
			f.slots[i] = f.before[k]
		}
	}
	f.inSlotOrder(f.slots)
	f.order = f.order[:0]
	for i := range f.slots {
		f.order = append(f.order, f.slots[i].fill)
	}
}

// inSlotOrder sorts through an interface: a sort generated for the type would take 17 kB of the page's program. The
// floor keeps the slice that it sorts, so that nothing is allocated.
func (f *floor) inSlotOrder(slots []slot) {
	f.sorting = slots
	sort.Sort(&f.sorting)
	f.sorting = nil
}

type bySlot []slot

func (s *bySlot) Len() int      { return len(*s) }
func (s *bySlot) Swap(i, j int) { (*s)[i], (*s)[j] = (*s)[j], (*s)[i] }

func (s *bySlot) Less(i, j int) bool {
	a, b := &(*s)[i], &(*s)[j]
	if a.key != b.key {
		return a.key < b.key
	}
	return cmp.Or(cmp.Compare(a.client, b.client), cmp.Compare(a.node, b.node)) < 0
}

// placeNode puts a znode into its owner's slot, or into a slot of its own if a better znode is there.
func (f *floor) placeNode(i int32, n *view.Node, byNumber bool) {
	key := n.Number
	if key < 0 {
		key = noKey + int64(len(f.s.Clients)) + int64(i)
	}
	c := f.owner(n)
	if c < 0 {
		f.slots = append(f.slots, slot{client: -1, node: i, key: key})
		return
	}
	own := &f.slots[c]
	spare := i
	if own.node < 0 || better(n, &f.s.Nodes[own.node]) {
		own.node, spare = i, own.node
		if byNumber {
			own.key = key
		}
	}
	if spare >= 0 {
		old := &f.s.Nodes[spare]
		if !old.Gone || f.slots[c].node < 0 {
			f.slots = append(f.slots, slot{client: -1, node: spare, key: max(old.Number, 0)})
		}
	}
}

// better reports whether its client more likely queues with a than with b.
func better(a, b *view.Node) bool {
	if a.Gone != b.Gone {
		return b.Gone
	}
	return a.Czxid > b.Czxid
}

// find returns the place of a path's znode in the picture, and its slot or -1.
func (f *floor) find(p string) (r rect, slot int32, ok bool) {
	if m := f.hubAt(p); m != nil {
		return m.rect, -1, true
	}
	i := f.nodeAt(p)
	if i < 0 || !f.places[i].shown || f.places[i].tick {
		return rect{}, -1, false
	}
	return f.places[i].rect, f.places[i].slot, true
}

// marked returns the mark of a path, or nil.
func (f *floor) hubAt(p string) *hub {
	for i := range f.hubs {
		if f.hubs[i].path == p {
			return &f.hubs[i]
		}
	}
	return nil
}

// findAny is find, ticks included.
func (f *floor) findAny(p string) (r rect, slot int32, ok bool) {
	if r, slot, ok = f.find(p); ok {
		return r, slot, ok
	}
	if i := f.nodeAt(p); i >= 0 && f.places[i].shown {
		return f.places[i].rect, f.places[i].slot, true
	}
	return rect{}, -1, false
}

// nodeAt returns the index of a path's znode, preferring an existing one to a deleted one. It returns -1 if there is
// none, or only one that has faded out.
func (g *setting) nodeAt(p string) int {
	nodes := g.s.Nodes
	i := sort.Search(len(nodes), func(i int) bool { return nodes[i].Path >= p })
	if i == len(nodes) || nodes[i].Path != p {
		return -1
	}
	for j := i; j < len(nodes) && nodes[j].Path == p; j++ {
		if i = j; !nodes[j].Gone {
			break
		}
	}
	if g.over(&nodes[i]) {
		return -1
	}
	return i
}

// stressed reports whether the options emphasize a client's name or a path.
func (g *setting) stressed(id string) bool {
	for _, s := range g.o.Focus {
		s = strings.TrimPrefix(s, "/")
		cut := len(id) - len(s)
		switch {
		case s == "":
		case s == id, s == "root" && id == g.s.Root:
			return true
		case cut > 0 && id[cut-1] == '/' && id[cut:] == s:
			return true
		}
	}
	return false
}

// client returns the index of an actor in State.Clients, or -1.
func (g *setting) client(a event.Actor) int {
	if i := int(a) - 1; i >= 0 && i < len(g.s.Clients) {
		return i
	}
	return -1
}
