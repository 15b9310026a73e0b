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
func (l *Layout) decide() {
	t := l.s.Header.Host.Traits()
	l.visitors, l.observed = t.Visitors, !t.Visitors && !t.Recipe
	l.kind, l.queueOf = l.drawing()
}

// drawing returns the kind of picture, and the znode whose children are the queue. The log's header decides; without a
// hint there, the znodes do.
func (l *Layout) drawing() (kind, string) {
	root, d := l.s.Root, &l.s.Header.Drawing
	if l.hasRemotes() && !l.s.Header.HasZooKeeper() {
		return remoteKind, root
	}
	switch d.Kind {
	case event.DrawQueue:
		return queueKind, l.child(root, d.Queue)
	case event.DrawName:
		return nameKind, root
	case event.DrawBarrier:
		return barrierKind, l.child(root, d.Queue)
	case event.DrawItems:
		return itemsKind, root
	}
	switch {
	case l.visitors && l.onlyNumbered(), l.observed && len(l.s.Clients) > 0 && l.anyNumbered() && l.onlyNumbered():
		return queueKind, root
	case l.observed && len(l.s.Clients) == 0 && l.anyNumbered() && l.onlyNumbered():
		return numberedKind, root
	}
	return treeKind, ""
}

// child returns the path of a znode's child, or of the znode itself if the name is empty.
func (l *Layout) child(dir, name string) string {
	if name == "" {
		return dir
	}
	return l.say(dir, "/", name).label()
}

// onlyNumbered reports whether all znodes below the root are its direct children and have numbers, or there are none.
func (l *Layout) onlyNumbered() bool {
	if l.s.Root == "" || l.s.Root == "/" {
		return false
	}
	for i := range l.s.Nodes {
		n := &l.s.Nodes[i]
		if n.Path != l.s.Root && !l.over(n) && l.below(n.Path) && (n.Number < 0 || !under(n.Path, l.s.Root)) {
			return false
		}
	}
	return true
}

func (l *Layout) anyNumbered() bool {
	for i := range l.s.Nodes {
		if n := &l.s.Nodes[i]; n.Number >= 0 && !l.over(n) && under(n.Path, l.s.Root) {
			return true
		}
	}
	return false
}
