//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package atomicfile

import (
	"os"
	"syscall"
)

// Lock locks the file until it is closed or the process ends in any way. It returns ErrLocked if another process holds
// it, and another error if the file system has no locks.
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

// openLeftover opens a possible leftover of a killed save. It follows no link, and doesn't wait for the other end of a
// pipe.
func openLeftover(name string) (*os.File, error) {
	return os.OpenFile(name, os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
}

// rename gives the file its final name while it is locked, so that nobody takes it for a leftover.
func rename(file *os.File, path string) error {
	if err := os.Rename(file.Name(), path); err != nil {
		return err
	}
	return file.Close()
}
