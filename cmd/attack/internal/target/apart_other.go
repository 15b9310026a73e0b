//go:build !unix

package target

import "syscall"

func apart() *syscall.SysProcAttr { return nil }
