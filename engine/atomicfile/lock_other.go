//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package atomicfile

import (
	"errors"
	"os"
)

// Lock cannot take a file here: it returns errors.ErrUnsupported.
func Lock(*os.File) error { return errors.ErrUnsupported }

// openLeftover finds no leftovers where a living save cannot be told from a dead one.
func openLeftover(string) (*os.File, error) { return nil, errors.ErrUnsupported }

// rename closes the file first: an open one cannot be renamed everywhere.
func rename(file *os.File, path string) error {
	if err := file.Close(); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}
