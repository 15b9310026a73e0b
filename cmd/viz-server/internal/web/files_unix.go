//go:build unix

package web

import (
	"math"
	"syscall"
)

// filesLimit returns the maximum number of open files, including connections; 0 if it is unknown.
func filesLimit() int {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return int(min(uint64(limit.Cur), math.MaxInt32))
}
