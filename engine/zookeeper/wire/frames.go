package wire

import (
	"encoding/binary"
	"fmt"
	"io"
)

// FrameReader reads frames from a stream. Its only buffer never exceeds twice the data that has arrived, whatever
// length a frame claims. After a long frame, it is released.
type FrameReader struct {
	r     io.Reader
	limit int
	buf   []byte // buf[at:end] has arrived but is not consumed
	at    int
	end   int
	err   error // the stream's error, if any

	kept  int  // the longest buffer that is not released
	room  Room // nil for unlimited room
	taken int  // bytes taken from room
}

const (
	firstBuffer = 4 << 10  // bytes
	keptBuffer  = 64 << 10 // bytes
	// sharedBuffer is the buffer size that a reader with a Room may use without asking, in bytes.
	sharedBuffer = 16 << 10
)

// Room limits the memory that several readers use for long frames.
type Room interface {
	// Take waits for room for that many more bytes. An error ends the reader.
	Take(bytes int) error
	// Give returns everything that was taken.
	Give()
}

// NewFrameReader returns a reader for frames of up to limit bytes, not counting the length field.
func NewFrameReader(r io.Reader, limit int) *FrameReader {
	return &FrameReader{r: r, limit: limit, kept: keptBuffer}
}

// Within makes the reader ask for room before it reads a frame of more than 16 KiB.
func (f *FrameReader) Within(room Room) *FrameReader {
	f.room, f.kept = room, sharedBuffer
	return f
}

// Next returns the next frame's payload, which is valid until the next call of any method except Ready. The error is
// io.EOF between frames, io.ErrUnexpectedEOF within one, or the stream's error. It wraps ErrFrame if the length is
// negative or above the limit.
func (f *FrameReader) Next() ([]byte, error) {
	if err := f.fill(4); err != nil {
		return nil, err
	}
	n := int(int32(binary.BigEndian.Uint32(f.buf[f.at:])))
	if n < 0 || n > f.limit {
		return nil, fmt.Errorf("%w: its length is %d, which must be between 0 and %d", ErrFrame, n, f.limit)
	}
	if err := f.fill(4 + n); err != nil {
		return nil, err
	}
	frame := f.buf[f.at+4 : f.at+4+n : f.at+4+n]
	f.at += 4 + n
	return frame, nil
}

// Peek returns the next n bytes, including lengths, without consuming them. It serves the four-letter words.
func (f *FrameReader) Peek(n int) ([]byte, error) {
	if err := f.fill(n); err != nil {
		return nil, err
	}
	return f.buf[f.at : f.at+n], nil
}

// Ready reports whether Next would return without waiting: a whole frame or an invalid length is there.
func (f *FrameReader) Ready() bool {
	have := f.end - f.at
	if have < 4 {
		return false
	}
	n := int(int32(binary.BigEndian.Uint32(f.buf[f.at:])))
	return n < 0 || n > f.limit || have >= 4+n
}

// fill reads until n bytes are in the buffer.
func (f *FrameReader) fill(n int) error {
	if f.end-f.at >= n {
		return nil
	}
	f.settle()
	if err := f.ask(n); err != nil {
		return err
	}
	for f.end < n {
		if f.err != nil {
			return f.ended()
		}
		if f.end == len(f.buf) {
			f.grow(n)
		}
		var got int
		got, f.err = f.r.Read(f.buf[f.end:])
		f.end += got
	}
	return nil
}

// settle moves the rest of the buffer to the front, and releases a long buffer.
func (f *FrameReader) settle() {
	rest := f.buf[f.at:f.end]
	little := firstBuffer - 1
	if f.room != nil {
		little = f.kept
	}
	if len(f.buf) > f.kept && len(rest) <= little {
		f.buf = make([]byte, max(firstBuffer, len(rest)))
		if f.taken > 0 {
			f.room.Give()
			f.taken = 0
		}
	}
	f.at, f.end = 0, copy(f.buf, rest)
}

// ask takes room for a buffer of n bytes.
func (f *FrameReader) ask(n int) error {
	if f.room == nil || n <= f.kept || n <= f.taken {
		return nil
	}
	if err := f.room.Take(n - f.taken); err != nil {
		f.err = err
		return err
	}
	f.taken = n
	return nil
}

// grow enlarges the buffer for a frame that ends at n. With a Room, it never exceeds what was taken.
func (f *FrameReader) grow(n int) {
	size := max(firstBuffer, 2*len(f.buf))
	if f.room != nil && size > f.kept {
		size = min(size, max(n, f.kept))
	}
	buf := make([]byte, size)
	copy(buf, f.buf[:f.end])
	f.buf = buf
}

func (f *FrameReader) ended() error {
	if f.err == io.EOF && f.end > 0 {
		return io.ErrUnexpectedEOF
	}
	return f.err
}
