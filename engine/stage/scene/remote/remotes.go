package remote

import (
	"strings"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/stage/scene/floor"
	"github.com/zkviz/zkviz/engine/stage/scene/geom"
	"github.com/zkviz/zkviz/engine/stage/scene/message"
	"github.com/zkviz/zkviz/engine/stage/scene/text"
)

// The nodes of systems other than ZooKeeper stand side by side. All nodes of a system place their contents alike, so
// that one sees what one node has and another lacks. In a picture without ZooKeeper they stand above the clients, in
// its place; otherwise below them.

// remotePlan is such a node.
type remotePlan struct {
	_ view.Incomparable
	geom.Rect
	id         string
	leads      bool // it has replicas
	down       bool
	selected   bool
	stressed   bool
	name, note text.Label
	more       text.Label // number of entries without a place
	clock      geom.Round // its clock is off; zero radius if it isn't
}

// Remotes plans the nodes of other systems, what they hold, and the clients' connections to them.
type Remotes struct {
	Holdings
	nodes   nodes
	keys    keys
	ways    ways
	traffic traffic
}

// Connect lets it find what it refers to.
func (r *Remotes) Connect(f *floor.Floor, m *message.Messages, l *message.Letters) {
	h := &r.Holdings
	h.f = f
	r.keys.Holdings, r.ways.Holdings = h, h
	r.nodes.Holdings, r.nodes.keys = h, &r.keys
	r.traffic = traffic{h, &r.ways, m, l}
}

// Begin forgets the last plan and keeps its memory.
func (r *Remotes) Begin() {
	k := &r.keys
	r.nodes.remotes, r.ways.lines = r.nodes.remotes[:0], r.ways.lines[:0]
	k.cards, k.lineUps, k.brackets, k.kept, k.leases = k.cards[:0], k.lineUps[:0], k.brackets[:0], k.kept[:0], k.leases[:0]
}

// PlanMessage plans a message between a client and a node.
func (r *Remotes) PlanMessage(m *view.Flight) { r.traffic.planRemoteMessage(m) }

// PlanDots plans the messages of clients that are dots.
func (r *Remotes) PlanDots() { r.traffic.planRemoteDots() }

// Several reports whether more than one node is drawn.
func (r *Remotes) Several() bool { return len(r.nodes.remotes) > 1 }

// Plan plans the nodes, the messages between them, and the clients' connections.
func (r *Remotes) Plan() {
	r.nodes.planRemotes()
	r.traffic.planBetween()
	r.ways.planRemoteLinks()
}

// Holdings knows what the nodes hold, and where it stands.
type Holdings struct {
	f       *floor.Floor
	systems []remoteSystem
	boxes   []geom.Rect // by node
	items   []item
	index   map[itemKey]int32    // index in items, -1 for one without a place
	firsts  map[sessionKey]int32 // first item attached to a lease
	granted map[sessionKey]int32 // index in Remotes.Leases, from 1
	txs     map[sessionKey]int32 // index in Remotes.Txs, of open ones

	// By node and item:
	cells  []int32 // index in Remotes.Entries, from 1
	heads  []int32 // index in Remotes.Locks, from 1
	queues []waiting

	Holders []remoteClient
	sizes   remoteSizes
}

// remoteSystem is a system with nodes.
type remoteSystem struct {
	kind        event.SystemKind
	first       int // first node, from 0
	nodes       int // that are drawn
	all         int
	apart       bool
	from, until int // range of its items
	more        int // number of items without a place
	cols, rows  int
}

// follows reports whether its nodes replicate one another.
func (y *remoteSystem) follows() bool { return y.nodes > 1 && !y.apart }

// item is something that the nodes of a system have a place for: a key, a row, a name, or a lease without keys.
type item struct {
	path  string
	lease int32 // index in Remotes.Leases, from 1
	known bool  // it has its place even while it is missing
}

type itemKey struct {
	system int32
	path   string
}

type sessionKey struct {
	node event.Actor
	id   int64
}

// waiting counts the requests that wait for an item at a node and how many of them are planned, the clients that listen
// for it and how many eyes they have so far, and the locks on it.
type waiting struct{ all, planned, told, eyes, locks int32 }

// remoteClient is what nodes have of a client.
type remoteClient struct {
	Entry  int32  // the entry that lets it be inside, in Remotes.Entries, from 1
	Lease  int32  // the lease that lasts longest, in Remotes.Leases, from 1
	Nodes  uint64 // in a system of independent nodes: the nodes that have its entry
	Of     int    // number of nodes of that system
	x, y   float64
	stands bool // its request waits, at x, y
}

