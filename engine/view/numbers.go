package view

import "strconv"

// numbers are those that were given out: the greatest, and which of the 64 up to it. What is further behind is not
// known to have been given before.
type numbers struct {
	any   bool
	top   int64
	given uint64 // bit i stands for top-i
}

// give notes that a number was given out, and reports whether it was before. What is no number is never the same.
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
