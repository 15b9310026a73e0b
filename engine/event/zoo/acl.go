package zoo

// Permissions, which add up to ACL.Perms. They have the wire protocol's values.
const (
	PermRead   int32 = 1
	PermWrite  int32 = 2
	PermCreate int32 = 4 // children
	PermDelete int32 = 8 // children
	PermAdmin  int32 = 16
	PermAll    int32 = 31
)

// ACL grants the permissions in Perms to the clients that Scheme and ID describe.
type ACL struct {
	Perms  int32
	Scheme string // world, auth, digest, ip, x509, sasl, super
	ID     string // anyone; user:hash; or an address, with or without /bits
}

// NullID is the ID of an entry whose ID was sent as null. No text that can be sent equals it. ZooKeeper fails on such
// an ID, or treats it as empty where it doesn't check.
const NullID = "\xff"

// ID is one of a connection's identities: its address, or what it authenticated as.
type ID struct {
	Scheme string
	ID     string
}

// OpenACL lets everybody do everything.
func OpenACL() []ACL { return []ACL{{Perms: PermAll, Scheme: "world", ID: "anyone"}} }

// ReadACL lets everybody read.
func ReadACL() []ACL { return []ACL{{Perms: PermRead, Scheme: "world", ID: "anyone"}} }
