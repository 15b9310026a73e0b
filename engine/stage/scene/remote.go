package scene

import (
	"strings"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
)

// The nodes of systems other than ZooKeeper stand side by side. All nodes of a system place their contents alike, so
// that one sees what one node has and another lacks. In a picture without ZooKeeper they stand above the clients, in
// its place; otherwise below them.

// remotePlan is such a node.
type remotePlan struct {
	_ view.Incomparable
	rect
	id           string
	leads        bool // it has replicas
	down         bool
	selected     bool
	stressed     bool
	name, note   label
	more         label    // number of entries without a place
	clock        spotMark // its clock is off; zero radius if it isn't
	clockForward bool
}

// remotes is the Layout's index of the nodes and their contents.
type remotes struct {
	systems []remoteSystem
	boxes   []rect // by node
	items   []item
	at      map[itemKey]int32    // index in items, -1 for one without a place
	leases  map[sessionKey]int32 // first item attached to a lease
	granted map[sessionKey]int32 // index in State.Leases, from 1
	txs     map[sessionKey]int32 // index in State.Txs, of open ones

	// By node and item:
	cells  []int32 // index in State.Entries, from 1
	heads  []int32 // index in State.Locks, from 1
	queues []queue

	clients []remoteClient
	sizes   remoteSizes
}

