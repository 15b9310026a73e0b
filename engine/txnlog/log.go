// Package txnlog reads what an Apache ZooKeeper keeps on its disk, the folder version-2 of its dataDir and of its
// dataLogDir: transaction logs and snapshots.
//
// It reads from front to back and keeps nothing, so files may have any size; and it trusts nothing, so they may have
// any content. What transactions lead to is not its matter.
package txnlog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/adler32"
	"io"

	"github.com/zkviz/zkviz/engine/wire"
)

// What files begin with, and the version of their form.
const (
	logMagic      = "ZKLG"
	snapshotMagic = "ZKSN"
	formVersion   = 2
	headerBytes   = 4 + 4 + 8
)

// ErrNotLog is a file that is no transaction log.
var ErrNotLog = errors.New(`it is no transaction log of ZooKeeper, which begins with "ZKLG" and version 2`)

// endOfRecord stands behind each transaction.
const endOfRecord = 'B'

// TornError is a part of a log that can't be read, as a crash leaves it, or a fault of the disk: what comes before it
// is
// good.
type TornError struct {
	Offset int64 // of what can't be read, in bytes from the file's beginning
	Until  int64 // where the next whole transaction begins; 0 if none comes after it
	Why    string
}

func (e *TornError) Error() string {
	if e.Until > 0 {
		return fmt.Sprintf("the log is damaged from byte %d to byte %d: %s", e.Offset, e.Until, e.Why)
	}
	return fmt.Sprintf("the log is torn at byte %d: %s", e.Offset, e.Why)
}

// Reader reads the transactions of a log in their order.
type Reader struct {
	DBID int64 // the database's id, which is 0 unless somebody has set it

	from    io.Reader
	in      *stream
	offset  int64
	last    int64 // the zxid of the last whole transaction
	badHead bool  // the beginning is no log's
	err     error
}

// NewReader reads the beginning of a log. It returns ErrNotLog if r is none. Behind what is damaged it goes on only if
// r
// is an io.Seeker, too, whose start is the log's.
func NewReader(r io.Reader) (*Reader, error) {
	in := newStream(r)
	head := in.take(headerBytes)
	if head == nil || string(head[:4]) != logMagic || binary.BigEndian.Uint32(head[4:]) != formVersion {
		if in.err != nil && !errors.Is(in.err, io.ErrUnexpectedEOF) {
			return nil, in.err
		}
		return nil, ErrNotLog
	}
	return &Reader{DBID: int64(binary.BigEndian.Uint64(head[8:])), from: r, in: in, offset: headerBytes}, nil
}

// Salvage reads the whole transactions of a file that was a log, though its beginning is none. r stands at its start.
func Salvage(r io.Reader) *Reader { return &Reader{from: r, in: newStream(r), badHead: true} }

// Resume reads from a transaction on, whose Offset is known; r begins there.
func Resume(r io.Reader, offset int64) *Reader {
	return &Reader{from: r, in: newStream(r), offset: offset}
}

// Since tells the zxid of the last transaction before the one that a resumed Reader begins with: what is found behind
// damage has a greater one.
func (r *Reader) Since(zxid int64) { r.last = zxid }

// Offset returns where the next transaction begins, in bytes from the beginning of the file.
func (r *Reader) Offset() int64 { return r.offset }

// Next reads a transaction into t, as wire.DecodeTxn does. It returns io.EOF at the log's end, where the rest of the
// file is zeros, and a *TornError where something can't be read. If that has an Until, Next goes on there.
func (r *Reader) Next(t *wire.Txn) error {
	if r.err != nil {
		return r.err
	}
	err := r.next(t)
	if err == nil { // most often: what follows takes room
		return nil
	}
	var torn *TornError
	if errors.As(err, &torn) {
		r.badHead = false
		if again := r.resync(torn); again != nil {
			err = again
		} else if torn.Until > 0 {
			return err
		}
	}
	r.err = err
	return err
}

func (r *Reader) next(t *wire.Txn) error {
	if r.badHead {
		return r.torn(r.head())
	}
	sum, err := r.in.atEnd()
	if err != nil {
		return r.ended(err)
	}
	size := r.in.int()
	if size == 0 && r.in.err == nil {
		if sum != 0 {
			return r.torn("a checksum, and no transaction")
		}
		if more, err := r.in.zeros(); err != nil || !more {
			return r.ended(err)
		}
		return r.torn("zeros stand where a transaction should")
	}
	body := r.in.take(int(size))
	if r.in.err != nil {
		return r.broken()
	}
	if end, err := r.in.in.Peek(1); err != nil { // t stays as it is unless all is there
		r.in.err = cut(err)
		return r.broken()
	} else if end[0] != endOfRecord {
		return r.torn("a transaction has no end")
	}
	if got := adler32.Checksum(body); int64(got) != sum {
		return r.torn(fmt.Sprintf("the checksum of a transaction is %#x, not %#x", got, sum))
	}
	if err := wire.DecodeTxn(body, t); err != nil {
		return r.torn(err.Error())
	}
	_, _ = r.in.in.Discard(1) // which is there
	r.offset += 8 + 4 + int64(size) + 1
	r.last = t.Zxid
	return nil
}

// ended is what the end of what is read means: the log's, or that nothing more can be unpacked.
func (r *Reader) ended(err error) error {
	var packed *packedError
	switch {
	case err == nil:
		return io.EOF
	case errors.As(err, &packed):
		return r.torn(packed.Error())
	}
	return err
}

// broken is what the stream's error means for the log: its end, or that of the disk.
func (r *Reader) broken() error {
	var length lengthError
	switch {
	case errors.Is(r.in.err, io.ErrUnexpectedEOF):
		return r.torn("the file ends in a transaction")
	case errors.As(r.in.err, &length):
		return r.torn(length.Error())
	}
	return r.ended(r.in.err)
}

func (r *Reader) torn(why string) error { return &TornError{Offset: r.offset, Why: why} }

// head says what is wrong with the beginning of what isn't a log.
func (r *Reader) head() string {
	b, err := r.in.in.Peek(headerBytes)
	var packed *packedError
	switch {
	case errors.As(err, &packed):
		return packed.Error()
	case len(b) == 0:
		return "the file is empty"
	case len(b) < headerBytes:
		return fmt.Sprintf("the file ends after %d bytes, in its header", len(b))
	case len(bytes.Trim(b, "\x00")) == 0:
		return "the file begins with zeros: room was taken, and no header written"
	}
	return "the file doesn't begin with a log's header"
}
