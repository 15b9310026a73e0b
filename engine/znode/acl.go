package znode

import (
	"slices"

	"github.com/zkviz/zkviz/engine/zoo"
)

// See the ZooKeeper Programmer's Guide, "ZooKeeper access control using ACLs".

// may answers OK if the ACL gives the caller one of the permissions. nil gives everybody all.
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

// Sees reports whether a caller may be told of what happens to a znode with that ACL.
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

// settle makes the ACL that is stored out of the one that was asked for: entries that are there twice are
// merged, and auth becomes who the caller is. A result of nil is the open one. At most so many entries may be asked
// for, 0 for any number, and become four times as many.
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

// appendMine adds an entry for each way in which the caller has shown who it is. An address shows nothing.
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

// visible is the ACL as it is shown to a caller who may not change it: without the digests' hashes.
func visible(acl []zoo.ACL) []zoo.ACL {
	shown := slices.Clone(acl)
	for i, entry := range shown {
		if entry.Scheme == "digest" {
			shown[i].ID = maskDigest(entry.ID)
		}
	}
	return shown
}