// remoteSystem is a system with nodes.
type remoteSystem struct {
	kind        event.SystemKind
	first       int // first node, from 0
	nodes       int
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
	lease int32 // index in State.Leases, from 1
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

// queue counts the requests that wait for an item at a node and how many of them are planned, and the clients that
// listen for it and how many eyes they have so far.
type queue struct{ all, planned, told, eyes int32 }

// remoteClient is what nodes have of a client.
type remoteClient struct {
	entry  int32  // the entry that lets it be inside, in State.Entries, from 1
	lease  int32  // the lease that lasts longest, in State.Leases, from 1
	nodes  uint64 // in a system of independent nodes: the nodes that have its entry
	of     int    // number of nodes of that system
	x, y   float64
	stands bool // its request waits, at x, y
}

// Limits, since a log may come from a foreign file.
const (
	mostSystems = 4
	mostBoxes   = 64
	mostItems   = 60 // per system
)

// hasRemotes reports whether there are nodes of systems other than ZooKeeper.
func (l *Layout) hasRemotes() bool { return len(l.s.Remotes) > 0 }

// gather collects the contents of the nodes.
func (l *Layout) gather() {
	f := &l.far
	f.systems, f.items = f.systems[:0], f.items[:0]
	if f.at == nil {
		f.at, f.leases = map[itemKey]int32{}, map[sessionKey]int32{}
		f.granted, f.txs = map[sessionKey]int32{}, map[sessionKey]int32{}
	}
	clear(f.granted)
	clear(f.at)
	clear(f.leases)
	clear(f.txs)
	f.clients = resize(f.clients, len(l.s.Clients))
	f.boxes = resize(f.boxes, l.listSystems())
	for i := range l.s.Txs {
		if t := &l.s.Txs[i]; !t.Over {
			f.txs[sessionKey{t.Node, t.Session}] = int32(i)
		}
	}
	for y := range f.systems {
		l.listItems(y)
	}
	n := len(f.boxes) * len(f.items)
	f.cells, f.heads, f.queues = resize(f.cells, n), resize(f.heads, n), resize(f.queues, n)
	l.fillCells()
}

// listSystems lists the systems, and returns the number of their nodes that are drawn. If the header declares no such
// system, all nodes form one.
func (l *Layout) listSystems() int {
	f, n := &l.far, 0
	fits := min(len(l.s.Remotes), mostBoxes, max(int(l.inner().w/44), 1))
	for i := range l.s.Header.Systems {
		sys := &l.s.Header.Systems[i]
		if sys.Kind == event.ZooKeeperSystem || len(f.systems) == mostSystems {
			continue
		}
		if nodes := min(sys.Servers, fits-n); nodes > 0 {
			f.systems = append(f.systems, remoteSystem{kind: sys.Kind, first: n, nodes: nodes, apart: sys.Apart})
			n += nodes
		}
	}
	if len(f.systems) == 0 {
		f.systems = append(f.systems, remoteSystem{nodes: fits, apart: true})
		n = fits
	}
	return n
}

// drawn returns an actor's node, from 0, and its system, or -1 if it is not drawn.
func (l *Layout) drawn(a event.Actor) (node, system int) {
	node = a.Number() - 1
	if a.Kind() != event.ANode || node >= len(l.far.boxes) {
		return -1, -1
	}
	for system = range l.far.systems {
		if y := &l.far.systems[system]; node < y.first+y.nodes {
			return node, system
		}
	}
	return -1, -1
}

// listItems lists the items for which the nodes of a system have a place: first those that the recipe announces, then
// the others as they came.
func (l *Layout) listItems(y int) {
	f, d := &l.far, &l.s.Header.Drawing
	f.systems[y].from = len(f.items)
	if y == 0 && l.kind == remoteKind && l.s.Root != "" {
		if d.Gate != "" {
			l.known(y, d.Gate)
		}
		for _, name := range l.s.Header.Keeps {
			if !strings.HasSuffix(name, "-") {
				l.known(y, name)
			}
		}
	}
	for i := range l.s.Entries {
		x := &l.s.Entries[i]
		if _, of := l.drawn(x.Node); of != y || l.goneFor(x) {
			continue
		}
		k := l.itemOf(y, x.Path)
		if x.Session != 0 && k >= 0 {
			if key := (sessionKey{x.Node, x.Session}); f.leases[key] == 0 {
				f.leases[key] = k + 1
			}
		}
	}
	for i := range l.s.Locks {
		if x := &l.s.Locks[i]; !x.Over {
			l.itemAt(y, x.Node, x.Path)
		}
	}
	for i := range l.s.Kept {
		if x := &l.s.Kept[i]; !x.Over {
			l.itemAt(y, x.Node, x.Path)
		}
	}
	for i := range l.s.Clients {
		if c := &l.s.Clients[i]; l.listens(c) {
			l.itemAt(y, c.ListensAt, c.Listens)
		}
	}
	for i := range l.s.Leases {
		x := &l.s.Leases[i]
		if _, of := l.drawn(x.Node); of != y || x.Over && l.at >= x.OverAt+view.Keep {
			continue
		}
		switch k := f.leases[sessionKey{x.Node, x.Session}]; {
		case k > 0:
		case len(f.items)-f.systems[y].from >= mostItems:
			f.systems[y].more++
		default:
			f.items = append(f.items, item{lease: int32(i + 1)})
		}
	}
	f.systems[y].until = len(f.items)
}

// known reserves a place for an entry below the root, even if it is missing. A bare table name gets none.
func (l *Layout) known(y int, name string) {
	switch tables := l.far.systems[y].kind.HasTables(); {
	case !tables:
		name = l.child(l.s.Root, name)
	case strings.IndexByte(name, '/') < 0:
		return
	}
	if k := l.itemOf(y, name); k >= 0 {
		l.far.items[k].known = true
	}
}

func (l *Layout) itemAt(y int, node event.Actor, path string) {
	if _, of := l.drawn(node); of == y {
		l.itemOf(y, path)
	}
}

// itemOf returns the place for a path at the nodes of a system, or -1 if none is left.
func (l *Layout) itemOf(y int, path string) int32 {
	f := &l.far
	key := itemKey{int32(y), path}
	k, there := f.at[key]
	switch {
	case there:
		return k
	case len(f.items)-f.systems[y].from >= mostItems:
		f.systems[y].more++
		k = -1
	default:
		k = int32(len(f.items))
		f.items = append(f.items, item{path: path})
	}
	f.at[key] = k
	return k
}

// cell returns the index of an item at a node in the lists by node and item, or -1.
func (l *Layout) cell(a event.Actor, path string) int {
	node, y := l.drawn(a)
	if node < 0 {
		return -1
	}
	k, there := l.far.at[itemKey{int32(y), path}]
	if !there || k < 0 {
		return -1
	}
	return node*len(l.far.items) + int(k)
}

// fillCells finds the contents of the cells, and what the nodes have of each client.
func (l *Layout) fillCells() {
	f := &l.far
	for i := range l.s.Entries {
		x := &l.s.Entries[i]
		if l.goneFor(x) {
			continue
		}
		if c := l.cell(x.Node, x.Path); c >= 0 {
			f.cells[c] = int32(i + 1)
		}
		l.belongs(x, int32(i+1))
	}
	for i := range l.s.Locks {
		x := &l.s.Locks[i]
		if c := l.cell(x.Node, x.Path); c >= 0 && !x.Over {
			f.heads[c] = int32(i + 1)
		}
	}
	for i := range l.s.Kept {
		x := &l.s.Kept[i]
		if c := l.cell(x.Node, x.Path); c >= 0 && !x.Over {
			f.queues[c].all++
		}
	}
	for i := range l.s.Clients {
		if c := &l.s.Clients[i]; l.listens(c) {
			if at := l.cell(c.ListensAt, c.Listens); at >= 0 {
				f.queues[at].told++
			}
		}
	}
	for i := range l.s.Leases {
		x := &l.s.Leases[i]
		if x.Over {
			continue
		}
		f.granted[sessionKey{x.Node, x.Session}] = int32(i + 1)
		c := l.client(x.Client)
		if c < 0 {
			continue
		}
		if k := f.clients[c].lease; k == 0 || l.s.Leases[k-1].Until < x.Until {
			f.clients[c].lease = int32(i + 1)
		}
	}
}

// belongs records an entry of a client: it is inside by it, or has it at one node of many.
func (l *Layout) belongs(x *view.Entry, i int32) {
	c := l.client(x.Owner)
	node, y := l.drawn(x.Node)
	if c < 0 || x.Gone || node < 0 {
		return
	}
	switch p, sys := &l.far.clients[c], &l.far.systems[y]; {
	case sys.apart && sys.nodes > 1:
		p.nodes |= 1 << (node - sys.first)
		p.of = sys.nodes
	case x.Path == l.s.Clients[c].Belief.Path && !l.s.Remotes[node].Replica:
		p.entry = i
	}
}

// goneFor reports whether an entry is deleted and has faded out.
func (l *Layout) goneFor(x *view.Entry) bool {
	return x.Gone && l.at >= x.GoneAt+view.Keep && !l.inDoubt(x)
}

// inDoubt reports whether the last change to an entry is not committed yet.
func (l *Layout) inDoubt(x *view.Entry) bool {
	_, open := l.far.txs[sessionKey{x.Node, x.Session}]
	return open && x.Session != 0
}

// layoutRemotes lays out the nodes above the clients.
func (l *Layout) layoutRemotes() {
	l.placeRemotes()
	l.planRemotes()
	l.planRemoteLinks()
	l.planClients()
	l.planRemoteDots()
	l.planMessages()
}

// planBelow plans the nodes below the clients, in a picture with ZooKeeper. Messages to them are planned with the
// others.
func (l *Layout) planBelow() {
	if l.m.remotesH == 0 {
		return
	}
	l.planRemotes()
	l.planRemoteLinks()
	l.planRemoteDots()
}
