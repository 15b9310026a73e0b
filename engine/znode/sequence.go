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

// sequence is the ten digits of a sequential name. The counter is signed, as ZooKeeper's is.
func sequence(n int32) string {
	digits := strconv.Itoa(int(n))
	pad := 10 - len(digits)
	switch {
	case pad <= 0:
		return digits
	case n < 0:
		return "-" + zeros[:pad] + digits[1:]
	}
	return zeros[:pad] + digits
}

const zeros = "0000000000"
