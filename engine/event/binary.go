package event

import (
	"encoding/binary"
	"errors"
	"math"
	"time"
)

// The binary form of an event starts with its kind (1 byte) and a varint that has a bit for each nonzero field, in the
// order below. The nonzero fields follow as varints; a string is its length and its bytes. The cause is stored as a
// distance because causes are close. The most common fields have the lowest bits. Each event decodes on its own. Only
// HashSink uses this form; engine/event/packed stores and sends logs in less space.
const (
	hasSeq = 1 << iota
	hasAt
	hasCause
	hasActor
	hasPeer
	hasPath
	hasN
	hasOp
	hasZxid
	hasSession
	hasText
	hasWatch
	hasType
	hasLine
	hasMode
	hasCode
	hasReason
)

var (
	errCutOff = errors.New("event: the data is cut off")
	errRange  = errors.New("event: a number is out of its range")
	errLength = errors.New("event: a string is too long")
)

// AppendBinary appends e's binary form to dst.
func AppendBinary(dst []byte, e Event) []byte {
	dst = binary.AppendUvarint(append(dst, byte(e.Kind)), e.mask())
	dst = appendNumber(dst, uint64(e.Seq))
	dst = appendNumber(dst, uint64(e.At))
	if e.Cause != 0 {
		dst = appendNumber(dst, uint64(e.Seq-e.Cause))
	}
	dst = appendNumber(dst, uint64(e.Actor))
	dst = appendNumber(dst, uint64(e.Peer))
	dst = appendBytes(dst, e.Path)
	dst = appendNumber(dst, zigzag(e.N))
	dst = appendNumber(dst, uint64(e.Op))
	dst = appendNumber(dst, zigzag(e.Zxid))
	dst = appendNumber(dst, uint64(e.Session))
	dst = appendBytes(dst, e.Text)
	dst = appendNumber(dst, uint64(e.Watch))
	dst = appendNumber(dst, uint64(e.Type))
	dst = appendNumber(dst, uint64(e.Line))
	dst = appendNumber(dst, uint64(e.Mode))
	dst = appendNumber(dst, zigzag(int64(e.Code)))
	return appendNumber(dst, uint64(e.Reason))
}

// mask returns a bit for each nonzero field.
func (e *Event) mask() uint64 {
	return has(e.Seq, hasSeq) | has(e.At, hasAt) | has(e.Cause, hasCause) | has(e.Actor, hasActor) | has(e.Peer, hasPeer) |
		has(e.Path, hasPath) | has(e.N, hasN) | has(e.Op, hasOp) | has(e.Zxid, hasZxid) | has(e.Session, hasSession) |
		has(e.Text, hasText) | has(e.Watch, hasWatch) | has(e.Type, hasType) | has(e.Line, hasLine) |
		has(e.Mode, hasMode) | has(e.Code, hasCode) | has(e.Reason, hasReason)
}

func has[T comparable](v T, bit uint64) uint64 {
	var zero T
	if v == zero {
		return 0
	}
	return bit
}

// appendNumber appends v unless it is 0.
func appendNumber(dst []byte, v uint64) []byte {
	if v == 0 {
		return dst
	}
	return binary.AppendUvarint(dst, v)
}

// appendBytes appends s unless it is empty.
func appendBytes(dst []byte, s string) []byte {
	if s == "" {
		return dst
	}
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// begin reads the kind and the mask, which precede the fields.
func begin(src []byte) (Kind, reader) {
	if len(src) < 2 {
		return 0, reader{err: errCutOff}
	}
	mask, n := uint64(src[1]), 1
	if mask >= 0x80 {
		mask, n = binary.Uvarint(src[1:])
	}
	switch {
	case n <= 0:
		return 0, reader{err: errCutOff}
	case mask >= hasReason<<1:
		return 0, reader{err: errRange}
	}
	return Kind(src[0]), reader{src: src[1+n:], mask: mask}
}

// DecodeBinary reads one event from the front of src and returns the rest. On an error it returns src.
func DecodeBinary(src []byte) (Event, []byte, error) {
	kind, r := begin(src)
	e := Event{Kind: kind}
	e.Seq = Seq(r.num(hasSeq, math.MaxUint32))
	e.At = time.Duration(r.num(hasAt, math.MaxInt64))
	if back := Seq(r.num(hasCause, uint64(e.Seq))); back != 0 {
		e.Cause = e.Seq - back
	}
	e.Actor = Actor(r.num(hasActor, lastActor))
	e.Peer = Actor(r.num(hasPeer, lastActor))
	e.Path = string(r.bytes(hasPath, MaxPath))
	e.N = unzigzag(r.num(hasN, math.MaxUint64))
	e.Op = Op(r.num(hasOp, math.MaxUint8))
	e.Zxid = unzigzag(r.num(hasZxid, math.MaxUint64))
	e.Session = int64(r.num(hasSession, math.MaxUint64))
	e.Text = string(r.bytes(hasText, MaxText))
	e.Watch = Watch(r.num(hasWatch, math.MaxUint8))
	e.Type = uint8(r.num(hasType, math.MaxUint8))
	e.Line = uint16(r.num(hasLine, math.MaxUint16))
	e.Mode = uint8(r.num(hasMode, math.MaxUint8))
	code := unzigzag(r.num(hasCode, math.MaxUint64))
	if e.Code = int32(code); int64(e.Code) != code {
		r.fail(errRange)
	}
	e.Reason = Reason(r.num(hasReason, math.MaxUint8))
	if r.err == nil {
		r.err = e.Valid()
	}
	if r.err != nil {
		return Event{}, src, r.err
	}
	return e, r.src, nil
}

// reader takes fields off src until the first error. After that, it reads only zeros.
type reader struct {
	src  []byte
	mask uint64
	err  error
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *reader) num(bit uint64, limit uint64) uint64 {
	if r.mask&bit == 0 || r.err != nil {
		return 0
	}
	v, n := binary.Uvarint(r.src)
	if n <= 0 {
		r.fail(errCutOff)
		return 0
	}
	r.src = r.src[n:]
	if v > limit {
		r.fail(errRange)
		return 0
	}
	return v
}

func (r *reader) bytes(bit uint64, limit int) []byte {
	n := r.num(bit, math.MaxInt32)
	switch {
	case r.err != nil:
		return nil
	case n > uint64(limit):
		r.fail(errLength)
		return nil
	case n > uint64(len(r.src)):
		r.fail(errCutOff)
		return nil
	}
	b := r.src[:n]
	r.src = r.src[n:]
	return b
}

func zigzag(v int64) uint64   { return uint64(v)<<1 ^ uint64(v>>63) }
func unzigzag(v uint64) int64 { return int64(v>>1) ^ -int64(v&1) }
