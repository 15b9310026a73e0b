// Package zip stands in for archive/zip in the page's program, as static/pack builds it. Ebiten can put its images into
// an archive if an environment variable asks for it, which pages haven't. This package refuses that.
package zip

import (
	"errors"
	"io"
)

// Writer writes nothing.
type Writer struct{}

// NewWriter returns a Writer.
func NewWriter(io.Writer) *Writer { return &Writer{} }

// Create refuses.
func (*Writer) Create(string) (io.Writer, error) { return nil, errors.ErrUnsupported }

// Close does nothing.
func (*Writer) Close() error { return nil }
