//go:build unix

package embed

import "syscall"

// maxFiles returns how many files the process may open, or 0 if the system doesn't tell.
func maxFiles() uint64 {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return 0
	}
	return uint64(limit.Cur) // it is signed on FreeBSD
}
