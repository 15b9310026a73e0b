package live

import (
	"fmt"
	"path"
	"slices"

	"github.com/go-zookeeper/zk"
)

// format is how the data of a root and of a holder begin. What a later format means is for later versions to
// know: its runs are left alone.
const format = "zkviz/1 "

// dataOf is the data of a run's root, and of its holder.
func dataOf(root string) string { return format + path.Base(root) }

// abandonedData is the data of the holder of a run that was taken for dead.
func abandonedData(root string) string { return dataOf(root) + " abandoned" }

// aclsOf are the ACLs of what a run makes, all with the first that the server takes. Their first entry lets everybody
// do everything; the others let nobody do anything more, and are the mark of the run. An ACL comes with the create
// itself, at no cost, and nobody copies it by chance, as one copies names and data.
func aclsOf(root string) [2][]zk.ACL {
	id := path.Base(root)
	digest := []zk.ACL{{Perms: zk.PermRead, Scheme: "digest", ID: "zkviz:" + id}} // of no password
	var ip []zk.ACL                                                               // for servers that take no digests
	for part := range slices.Chunk([]byte(id), 3) {
		var n [3]byte
		copy(n[:], part)
		address := fmt.Sprintf("0.%d.%d.%d", n[0], n[1], n[2]) // the letters of the ID, in a network that nobody is in
		ip = append(ip, zk.ACL{Perms: zk.PermRead, Scheme: "ip", ID: address})
	}
	open := zk.WorldACL(zk.PermAll)
	return [2][]zk.ACL{append(open[:1:1], digest...), append(open[:1:1], ip...)}
}

// markIn is that of a run's ACLs whose mark an ACL has, nil if it has none.
func markIn(acl []zk.ACL, root string) []zk.ACL {
	for _, own := range aclsOf(root) {
		missing := func(entry zk.ACL) bool { return !slices.Contains(acl, entry) }
		if !slices.ContainsFunc(own[1:], missing) {
			return own
		}
	}
	return nil
}
