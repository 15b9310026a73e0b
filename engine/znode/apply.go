package znode

import (
	"slices"
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/zoo"
)

// Kind is what a transaction does.
type Kind uint8

const (
	OpenSession Kind = iota + 1
	CloseSession
	Create
	Delete
	Set
	Check
	Multi
)

// Txn is a write request on its way into the log.
type Txn struct {
	Kind    Kind
	Session int64
	Path    string
	Data    []byte
	Mode    zoo.CreateMode
	Version int32
	Ops     []zoo.Op // of a Multi
	TimeMS  int64    // the leader's clock
}

// Result answers a transaction.
type Result struct {
	Zxid int64
	Code zoo.Code
	Path string   // of a create
	Stat zoo.Stat // of a create or set
	Ops  []zoo.OpResult
}

// Change is one thing that a transaction did to the tree, for whoever watches.
type Change struct {
	Type  zoo.EventType // NodeCreated, NodeDeleted or NodeDataChanged
	Path  string
	Mode  zoo.CreateMode
	Owner int64 // session, 0 if not ephemeral
	Data  []byte
}

// Apply carries out x under the next zxid and appends what it changed to changes. A transaction that fails
// takes a zxid too, and changes nothing.
func (t *Tree) Apply(x Txn, changes []Change) (Result, []Change) {
	t.zxid++
	a := applier{Tree: t, session: x.Session, timeMS: x.TimeMS, changes: changes}
	r := Result{Zxid: t.zxid}
	switch x.Kind {
	case OpenSession:
	case CloseSession:
		a.closeSession()
	case Multi:
		r.Ops, r.Code = a.multi(x.Ops)
	default:
		r.Path, r.Stat, r.Code = a.one(x)
	}
	return r, a.changes
}

// applier is one transaction under way.
type applier struct {
	*Tree
	session int64
	timeMS  int64
	changes []Change
	undo    []func() // of a multi, newest last
	inMulti bool
}

func (a *applier) one(x Txn) (string, zoo.Stat, zoo.Code) {
	switch x.Kind {
	case Create:
		return a.create(x.Path, x.Data, x.Mode)
	case Delete:
		return "", zoo.Stat{}, a.delete(x.Path, x.Version)
	case Set:
		st, code := a.set(x.Path, x.Data, x.Version)
		return "", st, code
	case Check:
		return "", zoo.Stat{}, a.check(x.Path, x.Version)
	}
	return "", zoo.Stat{}, zoo.ErrUnimplemented
}

func (a *applier) create(path string, data []byte, mode zoo.CreateMode) (string, zoo.Stat, zoo.Code) {
	if !strings.HasPrefix(path, "/") || strings.IndexByte(path, 0) >= 0 || mode > zoo.EphemeralSequential {
		return "", zoo.Stat{}, zoo.ErrBadArguments
	}
	dir, name := split(path)
	parent, ok := a.nodes[dir]
	if !ok {
		return "", zoo.Stat{}, zoo.ErrNoNode
	}
	if mode.IsSequential() {
		digits := sequence(parent.creates)
		path, name = path+digits, name+digits
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
	n := &node{parent: parent, data: data, mode: mode}
	n.stat = zoo.Stat{Czxid: a.zxid, Mzxid: a.zxid, Pzxid: a.zxid, Ctime: a.timeMS, Mtime: a.timeMS}
	if mode.IsEphemeral() {
		n.stat.EphemeralOwner = a.session
		a.owned[a.session] = append(a.owned[a.session], path)
	}
	before := parent.stat.Pzxid
	a.nodes[path] = n
	parent.addKid(name)
	parent.creates++
	parent.stat.Pzxid = a.zxid
	a.changes = append(a.changes, Change{zoo.NodeCreated, path, mode, n.stat.EphemeralOwner, data})
	a.onUndo(func() {
		a.unlink(path, name, n)
		parent.creates--
		parent.stat.Pzxid = before
	})
	return path, n.status(), zoo.OK
}

func (a *applier) delete(path string, version int32) zoo.Code {
	if !strings.HasPrefix(path, "/") || strings.IndexByte(path, 0) >= 0 || reserved(path) {
		return zoo.ErrBadArguments
	}
	dir, name := split(path)
	parent, ok := a.nodes[dir]
	if !ok {
		return zoo.ErrNoNode
	}
	n, ok := a.nodes[path]
	if !ok {
		return zoo.ErrNoNode
	}
	if version != zoo.AnyVersion && version != n.stat.Version {
		return zoo.ErrBadVersion
	}
	if len(n.kids) > 0 {
		return zoo.ErrNotEmpty
	}
	before := parent.stat.Pzxid
	a.remove(path, name, n)
	a.onUndo(func() {
		a.nodes[path] = n
		parent.addKid(name)
		parent.stat.Pzxid = before
		if owner := n.stat.EphemeralOwner; owner != 0 {
			a.owned[owner] = append(a.owned[owner], path)
		}
	})
	return zoo.OK
}

// remove takes a leaf out of the tree and says so.
func (a *applier) remove(path, name string, n *node) {
	a.unlink(path, name, n)
	n.parent.stat.Pzxid = a.zxid
	a.changes = append(a.changes, Change{zoo.NodeDeleted, path, n.mode, n.stat.EphemeralOwner, nil})
}

func (a *applier) unlink(path, name string, n *node) {
	delete(a.nodes, path)
	n.parent.dropKid(name)
	owner := n.stat.EphemeralOwner
	if owner == 0 {
		return
	}
	mine := a.owned[owner]
	if i := slices.Index(mine, path); i >= 0 {
		mine = slices.Delete(mine, i, i+1)
	}
	if a.owned[owner] = mine; len(mine) == 0 {
		delete(a.owned, owner)
	}
}

func (a *applier) set(path string, data []byte, version int32) (zoo.Stat, zoo.Code) {
	if CheckPath(path) != nil {
		return zoo.Stat{}, zoo.ErrBadArguments
	}
	if code := a.check(path, version); code != zoo.OK {
		return zoo.Stat{}, code
	}
	n := a.nodes[path]
	before, oldData := n.stat, n.data
	n.data = data
	n.stat.Version++
	n.stat.Mzxid, n.stat.Mtime = a.zxid, a.timeMS
	a.changes = append(a.changes, Change{zoo.NodeDataChanged, path, n.mode, n.stat.EphemeralOwner, data})
	a.onUndo(func() { n.stat, n.data = before, oldData })
	return n.status(), zoo.OK
}

func (a *applier) check(path string, version int32) zoo.Code {
	if CheckPath(path) != nil {
		return zoo.ErrBadArguments
	}
	n, ok := a.nodes[path]
	if !ok {
		return zoo.ErrNoNode
	}
	if version != zoo.AnyVersion && version != n.stat.Version {
		return zoo.ErrBadVersion
	}
	return zoo.OK
}

// closeSession removes all that the session owns, in one transaction.
func (a *applier) closeSession() {
	for _, path := range a.Ephemerals(a.session) {
		_, name := split(path)
		a.remove(path, name, a.nodes[path])
	}
}

func (a *applier) onUndo(f func()) {
	if a.inMulti {
		a.undo = append(a.undo, f)
	}
}

// sequence is the ten digits of a sequential name. The counter is signed, as ZooKeeper's is.
func sequence(n int32) string {
	digits := strconv.Itoa(int(n))
	pad := 10 - len(digits)
	switch {
	case pad <= 0:
		return digits
	case n < 0:
		return "-" + zeros[:pad] + digits[1:]
	}
	return zeros[:pad] + digits
}

const zeros = "0000000000"
