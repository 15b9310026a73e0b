// Package zlib stands in for compress/zlib in the page's program, as static/pack builds it. Ebiten's PNG files, of its
// images if an environment variable asks for them, need it, and pages have no such variables. This package refuses.
package zlib

import (
	"errors"
	"io"
)

// The levels that Ebiten knows.
const (
	NoCompression      = 0
	BestSpeed          = 1
	BestCompression    = 9
	DefaultCompression = -1
)

// Writer writes nothing.
type Writer struct{}

// NewWriterLevel refuses.
func NewWriterLevel(io.Writer, int) (*Writer, error) { return nil, errors.ErrUnsupported }

// Write refuses.
func (*Writer) Write([]byte) (int, error) { return 0, errors.ErrUnsupported }

// Reset does nothing.
func (*Writer) Reset(io.Writer) {}

// Close does nothing.
func (*Writer) Close() error { return nil }

// NewReader refuses.
func NewReader(io.Reader) (io.ReadCloser, error) { return nil, errors.ErrUnsupported }
