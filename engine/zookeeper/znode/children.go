package znode

import (
	"slices"
	"strings"
)

// children holds the sorted names of a znode's children in blocks, so that changing one of a million costs little more
// than changing one of ten. nil has no names.
type children struct {
	blocks [][]string // none empty
	n      int
	bytes  int      // total length of the names
	lent   bool     // the first block was handed out: only append at its end or cut at its front
	listed []string // the list that was handed out for several blocks, nil after a change
}

// blockNames is the maximum number of names in a block. A queue of simulated clients fits into one.
const blockNames = 1024

func (c *children) len() int {
	if c == nil {
		return 0
	}
	return c.n
}

// list returns all names. Later changes don't affect the slice.
func (c *children) list() []string {
	switch {
	case c.len() == 0:
		return nil
	case len(c.blocks) == 1:
		c.lent = true
		return c.blocks[0]
	case c.listed == nil:
		c.listed = slices.Concat(c.blocks...)
	}
	return c.listed
}

// add inserts a name, which must be new.
func (c *children) add(name string) {
	c.n++
	c.bytes += len(name)
	c.listed = nil
	last := len(c.blocks) - 1
	if last < 0 || len(c.blocks[last]) == blockNames && name > c.blocks[last][blockNames-1] {
		c.blocks = append(c.blocks, []string{name})
		return
	}
	b := c.blockOf(name)
	at, _ := slices.BinarySearch(c.blocks[b], name)
	if at < len(c.blocks[b]) {
		c.own(b)
	}
	c.blocks[b] = slices.Insert(c.blocks[b], at, name)
	if len(c.blocks[b]) > blockNames {
		c.split(b)
	}
}

// drop removes a name, which must exist.
func (c *children) drop(name string) {
	c.n--
	c.bytes -= len(name)
	c.listed = nil
	b := c.blockOf(name)
	switch at, _ := slices.BinarySearch(c.blocks[b], name); {
	case len(c.blocks[b]) == 1:
		c.blocks = slices.Delete(c.blocks, b, b+1)
		c.lent = c.lent && b > 0
	case at == 0:
		c.blocks[b] = c.blocks[b][1:]
	default:
		c.own(b)
		c.blocks[b] = slices.Delete(c.blocks[b], at, at+1)
	}
}

// blockOf returns the index of the block that holds, or would hold, the name.
func (c *children) blockOf(name string) int {
	if len(c.blocks) == 1 {
		return 0
	}
	b, _ := slices.BinarySearchFunc(c.blocks, name, func(block []string, name string) int {
		return strings.Compare(block[len(block)-1], name)
	})
	return min(b, len(c.blocks)-1)
}

// own copies the block if it was handed out, so that it may be changed anywhere.
func (c *children) own(b int) {
	if b == 0 && c.lent {
		c.blocks[0], c.lent = slices.Clone(c.blocks[0]), false
	}
}

func (c *children) split(b int) {
	c.own(b)
	half := len(c.blocks[b]) / 2
	upper := slices.Clone(c.blocks[b][half:])
	clear(c.blocks[b][half:])
	c.blocks[b] = c.blocks[b][:half]
	c.blocks = slices.Insert(c.blocks, b+1, upper)
}
