package scene

import "github.com/zkviz/zkviz/engine/event"

// kind is a kind of picture.
type kind uint8

const (
	treeKind     kind = iota // rows: what needs nothing to be known of it
	queueKind                // numbered znodes side by side, each with its client below
	nameKind                 // one znode that all clients want
	barrierKind              // a znode for each client that has come, and one that lets them pass
	itemsKind                // some clients put items in below the root, others take them
	remoteKind               // nodes of systems that are not ZooKeeper
	numberedKind             // an observed queue, of whose clients nothing is known
)

// decide finds out what kind of picture it is, and what follows from where the log is from.
func (l *Layout) decide() {
	t := l.s.Header.Host.Traits()
	l.visitors, l.observed = t.Visitors, !t.Visitors && !t.Recipe
	l.kind, l.queueOf = l.drawing()
}

// drawing is the kind of picture, and the znode whose children are the queue. What the log says goes; otherwise it
// follows from what is there.
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

// child is the path of a znode's child, or of the znode itself without a name.
func (l *Layout) child(dir, name string) string {
	if name == "" {
		return dir
	}
	return l.say(dir, "/", name).label()
}

// onlyNumbered reports whether the znodes below the root are a queue, or none: all have numbers, and no children.
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
