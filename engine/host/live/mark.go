package live

import (
	"fmt"
	"path"
	"slices"

	"github.com/go-zookeeper/zk"
)

// format begins the data of a root and of a holder. Only later versions understand later formats: their runs are
// left alone.
const format = "zkviz/1 "

// dataOf returns the data of a run's root and of its holder.
func dataOf(root string) string { return format + path.Base(root) }

// abandonedData returns the data of the holder once a sweep has declared the run dead.
func abandonedData(root string) string { return dataOf(root) + " abandoned" }

// aclsOf returns the ACLs for znodes that a run creates: each znode gets the first one that the server accepts.
// Their first entry allows everybody everything. The others allow nothing more; they are the mark of the run. An ACL
// is part of the create itself, costs nothing, and isn't copied by chance as names and data are.
func aclsOf(root string) [2][]zk.ACL {
	id := path.Base(root)
	digest := []zk.ACL{{Perms: zk.PermRead, Scheme: "digest", ID: "zkviz:" + id}} // no password has this digest
	var ip []zk.ACL                                                               // for servers that refuse digests
	for part := range slices.Chunk([]byte(id), 3) {
		var n [3]byte
		copy(n[:], part)
		address := fmt.Sprintf("0.%d.%d.%d", n[0], n[1], n[2]) // the letters of the ID, in a network without hosts
		ip = append(ip, zk.ACL{Perms: zk.PermRead, Scheme: "ip", ID: address})
	}
	open := zk.WorldACL(zk.PermAll)
	return [2][]zk.ACL{append(open[:1:1], digest...), append(open[:1:1], ip...)}
}

// markIn returns the one of the run's ACLs whose mark acl contains, nil if it contains none.
func markIn(acl []zk.ACL, root string) []zk.ACL {
	for _, own := range aclsOf(root) {
		missing := func(entry zk.ACL) bool { return !slices.Contains(acl, entry) }
		if !slices.ContainsFunc(own[1:], missing) {
			return own
		}
	}
	return nil
}
