package live

import (
	"path"
	"slices"

	"github.com/go-zookeeper/zk"
)

// format is how the data of a root and of a holder begin. What a later format means is for later versions to
// know: its runs are left alone.
const format = "zkviz/1 "

// markOf is the data of a run's root, and of its holder.
func markOf(root string) string { return format + path.Base(root) }

// abandonedMark is the data of the holder of a run that was taken for dead.
func abandonedMark(root string) string { return markOf(root) + " abandoned" }

// aclOf is the ACL of every znode that a run makes. Its first entry lets everybody do everything; the second lets
// nobody do anything more, since it is the digest of no password, and is the mark of the run. An ACL comes with the
// create itself, at no cost, and nobody copies it by chance, as one copies names and data.
func aclOf(root string) []zk.ACL {
	return append(zk.WorldACL(zk.PermAll), markEntry(root))
}

func markEntry(root string) zk.ACL {
	return zk.ACL{Perms: zk.PermRead, Scheme: "digest", ID: "zkviz:" + path.Base(root)}
}

// hasMark reports whether an ACL says that the run has made the znode.
func hasMark(acl []zk.ACL, root string) bool { return slices.Contains(acl, markEntry(root)) }
