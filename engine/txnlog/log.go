// Package txnlog reads what an Apache ZooKeeper keeps on its disk, the folder version-2 of its dataDir and of its
// dataLogDir: transaction logs and snapshots.
//
// It reads from front to back and keeps nothing, so files may have any size; and it trusts nothing, so they may have
// any content. What transactions lead to is not its matter.
package txnlog

import (
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

// TornError is a log whose end cannot be read, as a crash leaves it, or a fault of the disk: what comes before it is
// good.
type TornError struct {
	Offset int64 // of what can't be read, in bytes from the file's beginning
	Why    string
}

func (e *TornError) Error() string {
	return fmt.Sprintf("the log is torn at byte %d: %s", e.Offset, e.Why)
}

// Reader reads the transactions of a log in their order.
type Reader struct {
	DBID int64 // the database's id, which is 0 unless somebody has set it

	in     *stream
	offset int64
	err    error
}

// NewReader reads the beginning of a log. It returns ErrNotLog if r is none.
func NewReader(r io.Reader) (*Reader, error) {
	in := newStream(r)
	head := in.take(headerBytes)
	if head == nil || string(head[:4]) != logMagic || binary.BigEndian.Uint32(head[4:]) != formVersion {
		if in.err != nil && !errors.Is(in.err, io.ErrUnexpectedEOF) {
			return nil, in.err
		}
		return nil, ErrNotLog
	}
	return &Reader{DBID: int64(binary.BigEndian.Uint64(head[8:])), in: in, offset: headerBytes}, nil
}

// Resume reads from a transaction on, whose Offset is known; r begins there.
func Resume(r io.Reader, offset int64) *Reader { return &Reader{in: newStream(r), offset: offset} }

// Offset returns where the next transaction begins, in bytes from the beginning of the file.
func (r *Reader) Offset() int64 { return r.offset }

// Next reads a transaction into t, as wire.DecodeTxn does. It returns io.EOF at the log's end, where the rest of the
// file is zeros, and a *TornError where it ends in the middle of a transaction or in something else.
func (r *Reader) Next(t *wire.Txn) error {
	if r.err == nil {
		r.err = r.next(t)
	}
	return r.err
}

func (r *Reader) next(t *wire.Txn) error {
	sum, err := r.in.atEnd()
	if err != nil {
		return err
	}
	size := r.in.int()
	if size == 0 && r.in.err == nil {
		if sum != 0 {
			return r.torn("a checksum, and no transaction")
		}
		return io.EOF
	}
	body := r.in.take(int(size))
	if r.in.err != nil {
		return r.broken()
	}
	if got := adler32.Checksum(body); int64(got) != sum {
		return r.torn(fmt.Sprintf("the checksum of a transaction is %#x, not %#x", got, sum))
	}
	if err := wire.DecodeTxn(body, t); err != nil {
		return r.torn(err.Error())
	}
	if end := r.in.take(1); r.in.err != nil {
		return r.broken()
	} else if end[0] != endOfRecord {
		return r.torn("a transaction has no end")
	}
	r.offset += 8 + 4 + int64(size) + 1
	return nil
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
	return r.in.err
}

func (r *Reader) torn(why string) error { return &TornError{r.offset, why} }
