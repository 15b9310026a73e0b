package znode

import "github.com/zkviz/zkviz/engine/event/zoo"

func (a *applier) delete(path string, version int32) zoo.Code {
	if misfit(path) || reserved(path) {
		return zoo.ErrBadArguments
	}
	dir, _ := cut(path)
	parent, ok := a.nodes[dir]
	if !ok {
		return zoo.ErrNoNode
	}
	if code := a.caller.may(parent.acl, zoo.PermDelete); code != zoo.OK {
		return code
	}
	n, ok := a.nodes[path]
	if !ok {
		return zoo.ErrNoNode
	}
	if code := match(version, n.stat.Version); code != zoo.OK {
		return code
	}
	return a.deleteLeaf(path, n)
}

// deleteContainer deletes a znode for the timer. It ignores ACLs and checks again that there are no children.
func (a *applier) deleteContainer(path string) zoo.Code {
	if misfit(path) || reserved(path) {
		return zoo.ErrBadArguments
	}
	n, ok := a.nodes[path]
	switch {
	case !ok:
		return zoo.ErrNoNode
	case n.stat.EphemeralOwner != 0:
		return zoo.ErrBadVersion
	}
	return a.deleteLeaf(path, n)
}

func (a *applier) deleteLeaf(path string, n *node) zoo.Code {
	if n.kids.len() > 0 {
		return zoo.ErrNotEmpty
	}
	if n.stat.EphemeralOwner != 0 {
		a.disown(path, n)
		if !a.inMulti {
			a.tidy(n.stat.EphemeralOwner)
		}
	}
	a.onUndo(undo{was: Delete, path: path, n: n, stat: n.parent.stat})
	a.remove(path, n)
	return zoo.OK
}

// remove deletes a leaf that no session owns any more, and records the change.
func (a *applier) remove(path string, n *node) {
	a.unlink(path, n)
	n.parent.stat.Pzxid = a.zxid
	a.changes = append(a.changes, Change{zoo.NodeDeleted, path, n.mode, n.stat.EphemeralOwner, nil, n.acl, n.parent.acl})
	a.account(path, -len(n.data), -1)
}

func (t *Tree) unlink(path string, n *node) {
	_, name := cut(path)
	t.drop(path, n)
	n.parent.kids.drop(name)
}

// closeSession deletes all znodes of the session in one transaction.
func (a *applier) closeSession() {
	mine := a.owned[a.session]
	delete(a.owned, a.session)
	for path, n := range mine.all() {
		a.remove(path, n)
	}
}
