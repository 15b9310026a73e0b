package znode

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/zkviz/zkviz/engine/zoo"
)

// What a client may read, and with which error it may not. The empty path is the root. No path is checked
// for its form: there is no znode at a path that has none.

// Exists needs no permission.
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

// Get is the znode's data, shared: nil and empty are kept apart.
func (t *Tree) Get(path string, c Caller) ([]byte, zoo.Stat, zoo.Code) {
	n, code := t.read(path, c, zoo.PermRead)
	if code != zoo.OK {
		return nil, zoo.Stat{}, code
	}
	return n.data, n.status(), zoo.OK
}

// List is the names of the znode's children, sorted. The slice stays as it is when the tree changes.
func (t *Tree) List(path string, c Caller) ([]string, zoo.Stat, zoo.Code) {
	n, code := t.read(path, c, zoo.PermRead)
	if code != zoo.OK {
		return nil, zoo.Stat{}, code
	}
	return n.kids.list(), n.status(), zoo.OK
}

// GetACL is who may do what, shared. A caller that may not change it does not see the digests' hashes.
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

// AllChildrenNumber is how many znodes there are below path, at any depth.
func (t *Tree) AllChildrenNumber(path string, c Caller) (int32, zoo.Code) {
	n, code := t.read(path, c, zoo.PermRead)
	switch {
	case code != zoo.OK:
		return 0, code
	case path == "/":
		return int32(len(t.nodes) - 2), zoo.OK
	case path == "": // to ZooKeeper "/" is below it
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

// GetEphemerals is the paths that the session owns and that begin with prefix, in the order they were made.
// Nothing, blanks or a slash is no prefix.
func (t *Tree) GetEphemerals(session int64, prefix string) []string {
	mine := t.Ephemerals(session)
	if p := strings.TrimFunc(prefix, func(r rune) bool { return r <= ' ' }); p == "" || p == "/" {
		return mine
	}
	return slices.DeleteFunc(mine, func(path string) bool { return !strings.HasPrefix(path, prefix) })
}

// Sizes is how much a reader may be given of a znode.
type Sizes struct {
	Data      int // bytes
	Children  int // how many
	NameBytes int // of all their names
	ACL       []zoo.ACL
}

// Sizes measures the znode at path without reading it; there may be none.
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

// EphemeralSizes is how many znodes the session owns, and the bytes of their paths.
func (t *Tree) EphemeralSizes(session int64) (count, bytes int) {
	o := t.owned[session]
	return o.len(), o.bytes
}

// What the host itself looks at, no matter who may read it.

// Stat is the znode's metadata, and whether there is one at path.
func (t *Tree) Stat(path string) (zoo.Stat, bool) {
	n, ok := t.nodes[path]
	if !ok {
		return zoo.Stat{}, false
	}
	return n.status(), true
}

// Data is the znode's data, shared: nil and empty are kept apart.
func (t *Tree) Data(path string) ([]byte, bool) {
	n, ok := t.nodes[path]
	if !ok {
		return nil, false
	}
	return n.data, true
}

// Children is the names of the znode's children, sorted. The slice stays as it is when the tree changes.
func (t *Tree) Children(path string) ([]string, bool) {
	n, ok := t.nodes[path]
	if !ok {
		return nil, false
	}
	return n.kids.list(), true
}

// Mode is what the znode lives on, and whether there is one at path.
func (t *Tree) Mode(path string) (zoo.CreateMode, bool) {
	n, ok := t.nodes[path]
	if !ok {
		return 0, false
	}
	return n.mode, true
}

// Ephemerals is the paths that the session owns, in the order they were made.
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

// EachOwned goes through all ephemerals and their owners, those of one owner one after the other. The tree may change
// between two steps: what comes or goes meanwhile is told or not.
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

// Owners is the sessions that own ephemerals, sorted.
func (t *Tree) Owners() []int64 {
	return slices.Sorted(maps.Keys(t.owned))
}
