package server

import (
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
	"github.com/zkviz/zkviz/engine/zookeeper/znode"
)

// Lengths of the parts of a reply, in bytes.
const (
	headSize   = 4 + 16 // including the frame's length field
	statSize   = 68
	partSize   = 9  // header of a part of a multi
	numberSize = 10 // number that a sequential create appends to a path
)

// ReplySize returns the size in bytes of the reply to a request if it were handled now, including the frame's length
// field, or slightly more. It takes no longer than decoding the request, since it collects nothing.
func (c *Conn) ReplySize(q *wire.Request) int {
	tree := c.s.tree
	switch q.Op {
	case wire.OpGetData, wire.OpGetChildren:
		return headSize + readSize(tree, q)
	case wire.OpGetChildren2:
		return headSize + readSize(tree, q) + statSize
	case wire.OpGetACL:
		return headSize + 4 + aclSize(tree.Sizes(q.Path).ACL) + statSize
	case wire.OpGetEphemerals:
		count, bytes := tree.EphemeralSizes(c.Session())
		return headSize + 4 + 4*count + bytes
	case wire.OpMulti, wire.OpMultiRead:
		size := headSize + partSize
		for i := range q.Ops {
			size += partSize + readSize(tree, &q.Ops[i])
		}
		return size
	case wire.OpWhoAmI:
		return headSize + 4 + 8*len(c.identity.ids) + c.identity.bytes()
	}
	return headSize + readSize(tree, q)
}

// Shared returns the address of the memory that a long reply to the request would refer to, if replies to others share
// it, else nil.
func (c *Conn) Shared(q *wire.Request) any {
	switch q.Op {
	case wire.OpGetData:
		if data, _ := c.s.tree.Data(q.Path); len(data) > 0 {
			return &data[0]
		}
	case wire.OpGetChildren, wire.OpGetChildren2:
		if names, _ := c.s.tree.Children(q.Path); len(names) > 0 {
			return &names[0]
		}
	}
	return nil
}

// readSize returns the size that a request adds to its reply, alone or as a part.
func readSize(tree *znode.Tree, q *wire.Request) int {
	switch q.Op {
	case wire.OpGetData:
		return 4 + tree.Sizes(q.Path).Data + statSize
	case wire.OpGetChildren, wire.OpGetChildren2:
		of := tree.Sizes(q.Path)
		return 4 + 4*of.Children + of.NameBytes
	}
	return 4 + len(q.Path) + numberSize + statSize
}

func aclSize(acl []zoo.ACL) int {
	if acl == nil {
		acl = zoo.OpenACL()
	}
	size := 0
	for _, entry := range acl {
		size += 12 + len(entry.Scheme) + len(entry.ID)
	}
	return size
}