// Limits, since a log may come from a foreign file.
const (
	leastBox    = 32 // width of a node with its place, in px
	mostSystems = 4
	mostBoxes   = 64
	mostItems   = 60 // per system
)

// Gather collects the contents of the nodes.
func (h *Holdings) Gather() {
	f := h.f
	h.systems, h.items = h.systems[:0], h.items[:0]
	if h.index == nil {
		h.index, h.firsts = map[itemKey]int32{}, map[sessionKey]int32{}
		h.granted, h.txs = map[sessionKey]int32{}, map[sessionKey]int32{}
	}
	clear(h.granted)
	clear(h.index)
	clear(h.firsts)
	clear(h.txs)
	h.Holders = append(h.Holders[:0], make([]remoteClient, len(f.State.Clients))...)
	h.boxes = append(h.boxes[:0], make([]geom.Rect, h.listSystems())...)
	for i := range f.State.Remotes.Txs {
		if t := &f.State.Remotes.Txs[i]; !t.Over {
			h.txs[sessionKey{t.Node, t.Session}] = int32(i)
		}
	}
	for y := range h.systems {
		h.listItems(y)
	}
	n := len(h.boxes) * len(h.items)
	h.cells = append(h.cells[:0], make([]int32, n)...)
	h.heads = append(h.heads[:0], make([]int32, n)...)
	h.queues = append(h.queues[:0], make([]waiting, n)...)
	h.fillCells()
}

// listSystems lists the systems, and returns the number of their nodes that are drawn. If the header declares no such
// system, all nodes form one.
func (h *Holdings) listSystems() int {
	f := h.f
	n := 0
	fits := min(len(f.State.Remotes.Nodes), mostBoxes, max(int(f.Inner().W/leastBox), 1))
	for i := range f.State.Header.Systems {
		sys := &f.State.Header.Systems[i]
		if sys.Kind == event.ZooKeeperSystem || len(h.systems) == mostSystems {
			continue
		}
		if nodes := min(sys.Servers, fits-n); nodes > 0 {
			h.systems = append(h.systems, remoteSystem{kind: sys.Kind, first: n, nodes: nodes, all: sys.Servers,
				apart: sys.Apart})
			n += nodes
		}
	}
	if len(h.systems) == 0 {
		h.systems = append(h.systems, remoteSystem{nodes: fits, all: len(f.State.Remotes.Nodes), apart: true})
		n = fits
	}
	return n
}

// drawn returns an actor's node, from 0, and its system, or -1 if it is not drawn.
func (h *Holdings) drawn(a event.Actor) (node, system int) {
	node = a.Number() - 1
	if a.Kind() != event.ANode || node >= len(h.boxes) {
		return -1, -1
	}
	for system = range h.systems {
		if y := &h.systems[system]; node < y.first+y.nodes {
			return node, system
		}
	}
	return -1, -1
}

// listItems lists the items for which the nodes of a system have a place: first those that the recipe announces, then
// the others as they came.
func (h *Holdings) listItems(y int) {
	f := h.f
	d := &f.State.Header.Drawing
	h.systems[y].from = len(h.items)
	if y == 0 && f.Kind == floor.RemoteKind && f.State.Root != "" {
		if d.Gate != "" {
			h.known(y, d.Gate)
		}
		for _, name := range f.State.Header.Keeps {
			if !strings.HasSuffix(name, "-") {
				h.known(y, name)
			}
		}
	}
	for i := range f.State.Remotes.Entries {
		x := &f.State.Remotes.Entries[i]
		if _, of := h.drawn(x.Node); of != y || h.goneFor(x) {
			continue
		}
		k := h.itemOf(y, x.Path)
		if x.Session != 0 && k >= 0 {
			if key := (sessionKey{x.Node, x.Session}); h.firsts[key] == 0 {
				h.firsts[key] = k + 1
			}
		}
	}
	for i := range f.State.Remotes.Locks {
		if x := &f.State.Remotes.Locks[i]; !x.Over {
			h.itemAt(y, x.Node, x.Path)
		}
	}
	for i := range f.State.Remotes.Kept {
		if x := &f.State.Remotes.Kept[i]; !x.Over {
			h.itemAt(y, x.Node, x.Path)
		}
	}
	for i := range f.State.Clients {
		if c := &f.State.Clients[i]; f.Listens(c) {
			h.itemAt(y, c.ListensAt, c.Listens)
		}
	}
	for i := range f.State.Remotes.Leases {
		x := &f.State.Remotes.Leases[i]
		if _, of := h.drawn(x.Node); of != y || x.Over && f.At >= x.OverAt+view.Keep {
			continue
		}
		switch k := h.firsts[sessionKey{x.Node, x.Session}]; {
		case k > 0:
		case len(h.items)-h.systems[y].from >= mostItems:
			h.systems[y].more++
		default:
			h.items = append(h.items, item{lease: int32(i + 1)})
		}
	}
	h.systems[y].until = len(h.items)
}

