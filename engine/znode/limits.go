package znode

import (
	"strings"

	"github.com/zkviz/zkviz/engine/zoo"
)

// Limits bound what a tree holds. A field that is 0 bounds nothing.
type Limits struct {
	Nodes int   // znodes
	Owned int   // ephemeral znodes of one session: they go in one transaction
	Bytes int64 // of all paths, data and ACLs
	ACL   int   // entries of an ACL that is asked for: each access to the znode may look at all
	Depth int   // names in a path: each change adds to the figures of all that is above
}

// full reports whether so many bytes more are too many.
func (t *Tree) full(more int64) bool { return t.Limits.Bytes > 0 && t.held+more > t.Limits.Bytes }

// noRoom reports whether a new znode is beyond a limit.
func (t *Tree) noRoom(path string, n *node) bool {
	switch {
	case t.Limits.Nodes > 0 && len(t.nodes) > t.Limits.Nodes: // the root is in there twice
		return true
	case t.Limits.Owned > 0 && t.Owned(n.stat.EphemeralOwner) >= t.Limits.Owned:
		return true
	case t.Limits.Depth > 0 && strings.Count(path, "/") > t.Limits.Depth:
		return true
	}
	return t.full(size(path, n))
}

// size is what a znode takes of Limits.Bytes.
func size(path string, n *node) int64 {
	if path == "" { // the root's other name
		return 0
	}
	return int64(len(path)+len(n.data)) + aclSize(n.acl)
}

// entryBytes is what an entry of an ACL takes besides its id.
const entryBytes = 40

func aclSize(acl []zoo.ACL) int64 {
	bytes := 0
	for _, entry := range acl {
		bytes += entryBytes + len(entry.Scheme) + len(entry.ID)
	}
	return int64(bytes)
}
