//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package atomicfile

import (
	"errors"
	"os"
)

// Lock returns errors.ErrUnsupported because this system has no flock.
func Lock(*os.File) error { return errors.ErrUnsupported }

// openLeftover finds nothing because this system can't tell a leftover from a running save.
func openLeftover(string) (*os.File, error) { return nil, errors.ErrUnsupported }

// rename closes the file first because some systems can't rename an open file.
func rename(file *os.File, path string) error {
	if err := file.Close(); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}
