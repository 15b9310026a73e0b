package view

import "strconv"

// numbers holds the numbers that were given out: the greatest, and which of the 64 up to it. Older ones are forgotten.
type numbers struct {
	any   bool
	top   int64
	given uint64 // bit i stands for top-i
}

// give records that a number was given out, and reports whether it had been before. Other text never had.
func (n *numbers) give(text string) bool {
	v, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return false
	}
	if !n.any || v > n.top {
		gap := uint64(v) - uint64(n.top)
		if !n.any || gap > 63 {
			n.given = 0
		}
		n.any, n.top, n.given = true, v, n.given<<min(gap, 63)|1
		return false
	}
	back := uint64(n.top) - uint64(v)
	if back > 63 {
		return false
	}
	was := n.given&(1<<back) != 0
	n.given |= 1 << back
	return was
}
