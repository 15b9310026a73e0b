package zoo

// Permissions, added up in ACL.Perms. The numbers are those of the wire protocol.
const (
	PermRead   int32 = 1
	PermWrite  int32 = 2
	PermCreate int32 = 4 // children
	PermDelete int32 = 8 // children
	PermAdmin  int32 = 16
	PermAll    int32 = 31
)

// ACL lets those whom Scheme and ID name do what Perms says.
type ACL struct {
	Perms  int32
	Scheme string // world, auth, digest, ip, x509, sasl, super
	ID     string // anyone; user:hash; an address, with /bits or without
}

// NullID is the ID of an entry that was sent with null for one: no text that can be sent. ZooKeeper stumbles over it,
// and takes it for an empty ID where it does not look.
const NullID = "\xff"

// ID is who a connection is: what it has shown of itself, and its address.
type ID struct {
	Scheme string
	ID     string
}

// OpenACL lets everybody do everything.
func OpenACL() []ACL { return []ACL{{Perms: PermAll, Scheme: "world", ID: "anyone"}} }

// ReadACL lets everybody read.
func ReadACL() []ACL { return []ACL{{Perms: PermRead, Scheme: "world", ID: "anyone"}} }
