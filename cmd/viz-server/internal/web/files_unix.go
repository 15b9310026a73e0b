//go:build unix

package web

import (
	"math"
	"syscall"
)

// filesLimit is how many files the process may have open, connections included; 0 if that is not known.
func filesLimit() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return int(min(uint64(limit.Cur), math.MaxInt32))
}
