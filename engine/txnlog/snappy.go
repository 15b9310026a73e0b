package txnlog

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/golang/snappy"
)

// What snappy-java's SnappyOutputStream begins with, before two versions of four bytes: its own, and the oldest program
// that can read it. Behind that are blocks, each its length in four bytes and what Snappy makes of up to 32 KB.
const (
	snappyMagic  = "\x82SNAPPY\x00"
	snappyHeader = len(snappyMagic) + 4 + 4
	snappyOldest = 1
)

// maxBlock bounds a block in bytes, before and after.
const maxBlock = 1 << 20

// unsnappied reads what is in a stream of SnappyOutputStream's.
type unsnappied struct {
	in    *bufio.Reader
	block []byte // as it came; used again
	room  []byte // what is in it; used again
	rest  []byte // of that
}

func newUnsnappied(r io.Reader) (*unsnappied, error) {
	in := bufio.NewReader(r)
	var head [snappyHeader]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return nil, cut(err)
	}
	if string(head[:len(snappyMagic)]) != snappyMagic {
		return nil, errors.New("it doesn't begin as snappy-java's streams do")
	}
	if oldest := binary.BigEndian.Uint32(head[snappyHeader-4:]); oldest > snappyOldest {
		return nil, fmt.Errorf("it is of version %d of snappy-java's streams, and up to %d are known", oldest, snappyOldest)
	}
	return &unsnappied{in: in}, nil
}

// Read implements io.Reader.
func (u *unsnappied) Read(b []byte) (int, error) {
	for len(u.rest) == 0 {
		if err := u.next(); err != nil {
			return 0, err
		}
	}
	n := copy(b, u.rest)
	u.rest = u.rest[n:]
	return n, nil
}

// next reads a block.
func (u *unsnappied) next() error {
	var length [4]byte
	if _, err := io.ReadFull(u.in, length[:]); err != nil {
		return err
	}
	n := binary.BigEndian.Uint32(length[:])
	if n > maxBlock {
		return fmt.Errorf("a block of Snappy: %w", lengthError(n))
	}
	if cap(u.block) < int(n) {
		u.block = make([]byte, n)
	}
	u.block = u.block[:n]
	if _, err := io.ReadFull(u.in, u.block); err != nil {
		return cut(err)
	}
	size, err := snappy.DecodedLen(u.block)
	if err == nil && size > maxBlock {
		err = lengthError(size)
	}
	if err == nil {
		u.room, err = snappy.Decode(u.room[:cap(u.room)], u.block)
	}
	if err != nil {
		return fmt.Errorf("a block of Snappy: %w", err)
	}
	u.rest = u.room
	return nil
}
