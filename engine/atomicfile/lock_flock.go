//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package atomicfile

import (
	"os"
	"syscall"
)

// Lock takes the file until it is closed or the process ends, in whatever way. It returns ErrLocked if somebody else
// has it, and another error where the file system has no locks.
func Lock(file *os.File) error {
	for {
		err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		switch err {
		case syscall.EINTR:
			continue
		case syscall.EWOULDBLOCK:
			return ErrLocked
		}
		return err
	}
}

// openLeftover opens what may be a file that a killed save has left. It follows no link and waits for nobody at the
// other end of a pipe.
func openLeftover(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
}

// rename gives the file its final name while it is locked, so that nobody takes it for a leftover meanwhile.
func rename(file *os.File, path string) error {
	if err := os.Rename(file.Name(), path); err != nil {
		return err
	}
	return file.Close()
}
