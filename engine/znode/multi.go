package znode

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/zkviz/zkviz/engine/zoo"
)

// multi carries out all ops or none. After a failure the ops before it report OK, it reports its own code
// and those behind it a runtime inconsistency, as ZooKeeper does; the code returned is the failing op's.
// An op that cannot be of a multi fails the request as a whole: there are no results then.
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

// breakPairs does to the ACLs of a multi's new znodes what ZooKeeper does when it writes the parts of a multi and reads
// them again to carry them out: of a surrogate pair, which it writes as two halves, it reads two characters that are
// none.
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

// withoutPairs has U+FFFD for each half of a surrogate pair, which is the one thing in an id that is not UTF-8: see
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

// tidyOwners ends what keeps the lists of owners as a part of the multi found them, so that it can be undone.
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

// part carries out one op.
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

// PartKind is what a create with this mode is within a multi, whatever operation it came as: there ZooKeeper
// goes by the flags alone. It answers Create with the path, and the two others with the path and the Stat.
func PartKind(mode zoo.CreateMode) Kind {
	switch {
	case mode == zoo.Container:
		return CreateContainer
	case mode.HasTTL():
		return CreateTTL
	}
	return Create
}

// undo is how one part of a multi is taken back.
type undo struct {
	was     Kind // Create, Delete or Set
	path    string
	n       *node
	stat    zoo.Stat // of n before a Set, of its parent before the others
	data    []byte   // before a Set
	creates int32    // of the parent before a Create
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