// known reserves a place for an entry below the root, even if it is missing. A bare table name gets none.
func (h *Holdings) known(y int, name string) {
	f := h.f
	switch tables := h.systems[y].kind.HasTables(); {
	case !tables:
		name = f.Child(f.State.Root, name)
	case strings.IndexByte(name, '/') < 0:
		return
	}
	if k := h.itemOf(y, name); k >= 0 {
		h.items[k].known = true
	}
}

func (h *Holdings) itemAt(y int, node event.Actor, path string) {
	if _, of := h.drawn(node); of == y {
		h.itemOf(y, path)
	}
}

// itemOf returns the place for a path at the nodes of a system, or -1 if none is left.
func (h *Holdings) itemOf(y int, path string) int32 {
	key := itemKey{int32(y), path}
	k, there := h.index[key]
	switch {
	case there:
		return k
	case len(h.items)-h.systems[y].from >= mostItems:
		h.systems[y].more++
		k = -1
	default:
		k = int32(len(h.items))
		h.items = append(h.items, item{path: path})
	}
	h.index[key] = k
	return k
}

// cell returns the index of an item at a node in the lists by node and item, or -1.
func (h *Holdings) cell(a event.Actor, path string) int {
	node, y := h.drawn(a)
	if node < 0 {
		return -1
	}
	k, there := h.index[itemKey{int32(y), path}]
	if !there || k < 0 {
		return -1
	}
	return node*len(h.items) + int(k)
}

// fillCells finds the contents of the cells, and what the nodes have of each client.
func (h *Holdings) fillCells() {
	f := h.f
	for i := range f.State.Remotes.Entries {
		x := &f.State.Remotes.Entries[i]
		if h.goneFor(x) {
			continue
		}
		if c := h.cell(x.Node, x.Path); c >= 0 {
			h.cells[c] = int32(i + 1)
		}
		h.belongs(x, int32(i+1))
	}
	for i := range f.State.Remotes.Locks {
		x := &f.State.Remotes.Locks[i]
		if c := h.cell(x.Node, x.Path); c >= 0 && !x.Over {
			h.heads[c] = int32(i + 1)
			h.queues[c].locks++
		}
	}
	for i := range f.State.Remotes.Kept {
		x := &f.State.Remotes.Kept[i]
		if c := h.cell(x.Node, x.Path); c >= 0 && !x.Over {
			h.queues[c].all++
		}
	}
	for i := range f.State.Clients {
		c := &f.State.Clients[i]
		if y := &h.systems[0]; y.apart && y.all > 1 && c.Belief.Phase.Inside() && !c.Crashed && !c.Exited {
			h.Holders[i].Of = y.all // it may believe so without an entry anywhere
		}
		if f.Listens(c) {
			if at := h.cell(c.ListensAt, c.Listens); at >= 0 {
				h.queues[at].told++
			}
		}
	}
	for i := range f.State.Remotes.Leases {
		x := &f.State.Remotes.Leases[i]
		if x.Over {
			continue
		}
		h.granted[sessionKey{x.Node, x.Session}] = int32(i + 1)
		c := f.Client(x.Client)
		if c < 0 {
			continue
		}
		if k := h.Holders[c].Lease; k == 0 || f.State.Remotes.Leases[k-1].Until < x.Until {
			h.Holders[c].Lease = int32(i + 1)
		}
	}
}

// goneFor reports whether an entry is deleted and has faded out.
func (h *Holdings) goneFor(x *view.Entry) bool {
	return x.Gone && h.f.At >= x.GoneAt+view.Keep && !h.inDoubt(x)
}

// inDoubt reports whether the last change to an entry is not committed yet.
func (h *Holdings) inDoubt(x *view.Entry) bool {
	_, open := h.txs[sessionKey{x.Node, x.Session}]
	return open && x.Session != 0
}
