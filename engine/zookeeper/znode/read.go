package znode

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/event/zoo"
)

// Reads by clients, and the errors that they get. The empty path is the root. No path needs a check of its form, since
// no znode has a malformed path.

// Exists returns the znode's Stat. It needs no permission.
func (t *Tree) Exists(path string) (zoo.Stat, zoo.Code) {
	if strings.IndexByte(path, 0) >= 0 {
		return zoo.Stat{}, zoo.ErrBadArguments
	}
	n, ok := t.nodes[path]
	if !ok {
		return zoo.Stat{}, zoo.ErrNoNode
	}
	return n.status(), zoo.OK
}

// Get returns the znode's data, which is shared. It distinguishes nil from empty.
func (t *Tree) Get(path string, c Caller) ([]byte, zoo.Stat, zoo.Code) {
	n, code := t.read(path, c, zoo.PermRead)
	if code != zoo.OK {
		return nil, zoo.Stat{}, code
	}
	return n.data, n.status(), zoo.OK
}

// List returns the sorted names of the znode's children. Later changes don't affect the slice.
func (t *Tree) List(path string, c Caller) ([]string, zoo.Stat, zoo.Code) {
	n, code := t.read(path, c, zoo.PermRead)
	if code != zoo.OK {
		return nil, zoo.Stat{}, code
	}
	return n.kids.list(), n.status(), zoo.OK
}

// GetACL returns the znode's ACL, which is shared. Callers that may not change it don't see the digests' hashes.
func (t *Tree) GetACL(path string, c Caller) ([]zoo.ACL, zoo.Stat, zoo.Code) {
	n, code := t.read(path, c, zoo.PermRead|zoo.PermAdmin)
	switch {
	case code != zoo.OK:
		return nil, zoo.Stat{}, code
	case n.acl == nil:
		return zoo.OpenACL(), n.status(), zoo.OK
	case c.may(n.acl, zoo.PermAdmin) != zoo.OK:
		return visible(n.acl), n.status(), zoo.OK
	}
	return n.acl, n.status(), zoo.OK
}

// AllChildrenNumber returns the number of znodes below path, at any depth.
func (t *Tree) AllChildrenNumber(path string, c Caller) (int32, zoo.Code) {
	n, code := t.read(path, c, zoo.PermRead)
	switch {
	case code != zoo.OK:
		return 0, code
	case path == "/":
		return int32(len(t.nodes) - 2), zoo.OK
	case path == "": // ZooKeeper counts "/" as below it
		return int32(len(t.nodes) - 1), zoo.OK
	}
	return n.below, zoo.OK
}

func (t *Tree) read(path string, c Caller, perms int32) (*node, zoo.Code) {
	n, ok := t.nodes[path]
	if !ok {
		return nil, zoo.ErrNoNode
	}
	return n, c.may(n.acl, perms)
}

// GetEphemerals returns the session's ephemerals whose paths begin with prefix, in order of creation. A prefix that is
// empty, blank or a slash matches all.
func (t *Tree) GetEphemerals(session int64, prefix string) []string {
	mine := t.Ephemerals(session)
	if p := strings.TrimFunc(prefix, func(r rune) bool { return r <= ' ' }); p == "" || p == "/" {
		return mine
	}
	return slices.DeleteFunc(mine, func(path string) bool { return !strings.HasPrefix(path, prefix) })
}

// Sizes tells how large a znode is, before a reader gets it.
type Sizes struct {
	Data      int // bytes
	Children  int // number of children
	NameBytes int // total length of their names
	ACL       []zoo.ACL
}

// Sizes measures the znode at path without reading it. If there is none, all sizes are 0.
func (t *Tree) Sizes(path string) Sizes {
	n, ok := t.nodes[path]
	switch {
	case !ok:
		return Sizes{}
	case n.kids == nil:
		return Sizes{Data: len(n.data), ACL: n.acl}
	}
	return Sizes{len(n.data), n.kids.n, n.kids.bytes, n.acl}
}

// EphemeralSizes returns the number of znodes that the session owns, and the total length of their paths.
func (t *Tree) EphemeralSizes(session int64) (count, bytes int) {
	o := t.owned[session]
	return o.len(), o.bytes
}

// Reads by the host itself, which ACLs don't restrict.

// Stat returns the znode's metadata, and whether the znode exists.
func (t *Tree) Stat(path string) (zoo.Stat, bool) {
	n, ok := t.nodes[path]
	if !ok {
		return zoo.Stat{}, false
	}
	return n.status(), true
}

// Data returns the znode's data, which is shared. It distinguishes nil from empty.
func (t *Tree) Data(path string) ([]byte, bool) {
	n, ok := t.nodes[path]
	if !ok {
		return nil, false
	}
	return n.data, true
}

// Children returns the sorted names of the znode's children. Later changes don't affect the slice.
func (t *Tree) Children(path string) ([]string, bool) {
	n, ok := t.nodes[path]
	if !ok {
		return nil, false
	}
	return n.kids.list(), true
}

// Mode returns the znode's mode, and whether the znode exists.
func (t *Tree) Mode(path string) (zoo.CreateMode, bool) {
	n, ok := t.nodes[path]
	if !ok {
		return 0, false
	}
	return n.mode, true
}

// Ephemerals returns the paths that the session owns, in order of creation.
func (t *Tree) Ephemerals(session int64) []string {
	o := t.owned[session]
	if o.len() == 0 {
		return nil
	}
	paths := make([]string, 0, o.len())
	for path := range o.all() {
		paths = append(paths, path)
	}
	return paths
}

// EachOwned yields all ephemerals with their owners, one owner after another. The tree may change between steps. It
// may yield or skip what comes and goes in between.
func (t *Tree) EachOwned() iter.Seq2[int64, string] {
	return func(yield func(int64, string) bool) {
		for session := range t.owned {
			for i := 0; i < len(t.owned[session].list); i++ {
				if b := t.owned[session].list[i]; b.n != nil && !yield(session, b.path) {
					return
				}
			}
		}
	}
}

// Owners returns the sessions that own ephemerals, sorted.
func (t *Tree) Owners() []int64 {
	return slices.Sorted(maps.Keys(t.owned))
}
