package znode

import (
	"math"
	"strconv"
)

// The counter of a parent's children is a signed 32-bit number, and at its end ZooKeeper 3.8.0 trips: the
// next number is negative and so less than the one that is stored, and what is less is not stored. The parent
// keeps the last number, and its pzxid, for good, and a sequential create finds its name taken. Only the
// later parts of a multi go on counting, from where the parts before them have got to.

// counter is how many children the parent has had, as the transaction under way sees it.
func (a *applier) counter(parent *node) int32 {
	if parent.creates == math.MaxInt32 {
		if n, ok := a.beyond[parent]; ok {
			return n
		}
	}
	return parent.creates
}

// count takes a new child into account.
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

// numbered is the path with the ten digits of a number behind it. The sign of a negative one is among the ten.
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
