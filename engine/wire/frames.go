package wire

import "io"

// FrameReader takes frames from a stream. It keeps one buffer, which never grows beyond twice of what has
// arrived, whatever length a frame claims.
type FrameReader struct{ r io.Reader }

// NewFrameReader reads from r frames of up to limit bytes, length not included.
func NewFrameReader(r io.Reader, limit int) *FrameReader { return &FrameReader{r} }

// Next is the next frame's payload, which stays as it is until the following call of any method. The error is io.EOF at the
// end between frames, io.ErrUnexpectedEOF within one, what the stream returned, or wraps ErrFrame for a
// length that is negative or above the limit.
func (f *FrameReader) Next() ([]byte, error) { panic("to come") }

// Peek is the next n bytes, lengths included, without taking them: for the four-letter words. n is at most 16.
func (f *FrameReader) Peek(n int) ([]byte, error) { panic("to come") }

// Ready reports whether Next has a whole frame and would not have to wait.
func (f *FrameReader) Ready() bool { panic("to come") }
