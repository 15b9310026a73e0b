//go:build unix

package embed

import "syscall"

// maxFiles is how many files the process may have open, 0 if the system does not tell.
func maxFiles() uint64 {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return 0
	}
	return uint64(limit.Cur) // it is signed on FreeBSD
}
