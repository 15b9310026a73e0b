package znode

import (
	"slices"

	"github.com/zkviz/zkviz/engine/event/zoo"
)

// See the ZooKeeper Programmer's Guide, "ZooKeeper access control using ACLs".

// may returns OK if the ACL grants the caller one of the permissions. A nil ACL grants everybody everything.
func (c *Caller) may(acl []zoo.ACL, perms int32) zoo.Code {
	if acl == nil || c.Trusted || c.super() {
		return zoo.OK
	}
	for _, entry := range acl {
		if entry.Perms&perms != 0 && c.is(entry) {
			return zoo.OK
		}
	}
	return zoo.ErrNoAuth
}

// Sees reports whether the caller may learn about changes of a znode with that ACL.
func (c *Caller) Sees(acl []zoo.ACL) bool { return c.may(acl, zoo.PermRead) == zoo.OK }

func (c *Caller) super() bool {
	return slices.ContainsFunc(c.IDs, func(id zoo.ID) bool { return id.Scheme == "super" })
}

func (c *Caller) is(entry zoo.ACL) bool {
	if anyone(entry) {
		return true
	}
	if entry.Scheme == "digest" && c.Known != nil {
		_, known := c.Known[zoo.ID{Scheme: entry.Scheme, ID: entry.ID}]
		return known
	}
	return slices.ContainsFunc(c.IDs, func(id zoo.ID) bool {
		if id.Scheme != entry.Scheme {
			return false
		}
		switch id.Scheme {
		case "ip":
			return inNet(id.ID, entry.ID)
		case "digest":
			return id.ID == entry.ID
		}
		return false
	})
}

func anyone(entry zoo.ACL) bool { return entry.Scheme == "world" && entry.ID == "anyone" }

// settle turns a requested ACL into the one to store. It merges duplicates and replaces auth by the caller's
// identities. A nil result is the open ACL. Unless most is 0, a request may have at most that many entries, which may
// become four times as many.
func (c *Caller) settle(asked []zoo.ACL, most int) ([]zoo.ACL, zoo.Code) {
	if len(asked) == 0 && c.Trusted {
		return nil, zoo.OK
	}
	if len(asked) == 1 && anyone(asked[0]) && asked[0].Perms == zoo.PermAll {
		return nil, zoo.OK
	}
	if most > 0 && len(asked) > most {
		return nil, zoo.ErrInvalidACL
	}
	acl := make([]zoo.ACL, 0, len(asked))
	for i, entry := range asked {
		if slices.Contains(asked[:i], entry) {
			continue
		}
		switch {
		case entry.ID == zoo.NullID:
			return nil, zoo.ErrMarshalling
		case anyone(entry):
			acl = append(acl, entry)
		case entry.Scheme == "auth":
			before := len(acl)
			acl = c.appendMine(acl, entry.Perms)
			if len(acl) == before {
				return nil, zoo.ErrInvalidACL
			}
		case validID(entry):
			acl = append(acl, entry)
		default:
			return nil, zoo.ErrInvalidACL
		}
	}
	if len(acl) == 0 || most > 0 && len(acl) > 4*most {
		return nil, zoo.ErrInvalidACL
	}
	return acl, zoo.OK
}

// appendMine appends an entry for each identity that the caller authenticated as. An address doesn't count.
func (c *Caller) appendMine(acl []zoo.ACL, perms int32) []zoo.ACL {
	for _, id := range c.IDs {
		if id.Scheme == "digest" {
			acl = append(acl, zoo.ACL{Perms: perms, Scheme: id.Scheme, ID: id.ID})
		}
	}
	return acl
}

func validID(entry zoo.ACL) bool {
	switch entry.Scheme {
	case "digest":
		return validDigest(entry.ID)
	case "ip":
		_, _, ok := parseNet(entry.ID)
		return ok
	}
	return false
}

// visible returns the ACL without the digests' hashes, for callers that may not change it.
func visible(acl []zoo.ACL) []zoo.ACL {
	shown := slices.Clone(acl)
	for i, entry := range shown {
		if entry.Scheme == "digest" {
			shown[i].ID = maskDigest(entry.ID)
		}
	}
	return shown
}
