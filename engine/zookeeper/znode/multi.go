package znode

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/zkviz/zkviz/engine/event/zoo"
)

// multi executes all ops or none. After a failure, as in ZooKeeper, the ops before the failed one report OK, the
// failed one its own code and the rest a runtime inconsistency. The returned code is the failed op's. If an op isn't
// allowed in a multi, the whole request fails and there are no results.
func (a *applier) multi(ops []Txn) ([]zoo.OpResult, zoo.Code) {
	if slices.ContainsFunc(ops, func(x Txn) bool { return !mayBePart(x.Kind) }) {
		return nil, zoo.ErrMarshalling
	}
	a.inMulti, a.undone = true, a.undone[:0]
	kept := len(a.changes)
	results := make([]zoo.OpResult, len(ops))
	for i := range ops {
		path, stat, code := a.part(ops[i])
		if code == zoo.OK {
			results[i] = zoo.OpResult{Path: path, Stat: stat}
			continue
		}
		a.rollBack()
		a.tidyOwners()
		a.changes = a.changes[:kept]
		if code == zoo.ErrMarshalling {
			return nil, code
		}
		return failed(results, i, code), code
	}
	a.breakPairs()
	a.tidyOwners()
	return results, zoo.OK
}

// breakPairs damages the ACLs of a multi's new znodes as ZooKeeper does. ZooKeeper serializes the parts of a multi and
// parses them again to execute them. It writes a surrogate pair as two halves, which it reads as two invalid
// characters.
func (a *applier) breakPairs() {
	for i := range a.undone {
		u := &a.undone[i]
		if u.was != Create || a.nodes[u.path] != u.n || !slices.ContainsFunc(u.n.acl, hasPairs) {
			continue
		}
		a.held -= aclSize(u.n.acl)
		u.n.acl = slices.Clone(u.n.acl)
		for i := range u.n.acl {
			u.n.acl[i].ID = withoutPairs(u.n.acl[i].ID)
		}
		a.held += aclSize(u.n.acl)
	}
}

func hasPairs(entry zoo.ACL) bool { return !utf8.ValidString(entry.ID) }

// withoutPairs replaces each half of a surrogate pair by U+FFFD. Nothing else in an ID is invalid UTF-8: see
// wire.Text.
func withoutPairs(id string) string {
	const half = 3 // bytes
	var b strings.Builder
	for len(id) > 0 {
		r, n := utf8.DecodeRuneInString(id)
		if r == utf8.RuneError && n == 1 {
			n = min(half, len(id))
		}
		b.WriteRune(r)
		id = id[n:]
	}
	return b.String()
}

// tidyOwners cleans up the lists of owners, which the multi kept as they were so that it could undo its parts.
func (a *applier) tidyOwners() {
	for i := range a.undone {
		if u := &a.undone[i]; u.was != Set && u.n.stat.EphemeralOwner != 0 {
			a.tidy(u.n.stat.EphemeralOwner)
		}
	}
	clear(a.undone)
}

func failed(results []zoo.OpResult, at int, code zoo.Code) []zoo.OpResult {
	clear(results)
	results[at].Code = code
	for i := at + 1; i < len(results); i++ {
		results[i].Code = zoo.ErrRuntimeInconsistency
	}
	return results
}

// part executes one op.
func (a *applier) part(x Txn) (string, zoo.Stat, zoo.Code) {
	switch x.Kind {
	case Create, CreateContainer, CreateTTL:
		if x.Mode.HasTTL() && x.Kind != CreateTTL {
			return "", zoo.Stat{}, zoo.ErrMarshalling
		}
		x.Kind = PartKind(x.Mode)
	}
	return a.one(&x)
}

func mayBePart(k Kind) bool {
	switch k {
	case Create, CreateContainer, CreateTTL, Delete, Set, Check:
		return true
	}
	return false
}

// PartKind returns the kind of a create with this mode within a multi. There ZooKeeper ignores the operation and looks
// only at the flags. Create answers with the path, the two other kinds with the path and the Stat.
func PartKind(mode zoo.CreateMode) Kind {
	switch {
	case mode == zoo.Container:
		return CreateContainer
	case mode.HasTTL():
		return CreateTTL
	}
	return Create
}

// undo records how to undo one part of a multi.
type undo struct {
	was     Kind // Create, Delete or Set
	path    string
	n       *node
	stat    zoo.Stat // of n before a Set, else of its parent
	data    []byte   // before a Set
	creates int32    // the parent's, before a Create
}

func (a *applier) onUndo(u undo) {
	if a.inMulti {
		a.undone = append(a.undone, u)
	}
}

func (a *applier) rollBack() {
	for _, u := range slices.Backward(a.undone) {
		switch u.was {
		case Create:
			a.uncreate(u)
		case Delete:
			a.undelete(u)
		case Set:
			a.refill(u.n, u.data)
			u.n.stat = u.stat
		}
	}
}

func (a *applier) uncreate(u undo) {
	if u.n.stat.EphemeralOwner != 0 {
		a.disown(u.path, u.n)
	}
	a.unlink(u.path, u.n)
	u.n.parent.stat, u.n.parent.creates = u.stat, u.creates
}

func (a *applier) undelete(u undo) {
	_, name := cut(u.path)
	a.add(u.path, u.n)
	u.n.parent.addKid(name)
	u.n.parent.stat = u.stat
	if u.n.stat.EphemeralOwner != 0 {
		a.reown(u.path, u.n)
	}
}
