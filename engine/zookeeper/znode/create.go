package znode

import "github.com/zkviz/zkviz/engine/event/zoo"

// maxTTL is ZooKeeper's maximum TTL in ms: 34 years.
const maxTTL = 1<<40 - 1

func (a *applier) create(x *Txn) (string, zoo.Stat, zoo.Code) {
	if code := a.checkMode(x); code != zoo.OK {
		return "", zoo.Stat{}, code
	}
	path := x.Path
	if misfit(path) {
		return "", zoo.Stat{}, zoo.ErrBadArguments
	}
	acl, code := a.caller.settle(x.ACL, a.Limits.ACL)
	if code != zoo.OK {
		return "", zoo.Stat{}, code
	}
	dir, name := cut(path)
	parent, ok := a.nodes[dir]
	if !ok {
		return "", zoo.Stat{}, zoo.ErrNoNode
	}
	if code := a.caller.may(parent.acl, zoo.PermCreate); code != zoo.OK {
		return "", zoo.Stat{}, code
	}
	if x.Mode.IsSequential() {
		path = numbered(path, a.counter(parent))
		name = path[len(dir)+1:]
	}
	if CheckPath(path) != nil {
		return "", zoo.Stat{}, zoo.ErrBadArguments
	}
	if _, taken := a.nodes[path]; taken {
		return "", zoo.Stat{}, zoo.ErrNodeExists
	}
	if parent.stat.EphemeralOwner != 0 {
		return "", zoo.Stat{}, zoo.ErrNoChildrenForEphemeral
	}
	n := &node{parent: parent, data: x.Data, acl: acl, mode: life(x)}
	n.stat = zoo.Stat{Czxid: a.zxid, Mzxid: a.zxid, Pzxid: a.zxid, Ctime: a.timeMS, Mtime: a.timeMS}
	switch {
	case x.Kind == CreateTTL:
		n.ttl = x.TTL
	case n.mode.IsEphemeral():
		n.stat.EphemeralOwner = a.session
	}
	if a.noRoom(path, n) {
		return "", zoo.Stat{}, zoo.ErrQuotaExceeded
	}
	if n.stat.EphemeralOwner != 0 {
		a.own(path, n)
	}
	a.onUndo(undo{was: Create, path: path, n: n, creates: parent.creates, stat: parent.stat})
	a.add(path, n)
	parent.addKid(name)
	a.count(parent)
	a.changes = append(a.changes, Change{zoo.NodeCreated, path, n.mode, n.stat.EphemeralOwner, x.Data, acl, parent.acl})
	stat := n.status() // without quotas, for which ZooKeeper counts later
	a.recount(path)
	a.account(path, len(x.Data), 1)
	return path, stat, zoo.OK
}

// checkMode checks the mode against the operation, before any other check.
func (a *applier) checkMode(x *Txn) zoo.Code {
	switch {
	case x.Mode > zoo.PersistentSequentialTTL:
		return zoo.ErrBadArguments
	case !x.Mode.HasTTL():
		if x.Kind == CreateTTL {
			return zoo.ErrBadArguments
		}
	case a.NoTTL:
		return zoo.ErrUnimplemented
	case x.Kind != CreateTTL || x.TTL <= 0 || x.TTL > maxTTL:
		return zoo.ErrBadArguments
	}
	return zoo.OK
}

// life returns the new znode's mode. The operation decides how long it lives, the flags how it is named.
func life(x *Txn) zoo.CreateMode {
	switch {
	case x.Kind == CreateContainer:
		return zoo.Container
	case x.Mode == zoo.Container:
		return zoo.Persistent
	}
	return x.Mode
}
