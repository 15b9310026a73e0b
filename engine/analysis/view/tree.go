package view

import (
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// Tree holds the znodes.
type Tree struct {
	Nodes []Node // sorted by path after Order; includes those deleted less than Keep ago
	gone  int    // gone Nodes
	full  int    // as soon as more are gone, they are cleared

	// A copy doesn't have these: they are rebuilt on demand.
	strays   strays             // nodes that aren't among Nodes yet
	families map[string]*family // by parent; see Kin
	permits  map[string]bool    // by parent, whether its children are permits of a semaphore; see opens
}

// Node is a znode.
type Node struct {
	Path    string
	Mode    zoo.CreateMode
	Owner   int64       // session, 0 if not ephemeral
	Creator event.Actor // 0 if unknown
	Czxid   int64
	Mzxid   int64
	Version int32
	Bytes   int64  // of data
	Data    string // the start of the data
	Number  int64  // sequence number, -1 if its name ends in none
	Made    int64  // creation time in ms since 1970 by ZooKeeper's clock; 0 if Created says it
	Created time.Duration
	Ahead   time.Duration // how far ahead the clock was that told its creation time
	Changed time.Duration
	Untold  bool // it existed before the log began, so how, when and by whom it was made isn't known
	Gone    bool
	GoneAt  time.Duration
	Why     event.Reason // why it was deleted

	Children  int32         // the number of children
	ChildGone time.Duration // when the last child was deleted, 0 if none was
	Next      int64         // the number that the next sequential child gets, as far as the log shows
	Numbers   bool          // there has been a sequential child
	readers   bool          // its children are known to belong to a read-write lock, see naming.Recall
	Held      bool          // its client had got in by it before it became Overdue
}

// detach gives a copy of a Tree lists of its own, in the memory of an old one.
func (t *Tree) detach(old *Tree) {
	*t = Tree{Nodes: append(old.Nodes[:0], t.Nodes...), gone: t.gone, full: t.full}
}

// apply folds an event of a znode.
func (t *Tree) apply(e event.Event) {
	switch e.Kind {
	case event.ZnodeCreated:
		t.addChild(e)
		t.put(nodeOf(e))
	case event.ZnodeChanged:
		n := t.Node(e.Path)
		if n == nil { // it existed before the log began
			n = t.put(Node{Path: e.Path, Number: event.Number(e.Path), Untold: true})
		}
		if naming.Permits(n.Data) != naming.Permits(e.Text) {
			t.regroup(e.Path)
		}
		n.Mzxid, n.Changed, n.Data, n.Bytes = e.Zxid, e.At, e.Text, e.N
		n.Version++
	case event.ZnodeDeleted:
		t.delete(e)
	case event.ZnodeFound:
		n := t.Node(e.Path)
		if e.Introduces() {
			t.addChild(e)
			n = t.put(nodeOf(e))
			n.Bytes = int64(e.Code)
		}
		if n != nil {
			n.Made = e.N
		}
	}
}

// nodeOf returns the znode that an event describes.
func nodeOf(e event.Event) Node {
	return Node{
		Path: e.Path, Mode: zoo.CreateMode(e.Mode), Owner: e.Session, Creator: e.Peer,
		Czxid: e.Zxid, Mzxid: e.Zxid, Bytes: e.N, Data: e.Text, Number: event.Number(e.Path),
		Created: e.At, Changed: e.At,
	}
}

// index returns the node's index in Nodes, or the index where it would go.
func (t *Tree) index(path string) (int, bool) {
	return slices.BinarySearchFunc(t.Nodes, path, func(n Node, p string) int { return strings.Compare(n.Path, p) })
}

// Node returns the znode at path, or nil; it may be Gone.
func (t *Tree) Node(path string) *Node {
	if i, there := t.index(path); there {
		return &t.Nodes[i]
	}
	return t.strays.find(path)
}

// farBack is how many nodes move up at most to make room for a new one.
const farBack = 256

// put adds a node, or replaces one that is gone.
func (t *Tree) put(n Node) *Node {
	t.regroup(n.Path)
	i, there := t.index(n.Path)
	old := t.strays.find(n.Path)
	switch {
	case there:
		old = &t.Nodes[i]
	case old != nil:
	case len(t.strays.nodes) == 0 && len(t.Nodes)-i <= farBack:
		t.Nodes = slices.Insert(t.Nodes, i, n)
		return &t.Nodes[i]
	default:
		if len(t.strays.nodes) > len(t.Nodes) {
			t.Order()
		}
		return t.strays.add(n)
	}
	if old.Gone {
		t.gone--
	}
	*old = n
	return old
}

// delete marks a node as gone.
func (t *Tree) delete(e event.Event) {
	if n := t.Node(e.Path); n != nil && !n.Gone {
		n.Gone, n.GoneAt, n.Why = true, e.At, e.Reason
		t.regroup(e.Path)
		t.gone++
		t.removeChild(e)
	}
}

// clear drops the nodes that went more than Keep before now, and the earliest of the others where more than most are
// gone.
func (t *Tree) clear(now time.Duration, most int) {
	t.Order()
	after := now - Keep
	if t.gone > most {
		var times []time.Duration
		for i := range t.Nodes {
			if t.Nodes[i].Gone {
				times = append(times, t.Nodes[i].GoneAt)
			}
		}
		sort.Slice(times, func(i, j int) bool { return times[i] < times[j] })
		after = max(after, times[len(times)-most])
	}
	t.Nodes = slices.DeleteFunc(t.Nodes, func(n Node) bool { return n.Gone && n.GoneAt < after })
	t.gone = 0
	for i := range t.Nodes {
		if t.Nodes[i].Gone {
			t.gone++
		}
	}
	t.full = t.gone + len(t.Nodes)/4
}
