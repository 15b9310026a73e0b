package znode

import (
	"strings"

	"github.com/zkviz/zkviz/engine/event/zoo"
)

// Apply executes x under the next zxid and appends its changes to changes. A failed transaction also takes a zxid, but
// changes nothing.
func (t *Tree) Apply(x Txn, changes []Change) (Result, []Change) {
	t.zxid++
	a := applier{Tree: t, session: x.Session, caller: x.Caller, timeMS: x.TimeMS, changes: changes}
	r := Result{Zxid: t.zxid}
	switch x.Kind {
	case Failed, OpenSession:
	case CloseSession:
		a.closeSession()
	case Multi:
		r.Ops, r.Code = a.multi(x.Ops)
	default:
		r.Path, r.Stat, r.Code = a.one(&x)
	}
	return r, a.changes
}

// applier is a transaction in progress.
type applier struct {
	*Tree
	session int64
	caller  Caller
	timeMS  int64
	changes []Change
	inMulti bool
	beyond  map[*node]int32 // sequence counters past their end
}

func (a *applier) one(x *Txn) (string, zoo.Stat, zoo.Code) {
	switch x.Kind {
	case Create, CreateContainer, CreateTTL:
		return a.create(x)
	case Delete:
		return "", zoo.Stat{}, a.delete(x.Path, x.Version)
	case DeleteContainer:
		return "", zoo.Stat{}, a.deleteContainer(x.Path)
	case Set:
		st, code := a.set(x.Path, x.Data, x.Version)
		return "", st, code
	case SetACL:
		st, code := a.setACL(x.Path, x.ACL, x.Version)
		return "", st, code
	case Check:
		return "", zoo.Stat{}, a.check(x.Path, x.Version)
	}
	return "", zoo.Stat{}, zoo.ErrUnimplemented
}

func (a *applier) set(path string, data []byte, version int32) (zoo.Stat, zoo.Code) {
	n, code := a.find(path, zoo.PermWrite)
	if code == zoo.OK {
		code = match(version, n.stat.Version)
	}
	if code != zoo.OK {
		return zoo.Stat{}, code
	}
	more := len(data) - len(n.data)
	if more > 0 && a.full(int64(more)) {
		return zoo.Stat{}, zoo.ErrQuotaExceeded
	}
	a.onUndo(undo{was: Set, n: n, stat: n.stat, data: n.data})
	a.refill(n, data)
	n.stat.Version++
	n.stat.Mzxid, n.stat.Mtime = a.zxid, a.timeMS
	a.changes = append(a.changes, Change{zoo.NodeDataChanged, path, n.mode, n.stat.EphemeralOwner, data, n.acl, nil})
	stat := n.status()
	a.account(path, more, 0)
	return stat, zoo.OK
}

func (a *applier) setACL(path string, list []zoo.ACL, version int32) (zoo.Stat, zoo.Code) {
	if CheckPath(path) != nil {
		return zoo.Stat{}, zoo.ErrBadArguments
	}
	acl, code := a.caller.settle(list, a.Limits.ACL)
	if code != zoo.OK {
		return zoo.Stat{}, code
	}
	n, code := a.find(path, zoo.PermAdmin)
	if code == zoo.OK {
		code = match(version, n.stat.Aversion)
	}
	if code != zoo.OK {
		return zoo.Stat{}, code
	}
	more := aclSize(acl) - aclSize(n.acl)
	if more > 0 && a.full(more) {
		return zoo.Stat{}, zoo.ErrQuotaExceeded
	}
	a.held += more
	n.acl = acl
	n.stat.Aversion++
	return n.status(), zoo.OK
}

func (a *applier) check(path string, version int32) zoo.Code {
	n, code := a.find(path, zoo.PermRead)
	if code != zoo.OK {
		return code
	}
	return match(version, n.stat.Version)
}

// find returns the znode at a path, which must be valid, if the caller has one of the permissions.
func (a *applier) find(path string, perms int32) (*node, zoo.Code) {
	if CheckPath(path) != nil {
		return nil, zoo.ErrBadArguments
	}
	n, ok := a.nodes[path]
	if !ok {
		return nil, zoo.ErrNoNode
	}
	return n, a.caller.may(n.acl, perms)
}

func match(asked, is int32) zoo.Code {
	if asked != zoo.AnyVersion && asked != is {
		return zoo.ErrBadVersion
	}
	return zoo.OK
}

// misfit reports whether a path is too malformed to have a parent.
func misfit(path string) bool {
	return strings.IndexByte(path, '/') < 0 || strings.IndexByte(path, 0) >= 0
}
