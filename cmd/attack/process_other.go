//go:build !linux

package main

import (
	"errors"
	"os"
	"syscall"
)

func yield() error { return nil }

func group() *syscall.SysProcAttr { return nil }

func killGroup(p *os.Process) error { return p.Kill() }

func supported() error {
	return errors.New("it needs Linux: /proc, a limit on data that is kept, and all of 127.0.0.0/8 as addresses of this " +
		"machine")
}
