//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package embed

import (
	"errors"
	"os"
	"syscall"
)

// hold reports false if another process holds the file. This one does from then on, until it closes it or ends, in
// whatever way. A file system without locks keeps nobody off; what is left then is dataFile.check.
func hold(f *os.File) bool {
	return !errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}
