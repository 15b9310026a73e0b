package txnlog

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/zkviz/zkviz/engine/event/zoo"
)

// MaxRecord bounds in bytes what is read at once: a transaction, a znode's data, a string. By default
// (jute.maxbuffer) ZooKeeper accepts a thousandth of it.
const MaxRecord = 64 << 20

// stream reads records. After the first error it reads only zero values.
type stream struct {
	in   *bufio.Reader
	sum  hash.Hash32 // of the data read; may be nil
	room []byte
	err  error
}

// newStream returns a stream of r. It uses the buffer of a bufio.Reader, and then reads no further than asked.
func newStream(r io.Reader) *stream {
	if in, ok := r.(*bufio.Reader); ok {
		return &stream{in: in}
	}
	return &stream{in: bufio.NewReaderSize(r, 1<<16)}
}

// take reads n bytes, which are valid until the next call. Whatever n is, it takes no more memory than about twice
// the data that arrives.
func (s *stream) take(n int) []byte {
	if s.err != nil {
		return nil
	}
	if n < 0 || n > MaxRecord {
		s.err = lengthError(n)
		return nil
	}
	const step = 1 << 20
	b := s.room[:0]
	for len(b) < n {
		more := min(n-len(b), max(step, len(b)))
		if cap(b)-len(b) < more {
			b = append(make([]byte, 0, len(b)+more), b...)
		}
		got, err := io.ReadFull(s.in, b[len(b):len(b)+more])
		if b = b[:len(b)+got]; err != nil {
			s.err = cut(err)
			return nil
		}
	}
	s.room = b
	if s.sum != nil {
		_, _ = s.sum.Write(b) // a checksum never fails
	}
	return b
}

// lengthError reports an impossible length.
type lengthError int

func (e lengthError) Error() string { return fmt.Sprintf("a length of %d bytes", int(e)) }

// atEnd reads a long, or returns io.EOF at the end.
func (s *stream) atEnd() (int64, error) {
	if _, err := s.in.Peek(1); err != nil {
		return 0, err
	}
	v := s.long()
	if errors.Is(s.err, io.ErrUnexpectedEOF) {
		return 0, nil // the next read reports it
	}
	return v, s.err
}

// zeros reports whether anything except zeros comes before the end.
func (s *stream) zeros() (more bool, err error) {
	for {
		if _, err := s.in.Peek(1); err != nil {
			return false, nilAtEnd(err)
		}
		b, _ := s.in.Peek(s.in.Buffered())
		if !allZero(b) {
			return true, nil
		}
		_, _ = s.in.Discard(len(b)) // cannot fail: it is buffered
	}
}

func allZero(b []byte) bool {
	for ; len(b) >= 8; b = b[8:] {
		if binary.NativeEndian.Uint64(b) != 0 {
			return false
		}
	}
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

func nilAtEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// cut turns an end where data must follow into io.ErrUnexpectedEOF.
func cut(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

func (s *stream) int() int32 {
	if b := s.take(4); b != nil {
		return int32(binary.BigEndian.Uint32(b))
	}
	return 0
}

func (s *stream) long() int64 {
	if b := s.take(8); b != nil {
		return int64(binary.BigEndian.Uint64(b))
	}
	return 0
}

// bytes reads a buffer, which is valid until the next call; nil is null.
func (s *stream) bytes() []byte {
	if n := s.int(); s.err == nil && n != -1 {
		if n == 0 {
			return []byte{}
		}
		return s.take(int(n))
	}
	return nil
}

func (s *stream) string() string { return string(s.bytes()) }

func (s *stream) acl() []zoo.ACL {
	n := s.int()
	var list []zoo.ACL
	for i := int32(0); i < n && s.err == nil; i++ {
		list = append(list, zoo.ACL{Perms: s.int(), Scheme: s.string(), ID: s.string()})
	}
	return list
}
