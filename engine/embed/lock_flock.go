//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package embed

import (
	"errors"
	"os"
	"syscall"
)

// hold reports whether this process holds the file from then on, until it closes it or ends, in whatever way, and
// whether another one does. A file system without locks keeps nobody off; what is left then is dataFile.check.
func hold(f *os.File) (held, taken bool) {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	return err == nil, errors.Is(err, syscall.EWOULDBLOCK)
}
