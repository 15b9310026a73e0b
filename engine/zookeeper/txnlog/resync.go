package txnlog

import (
	"bufio"
	"encoding/binary"
	"errors"
	"hash/adler32"
	"io"

	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

const (
	frameHead = 8 + 4               // a checksum and a length
	txnHead   = 8 + 4 + 8 + 8 + 4   // of a transaction, up to its operation
	maxTried  = 16 * MaxRecord      // bytes that looked like transactions before the search gives up
	guess     = frameHead + txnHead // enough to decide whether to try
	zxidAt    = frameHead + 8 + 4   // in a frame
	opAt      = frameHead + 8 + 4 + 16
)

// resync finds the next intact transaction after damage and makes the Reader continue there. It returns a disk error.
func (r *Reader) resync(torn *TornError) error {
	file, ok := r.from.(io.ReadSeeker)
	if !ok {
		return nil
	}
	s := &search{file: file, last: r.last}
	at, err := s.find(torn.Offset)
	var damaged *gzipError
	if errors.As(err, &damaged) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	if err != nil || at < 0 {
		return err
	}
	torn.Until, r.offset = at, at
	if _, err := file.Seek(at, io.SeekStart); err != nil {
		return err
	}
	r.in = newStream(file)
	return nil
}

// search looks for intact transactions in a log.
type search struct {
	file  io.ReadSeeker
	last  int64 // found transactions must have a greater zxid
	tried int64
	body  []byte
}

// find returns the offset of the first intact transaction after the damaged one, or -1. It trusts the damaged one's
// length if exactly one transaction is then missing, because its data may look like other transactions.
func (s *search) find(damaged int64) (int64, error) {
	var head [frameHead]byte
	if err := s.read(damaged, head[:]); err == nil {
		size := int64(int32(binary.BigEndian.Uint32(head[8:])))
		if after := damaged + frameHead + size + 1; size > 0 && size <= MaxRecord {
			if zxid, err := s.intact(after); err == nil && zxid == s.last+2 {
				return after, nil
			}
		}
	}
	return s.scan(damaged + 1)
}

// scan tries every byte from an offset on.
func (s *search) scan(at int64) (int64, error) {
	in, err := s.from(at)
	if err != nil {
		return -1, err
	}
	for {
		b, err := in.Peek(guess)
		if err == io.EOF {
			return -1, nil
		}
		if err != nil {
			return -1, err
		}
		if !s.plausible(b) {
			n := skip(b)
			_, _ = in.Discard(n) // cannot fail: it is buffered
			at += int64(n)
			continue
		}
		if s.tried > maxTried {
			return -1, nil
		}
		if zxid, err := s.intact(at); err == nil && zxid > s.last {
			return at, nil
		}
		at++
		if in, err = s.from(at); err != nil {
			return -1, err
		}
	}
}

// skip returns how many bytes cannot begin a transaction: a run of zeros contains no length.
func skip(b []byte) int {
	for i := range b {
		if b[i] != 0 {
			return max(1, i-frameHead+1)
		}
	}
	return len(b) - frameHead
}

// plausible reports whether a transaction might begin with these bytes.
func (s *search) plausible(b []byte) bool {
	if binary.BigEndian.Uint32(b) != 0 { // a checksum has 32 bits
		return false
	}
	size := int32(binary.BigEndian.Uint32(b[8:]))
	if size < txnHead || size > MaxRecord || int64(binary.BigEndian.Uint64(b[zxidAt:])) <= s.last {
		return false
	}
	op := int32(binary.BigEndian.Uint32(b[opAt:]))
	return op >= minOp && op <= maxOp
}

// The range of operation numbers, with room for new ones.
const minOp, maxOp = -11, 200

// intact returns the zxid of the intact transaction at an offset, or an error.
func (s *search) intact(at int64) (zxid int64, err error) {
	var head [frameHead]byte
	if err := s.read(at, head[:]); err != nil {
		return 0, err
	}
	size := int32(binary.BigEndian.Uint32(head[8:]))
	if size < txnHead || size > MaxRecord {
		return 0, errNotIntact
	}
	in := newStream(s.file)
	in.room = s.body
	body := in.take(int(size) + 1)
	s.tried += int64(size)
	if body == nil {
		return 0, in.err
	}
	s.body = body
	var t wire.Txn
	if int64(adler32.Checksum(body[:size])) != int64(binary.BigEndian.Uint64(head[:])) || body[size] != endOfRecord ||
		wire.DecodeTxn(body[:size], &t) != nil {
		return 0, errNotIntact
	}
	return t.Zxid, nil
}

var errNotIntact = errors.New("there is no intact transaction here")

// read reads at an offset and leaves the file position after it.
func (s *search) read(at int64, b []byte) error {
	if _, err := s.file.Seek(at, io.SeekStart); err != nil {
		return err
	}
	_, err := io.ReadFull(s.file, b)
	return err
}

// from returns a reader that starts at an offset.
func (s *search) from(at int64) (*bufio.Reader, error) {
	if _, err := s.file.Seek(at, io.SeekStart); err != nil {
		return nil, err
	}
	return bufio.NewReaderSize(s.file, 1<<16), nil
}
