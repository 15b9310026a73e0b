package wire

import (
	"encoding/binary"
	"fmt"
	"io"
)

// FrameReader takes frames from a stream. It keeps one buffer, which never grows beyond twice of what has
// arrived, whatever length a frame claims, and which is given back after a long frame.
type FrameReader struct {
	r     io.Reader
	limit int
	buf   []byte // what has arrived is buf[at:end]
	at    int
	end   int
	err   error // of the stream, once there is one

	kept  int  // the longest buffer that is not given back
	room  Room // nil: there is enough
	taken int  // bytes of it
}

const (
	firstBuffer = 4 << 10  // bytes
	keptBuffer  = 64 << 10 // bytes
	// sharedBuffer is what each of the readers that share a Room may have without asking, in bytes.
	sharedBuffer = 16 << 10
)

// Room is what several readers share for their long frames.
type Room interface {
	// Take waits for room for so many bytes more. With an error the reader is at its end.
	Take(bytes int) error
	// Give gives all of it back.
	Give()
}

// NewFrameReader reads from r frames of up to limit bytes, length not included.
func NewFrameReader(r io.Reader, limit int) *FrameReader {
	return &FrameReader{r: r, limit: limit, kept: keptBuffer}
}

// Within has the reader ask for room before it reads a frame of more than 16 KiB.
func (f *FrameReader) Within(room Room) *FrameReader {
	f.room, f.kept = room, sharedBuffer
	return f
}

// Next is the next frame's payload, which stays as it is until the following call of any method but Ready.
// The error is io.EOF at the end between frames, io.ErrUnexpectedEOF within one, what the stream returned, or
// wraps ErrFrame for a length that is negative or above the limit.
func (f *FrameReader) Next() ([]byte, error) {
	if err := f.fill(4); err != nil {
		return nil, err
	}
	n := int(int32(binary.BigEndian.Uint32(f.buf[f.at:])))
	if n < 0 || n > f.limit {
		return nil, fmt.Errorf("%w: its length is %d, and 0 to %d is allowed", ErrFrame, n, f.limit)
	}
	if err := f.fill(4 + n); err != nil {
		return nil, err
	}
	frame := f.buf[f.at+4 : f.at+4+n : f.at+4+n]
	f.at += 4 + n
	return frame, nil
}

// Peek is the next n bytes, lengths included, without taking them: for the four-letter words.
func (f *FrameReader) Peek(n int) ([]byte, error) {
	if err := f.fill(n); err != nil {
		return nil, err
	}
	return f.buf[f.at : f.at+n], nil
}

// Ready reports whether Next would not have to wait for more: it has a whole frame, or a bad length.
func (f *FrameReader) Ready() bool {
	have := f.end - f.at
	if have < 4 {
		return false
	}
	n := int(int32(binary.BigEndian.Uint32(f.buf[f.at:])))
	return n < 0 || n > f.limit || have >= 4+n
}

// fill sees to it that n bytes are there.
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

// settle moves what is left of the buffer to its front.
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

// ask sees to it that there may be a buffer for n bytes.
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

// grow makes room for more of a frame that ends at n. With a Room the buffer is no longer than what was taken of it.
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
