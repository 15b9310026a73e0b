//go:build unix

package target

import "syscall"

// apart is a process group of its own.
func apart() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
