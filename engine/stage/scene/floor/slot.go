package floor

import (
	"cmp"
	"sort"
	"strings"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
)

// MaxGrid is the maximum number of clients that are all drawn with their letters.
const MaxGrid = 64

// Stand places a standalone znode.
func (f *Floor) Stand(path string, r geom.Rect) *Hub {
	f.Hubs = append(f.Hubs, Hub{Rect: r, Path: path, Node: int32(f.NodeAt(path)), Slot: -1})
	return &f.Hubs[len(f.Hubs)-1]
}

// Slot is one place in the queue: a znode, a client, or a client below its own znode. -1 stands for none.
type Slot struct {
	Client, Node int32
	fill         int32 // index before sorting
	Key          int64
}

// noKey is greater than every sequence number.
const noKey = int64(1) << 40

// Spot is the place of a client.
type Spot struct {
	X, Y float64 // centre
	R    float64 // radius of the letter's disc; 0 without a place
	Slot int32   // in floor.slots, -1 for none
	Col  int32   // in the grid of slots
	Dot  bool    // too small for a letter
	Room float64 // width for its words, px
	Top  float64 // upper end of its link, 0 for the box's edge
	Gap  float64 // distance to the gutter that its messages take, 0 for its own link

	Brief bool // there's room for its words, but not for its note
}

// Place is the place of a znode.
type Place struct {
	geom.Rect
	Shown bool
	Tick  bool // too small for a name
	Slot  int32
}

// Hub is a standalone znode, or a missing one that is watched.
type Hub struct {
	geom.Rect
	Path string
	Node int32 // -1 if it is missing
	Slot int32 // -1 if it has none
}

// under reports whether path is a child of dir.
func under(path, dir string) bool {
	return len(path) > len(dir)+1 && path[len(dir)] == '/' && path[:len(dir)] == dir &&
		strings.IndexByte(path[len(dir)+1:], '/') < 0
}

// Over reports whether a znode is deleted and has faded out.
func (g *Setting) Over(n *view.Node) bool { return n.Gone && g.At >= n.GoneAt+view.Keep }

// Owner returns the index of the client that a znode belongs to, -1 if unknown.
func (t *cast) Owner(n *view.Node) int {
	if c := int(n.Creator) - 1; c >= 0 && c < len(t.State.Clients) {
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
		for i := len(t.State.Clients) - 1; i >= 0; i-- {
			t.owners[t.State.Clients[i].Session] = int32(i)
		}
	}
	if i, ok := t.owners[id]; ok {
		return int(i)
	}
	return -1
}

// LineUp fills f.Slots with the queue: each client at its own znode, in the order of the sequence numbers. A client
// whose znode is gone keeps its place. A client that had no znode yet stands at the end.
func (f *Floor) LineUp(byNumber bool) {
	for i := range f.State.Clients {
		f.Slots = append(f.Slots, Slot{Client: int32(i), Node: -1, Key: noKey + int64(i)})
		f.Spots[i].Slot = int32(i)
	}
	for i := range f.State.Tree.Nodes {
		n := &f.State.Tree.Nodes[i]
		if !under(n.Path, f.QueueOf) || f.Over(n) || byNumber && n.Number < 0 {
			continue
		}
		f.placeNode(int32(i), n, byNumber)
	}
	for i := range f.State.Clients {
		if s := &f.Slots[i]; byNumber && s.Node < 0 {
			if n := event.Number(f.State.Clients[i].Belief.Path); n >= 0 {
				s.Key = n
			}
		}
	}
	f.dropDeparted()
	f.sortSlots()
	for i, s := range f.Slots {
		if s.Client >= 0 {
			f.Spots[s.Client].Slot = int32(i)
		}
		if s.Node >= 0 {
			f.Places[s.Node].Slot = int32(i)
		}
	}
}

// sortSlots starts from the last picture's order, which usually still holds.
func (f *Floor) sortSlots() {
	for i := range f.Slots {
		f.Slots[i].fill = int32(i)
	}
	if len(f.order) == len(f.Slots) {
		f.before = append(f.before[:0], f.Slots...)
		for i, k := range f.order {
			f.Slots[i] = f.before[k]
		}
	}
	f.InSlotOrder(f.Slots)
	f.order = f.order[:0]
	for i := range f.Slots {
		f.order = append(f.order, f.Slots[i].fill)
	}
}

