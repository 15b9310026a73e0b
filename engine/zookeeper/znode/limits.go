package znode

import (
	"strings"

	"github.com/zkviz/zkviz/engine/event/zoo"
)

// Limits limits the size of a tree. A field of 0 sets no limit.
type Limits struct {
	Nodes int   // znodes
	Owned int   // ephemeral znodes of one session, which are deleted in one transaction
	Bytes int64 // of all paths, data and ACLs
	ACL   int   // entries of a requested ACL; each access to the znode may check them all
	Depth int   // names in a path; each change updates the counts of all ancestors
}

// full reports whether the tree has no room for that many more bytes.
func (t *Tree) full(more int64) bool { return t.Limits.Bytes > 0 && t.held+more > t.Limits.Bytes }

// noRoom reports whether a new znode exceeds a limit.
func (t *Tree) noRoom(path string, n *node) bool {
	switch {
	case t.Limits.Nodes > 0 && len(t.nodes) > t.Limits.Nodes: // includes the root twice
		return true
	case t.Limits.Owned > 0 && t.Owned(n.stat.EphemeralOwner) >= t.Limits.Owned:
		return true
	case t.Limits.Depth > 0 && strings.Count(path, "/") > t.Limits.Depth:
		return true
	}
	return t.full(size(path, n))
}

// size returns the bytes of a znode that count for Limits.Bytes.
func size(path string, n *node) int64 {
	if path == "" { // the root's other name
		return 0
	}
	return int64(len(path)+len(n.data)) + aclSize(n.acl)
}

// entryBytes is the size of an ACL entry without its scheme and ID.
const entryBytes = 40

func aclSize(acl []zoo.ACL) int64 {
	bytes := 0
	for _, entry := range acl {
		bytes += entryBytes + len(entry.Scheme) + len(entry.ID)
	}
	return int64(bytes)
}
