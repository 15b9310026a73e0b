package scene

import "github.com/zkviz/zkviz/engine/event"

// kind is a kind of picture.
type kind uint8

const (
	treeKind     kind = iota // rows; needs to know nothing about the recipe
	queueKind                // numbered znodes side by side, each with its client below
	nameKind                 // one znode that all clients want
	barrierKind              // a znode for each client that has arrived, and one that lets them pass
	itemsKind                // some clients put items in below the root, others take them
	remoteKind               // nodes of systems other than ZooKeeper
	numberedKind             // an observed queue of unknown clients
)

// decide chooses the kind of picture, and what follows from the host of the log.
func (g *setting) decide() {
	t := g.s.Header.Host.Traits()
	g.visitors, g.observed = t.Visitors, !t.Visitors && !t.Recipe
	g.kind, g.queueOf = g.drawing()
}

// drawing returns the kind of picture, and the znode whose children are the queue. The log's header decides; without a
// hint there, the znodes do.
func (g *setting) drawing() (kind, string) {
	root, d := g.s.Root, &g.s.Header.Drawing
	if g.hasRemotes() && !g.s.Header.HasZooKeeper() {
		return remoteKind, root
	}
	switch d.Kind {
	case event.DrawQueue:
		return queueKind, g.child(root, d.Queue)
	case event.DrawName:
		return nameKind, root
	case event.DrawBarrier:
		return barrierKind, g.child(root, d.Queue)
	case event.DrawItems:
		return itemsKind, root
	}
	switch {
	case g.visitors && g.onlyNumbered(), g.observed && len(g.s.Clients) > 0 && g.anyNumbered() && g.onlyNumbered():
		return queueKind, root
	case g.observed && len(g.s.Clients) == 0 && g.anyNumbered() && g.onlyNumbered():
		return numberedKind, root
	}
	return treeKind, ""
}

// child returns the path of a znode's child, or of the znode itself if the name is empty.
func (w *writer) child(dir, name string) string {
	if name == "" {
		return dir
	}
	return w.say(dir, "/", name).label()
}

// onlyNumbered reports whether all znodes below the root are its direct children and have numbers, or there are none.
func (g *setting) onlyNumbered() bool {
	if g.s.Root == "" || g.s.Root == "/" {
		return false
	}
	for i := range g.s.Nodes {
		n := &g.s.Nodes[i]
		if n.Path != g.s.Root && !g.over(n) && g.below(n.Path) && (n.Number < 0 || !under(n.Path, g.s.Root)) {
			return false
		}
	}
	return true
}

func (g *setting) anyNumbered() bool {
	for i := range g.s.Nodes {
		if n := &g.s.Nodes[i]; n.Number >= 0 && !g.over(n) && under(n.Path, g.s.Root) {
			return true
		}
	}
	return false
}