// InSlotOrder sorts through an interface: a sort generated for the type would take 17 kB of the page's program. The
// Floor keeps the slice that it sorts, so that nothing is allocated.
func (f *Floor) InSlotOrder(slots []Slot) {
	f.sorting = slots
	sort.Sort(&f.sorting)
	f.sorting = nil
}

type bySlot []Slot

func (s *bySlot) Len() int { return len(*s) }

func (s *bySlot) Swap(i, j int) { (*s)[i], (*s)[j] = (*s)[j], (*s)[i] }

func (s *bySlot) Less(i, j int) bool {
	a, b := &(*s)[i], &(*s)[j]
	if a.Key != b.Key {
		return a.Key < b.Key
	}
	// A number that another leader has given out, too, stands behind.
	return cmp.Or(cmp.Compare(min(b.Node, 0), min(a.Node, 0)), cmp.Compare(a.Client, b.Client),
		cmp.Compare(a.Node, b.Node)) < 0
}

// placeNode puts a znode into its owner's slot, or into a slot of its own if a better znode is there.
func (f *Floor) placeNode(i int32, n *view.Node, byNumber bool) {
	key := n.Number
	if key < 0 {
		key = noKey + int64(len(f.State.Clients)) + int64(i)
	}
	c := f.Owner(n)
	if c < 0 {
		f.Slots = append(f.Slots, Slot{Client: -1, Node: i, Key: key})
		return
	}
	own := &f.Slots[c]
	spare := i
	if own.Node < 0 || better(n, &f.State.Tree.Nodes[own.Node]) {
		own.Node, spare = i, own.Node
		if byNumber {
			own.Key = key
		}
	}
	if spare >= 0 {
		old := &f.State.Tree.Nodes[spare]
		if !old.Gone || old.GoneAt == f.State.Tree.Nodes[own.Node].GoneAt { // they went together: all are drawn
			f.Slots = append(f.Slots, Slot{Client: -1, Node: spare, Key: max(old.Number, 0)})
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

// Find returns the place of a path's znode in the picture, and its slot or -1.
func (f *Floor) Find(p string) (r geom.Rect, slot int32, ok bool) {
	if m := f.HubAt(p); m != nil {
		return m.Rect, m.Slot, true
	}
	i := f.NodeAt(p)
	if i < 0 || !f.Places[i].Shown || f.Places[i].Tick {
		return geom.Rect{}, -1, false
	}
	return f.Places[i].Rect, f.Places[i].Slot, true
}

// HubAt returns the hub of a path, or nil.
func (f *Floor) HubAt(p string) *Hub {
	for i := range f.Hubs {
		if f.Hubs[i].Path == p {
			return &f.Hubs[i]
		}
	}
	return nil
}

// FindAny is find, ticks included.
func (f *Floor) FindAny(p string) (r geom.Rect, slot int32, ok bool) {
	if r, slot, ok = f.Find(p); ok {
		return r, slot, ok
	}
	if i := f.NodeAt(p); i >= 0 && f.Places[i].Shown {
		return f.Places[i].Rect, f.Places[i].Slot, true
	}
	return geom.Rect{}, -1, false
}

// NodeAt returns the index of a path's znode, preferring an existing one to a deleted one. It returns -1 if there is
// none, or only one that has faded out.
func (g *Setting) NodeAt(p string) int {
	nodes := g.State.Tree.Nodes
	i := sort.Search(len(nodes), func(i int) bool { return nodes[i].Path >= p })
	if i == len(nodes) || nodes[i].Path != p {
		return -1
	}
	for j := i; j < len(nodes) && nodes[j].Path == p; j++ {
		if i = j; !nodes[j].Gone {
			break
		}
	}
	if g.Over(&nodes[i]) {
		return -1
	}
	return i
}

// Stressed reports whether the options emphasize a client's name or a path.
func (g *Setting) Stressed(id string) bool {
	for _, s := range g.Options.Focus {
		s = strings.TrimPrefix(s, "/")
		cut := len(id) - len(s)
		switch {
		case s == "":
		case s == id, s == "root" && id == g.State.Root:
			return true
		case cut > 0 && id[cut-1] == '/' && id[cut:] == s:
			return true
		}
	}
	return false
}

// Client returns the index of an actor in State.Clients, or -1.
func (g *Setting) Client(a event.Actor) int {
	if i := int(a) - 1; i >= 0 && i < len(g.State.Clients) {
		return i
	}
	return -1
}
