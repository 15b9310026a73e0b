package main

import (
	"os"
	"runtime"
	"syscall"
)

const lowest = 19 // the nice value of the lowest priority

// yield takes the lowest priority. The system gives it to one thread, so the program is begun anew on that.
func yield() error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if now, err := syscall.Getpriority(syscall.PRIO_PROCESS, 0); err != nil || 20-now == lowest {
		return err
	}
	if err := syscall.Setpriority(syscall.PRIO_PROCESS, 0, lowest); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	return syscall.Exec(self, os.Args, os.Environ())
}

// group is a process group of its own, so that whatever a process started can be ended with it.
func group() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func killGroup(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGKILL) }

// supported says why this system will not do, if it will not.
func supported() error { return nil }
