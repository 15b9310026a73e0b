// Package txnlog reads what an Apache ZooKeeper keeps on its disk, in the folders version-2 of its dataDir and its
// dataLogDir: transaction logs and snapshots.
//
// It reads from front to back and keeps nothing, so files may have any size. It trusts nothing, so they may have
// any content. It doesn't interpret transactions.
package txnlog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/adler32"
	"io"

	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// What files begin with, and the version of their format.
const (
	logMagic      = "ZKLG"
	snapshotMagic = "ZKSN"
	formatVersion = 2
	headerBytes   = 4 + 4 + 8
)

// ErrNotLog reports a file that is not a transaction log.
var ErrNotLog = errors.New(`not a transaction log of ZooKeeper: one begins with "ZKLG" and version 2`)

// endOfRecord follows each transaction.
const endOfRecord = 'B'

// TornError reports an unreadable part of a log, after a crash or a disk error. Everything before it is good.
type TornError struct {
	Offset int64 // of the unreadable part, in bytes from the file's beginning
	Until  int64 // where the next intact transaction begins; 0 if there is none
	Why    string
}

func (e *TornError) Error() string {
	if e.Until > 0 {
		return fmt.Sprintf("the log is damaged from byte %d to byte %d: %s", e.Offset, e.Until, e.Why)
	}
	return fmt.Sprintf("the log is torn at byte %d: %s", e.Offset, e.Why)
}

// Reader reads the transactions of a log in order.
type Reader struct {
	DBID int64 // the database's id, usually 0

	from    io.Reader
	in      *stream
	offset  int64
	last    int64 // the zxid of the last intact transaction
	badHead bool  // the header is not a log's
	err     error
}

// NewReader reads the header of a log. It returns ErrNotLog if r is none. The Reader continues after damage only if
// r is also an io.Seeker that starts at the log's beginning.
func NewReader(r io.Reader) (*Reader, error) {
	in := newStream(r)
	head := in.take(headerBytes)
	if head == nil || string(head[:4]) != logMagic || binary.BigEndian.Uint32(head[4:]) != formatVersion {
		if in.err != nil && !errors.Is(in.err, io.ErrUnexpectedEOF) {
			return nil, in.err
		}
		return nil, ErrNotLog
	}
	return &Reader{DBID: int64(binary.BigEndian.Uint64(head[8:])), from: r, in: in, offset: headerBytes}, nil
}

// Salvage reads the intact transactions of a log whose header is damaged. r is at its start.
func Salvage(r io.Reader) *Reader { return &Reader{from: r, in: newStream(r), badHead: true} }

// Resume reads from a transaction with a known Offset. r begins there.
func Resume(r io.Reader, offset int64) *Reader {
	return &Reader{from: r, in: newStream(r), offset: offset}
}

// Since sets the zxid of the last transaction before the start of a resumed Reader. Transactions found after damage
// must have a greater one.
func (r *Reader) Since(zxid int64) { r.last = zxid }

// Offset returns where the next transaction begins, in bytes from the beginning of the file.
func (r *Reader) Offset() int64 { return r.offset }

// Next reads a transaction into t, as wire.DecodeTxn does. It returns io.EOF at the log's end, from where the file
// has only zeros, and a *TornError at an unreadable part. If that has an Until, Next continues there.
func (r *Reader) Next(t *wire.Txn) error {
	if r.err != nil {
		return r.err
	}
	err := r.next(t)
	if err == nil { // the usual case; the rest allocates
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
	if end, err := r.in.in.Peek(1); err != nil { // t stays unchanged unless the record is complete
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
	_, _ = r.in.in.Discard(1) // cannot fail: it is buffered
	r.offset += 8 + 4 + int64(size) + 1
	r.last = t.Zxid
	return nil
}

// ended returns what the end of the data means: the log's end, or that the rest can't be unpacked.
func (r *Reader) ended(err error) error {
	var damaged *gzipError
	switch {
	case err == nil:
		return io.EOF
	case errors.As(err, &damaged):
		return r.torn(damaged.Error())
	}
	return err
}

// broken converts the stream's error: a torn log, its end, or a disk error.
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

// head says what is wrong with a damaged header.
func (r *Reader) head() string {
	b, err := r.in.in.Peek(headerBytes)
	var damaged *gzipError
	switch {
	case errors.As(err, &damaged):
		return damaged.Error()
	case len(b) == 0:
		return "the file is empty"
	case len(b) < headerBytes:
		return fmt.Sprintf("the file ends after %d bytes, in its header", len(b))
	case len(bytes.Trim(b, "\x00")) == 0:
		return "the file begins with zeros: room was taken, and no header written"
	}
	return "the file doesn't begin with a log's header"
}
