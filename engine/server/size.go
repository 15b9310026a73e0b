package server

import (
	"github.com/zkviz/zkviz/engine/wire"
	"github.com/zkviz/zkviz/engine/zoo"
)

// Lengths in bytes of what replies consist of.
const (
	headSize   = 4 + 16 // with the length of the frame
	statSize   = 68
	partSize   = 9  // what precedes a part of a multi
	numberSize = 10 // what a sequential create puts behind a path
)

// ReplySize is how many bytes the reply to a request would have if it were handled now, with its length, or a few
// more. To know that takes no longer than to read the request: nothing is collected.
func (c *Conn) ReplySize(q *wire.Request) int {
	tree := c.s.tree
	switch q.Op {
	case wire.OpGetData, wire.OpGetChildren:
		return headSize + c.readSize(q)
	case wire.OpGetChildren2:
		return headSize + c.readSize(q) + statSize
	case wire.OpGetACL:
		return headSize + 4 + aclSize(tree.Sizes(q.Path).ACL) + statSize
	case wire.OpGetEphemerals:
		count, bytes := tree.EphemeralSizes(c.Session())
		return headSize + 4 + 4*count + bytes
	case wire.OpMulti, wire.OpMultiRead:
		size := headSize + partSize
		for i := range q.Ops {
			size += partSize + c.readSize(&q.Ops[i])
		}
		return size
	case wire.OpWhoAmI:
		size := headSize + 4
		for _, id := range c.ids {
			size += 8 + len(id.Scheme) + len(id.ID)
		}
		return size
	}
	return headSize + c.readSize(q)
}

// Shared is the memory that a long reply to the request would refer to, if it is one piece that replies to others refer
// to as well, by its address; nil otherwise.
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

// readSize is what a request adds to its reply, alone or as a part.
func (c *Conn) readSize(q *wire.Request) int {
	switch q.Op {
	case wire.OpGetData:
		return 4 + c.s.tree.Sizes(q.Path).Data + statSize
	case wire.OpGetChildren, wire.OpGetChildren2:
		of := c.s.tree.Sizes(q.Path)
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
