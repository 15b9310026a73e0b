package floor

import (
	"github.com/zkviz/zkviz/engine/event"
)

// kind is a kind of picture.
type kind uint8

const (
	treeKind     kind = iota // rows; needs to know nothing about the recipe
	QueueKind                // numbered znodes side by side, each with its client below
	NameKind                 // one znode that all clients want
	BarrierKind              // a znode for each client that has arrived, and one that lets them pass
	ItemsKind                // some clients put items in below the root, others take them
	RemoteKind               // nodes of systems other than ZooKeeper
	NumberedKind             // an observed queue of unknown clients
)

// decide chooses the kind of picture, and what follows from the host of the log.
func (g *Setting) decide() {
	t := g.State.Header.Host.Traits()
	g.Visitors, g.Observed = t.Visitors, !t.Visitors && !t.Recipe
	g.Kind, g.QueueOf = g.drawing()
}

// drawing returns the kind of picture, and the znode whose children are the queue. The log's header decides; without a
// hint there, the znodes do.
func (g *Setting) drawing() (kind, string) {
	root, d := g.State.Root, &g.State.Header.Drawing
	if g.HasRemotes() && !g.State.Header.HasZooKeeper() {
		return RemoteKind, root
	}
	switch d.Kind {
	case event.DrawQueue:
		return QueueKind, g.Child(root, d.Queue)
	case event.DrawName:
		return NameKind, root
	case event.DrawBarrier:
		return BarrierKind, g.Child(root, d.Queue)
	case event.DrawItems:
		return ItemsKind, root
	}
	switch {
	case g.Visitors && g.onlyNumbered(), g.Observed && len(g.State.Clients) > 0 && g.anyNumbered() && g.onlyNumbered():
		return QueueKind, root
	case g.Observed && len(g.State.Clients) == 0 && g.anyNumbered() && g.onlyNumbered():
		return NumberedKind, root
	}
	return treeKind, ""
}

// onlyNumbered reports whether all znodes below the root are its direct children and have numbers, or there are none.
func (g *Setting) onlyNumbered() bool {
	if g.State.Root == "" || g.State.Root == "/" {
		return false
	}
	for i := range g.State.Tree.Nodes {
		n := &g.State.Tree.Nodes[i]
		if n.Path != g.State.Root && !g.Over(n) && g.Below(n.Path) && (n.Number < 0 || !under(n.Path, g.State.Root)) {
			return false
		}
	}
	return true
}

func (g *Setting) anyNumbered() bool {
	for i := range g.State.Tree.Nodes {
		if n := &g.State.Tree.Nodes[i]; n.Number >= 0 && !g.Over(n) && under(n.Path, g.State.Root) {
			return true
		}
	}
	return false
}

// HasRemotes reports whether there are nodes of systems other than ZooKeeper.
func (g *Setting) HasRemotes() bool { return len(g.State.Remotes.Nodes) > 0 }
