package znode

import (
	"math"
	"strconv"
)

// The counter of a parent's children is a signed 32-bit number, and ZooKeeper 3.8.0 fails at its end. The next number
// is negative, and ZooKeeper stores no number that is less than the stored one. So the parent keeps its last number,
// and its pzxid, for good, and a sequential create finds its name taken. Only later parts of the same multi count on
// from the earlier parts.

// counter returns the number of children that the parent has had, as seen by the current transaction.
func (a *applier) counter(parent *node) int32 {
	if parent.creates == math.MaxInt32 {
		if n, ok := a.beyond[parent]; ok {
			return n
		}
	}
	return parent.creates
}

// count counts a new child.
func (a *applier) count(parent *node) {
	n := a.counter(parent) + 1
	if n > parent.creates {
		parent.creates, parent.stat.Pzxid = n, a.zxid
		return
	}
	if a.beyond == nil {
		a.beyond = make(map[*node]int32)
	}
	a.beyond[parent] = n
}

// CountFrom makes the parent at path number its next child n, unless it has had more children.
func (t *Tree) CountFrom(path string, n int32) {
	parent := t.nodes[path]
	parent.creates = max(parent.creates, n)
}

// numbered appends ten digits of a number to the path. A minus sign takes the place of one digit.
func numbered(path string, n int32) string {
	var room [128]byte
	b := append(room[:0], path...)
	if n < 0 {
		b = append(b, '-')
	}
	digits := strconv.AppendUint(nil, uint64(max(int64(n), -int64(n))), 10)
	for range len(path) + 10 - len(b) - len(digits) {
		b = append(b, '0')
	}
	return string(append(b, digits...))
}
