package txnlog

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/golang/snappy"
)

// The header of snappy-java's SnappyOutputStream: a magic, then two versions of four bytes each, its own and the
// oldest compatible one. Blocks follow: a length in four bytes, and up to 32 KB compressed with Snappy.
const (
	snappyMagic  = "\x82SNAPPY\x00"
	snappyHeader = len(snappyMagic) + 4 + 4
	snappyOldest = 1
)

// maxBlock bounds a block in bytes, compressed and uncompressed.
const maxBlock = 1 << 20

// snappyReader decompresses what a SnappyOutputStream has written.
type snappyReader struct {
	in    *bufio.Reader
	block []byte // compressed; reused
	buf   []byte // decompressed; reused
	rest  []byte // the unread part of buf
}

func newSnappyReader(r io.Reader) (*snappyReader, error) {
	in := bufio.NewReader(r)
	var head [snappyHeader]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return nil, cut(err)
	}
	if string(head[:len(snappyMagic)]) != snappyMagic {
		return nil, errors.New("not a stream of snappy-java")
	}
	if oldest := binary.BigEndian.Uint32(head[snappyHeader-4:]); oldest > snappyOldest {
		return nil, fmt.Errorf("version %d of snappy-java's format is unknown; the latest known is %d", oldest, snappyOldest)
	}
	return &snappyReader{in: in}, nil
}

// Read implements io.Reader.
func (u *snappyReader) Read(b []byte) (int, error) {
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
func (u *snappyReader) next() error {
	var length [4]byte
	if _, err := io.ReadFull(u.in, length[:]); err != nil {
		return err
	}
	n := binary.BigEndian.Uint32(length[:])
	if n > maxBlock {
		return fmt.Errorf("decompress a Snappy block: %w", lengthError(n))
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
		u.buf, err = snappy.Decode(u.buf[:cap(u.buf)], u.block)
	}
	if err != nil {
		return fmt.Errorf("decompress a Snappy block: %w", err)
	}
	u.rest = u.buf
	return nil
}
