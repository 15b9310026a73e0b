package event

import "encoding/binary"

// The binary form of an event starts with its kind (1 byte) and a varint that has a bit for each nonzero field, in the
// order below. The nonzero fields follow as varints; a string is its length and its bytes. The cause is stored as a
// distance because causes are close. The most common fields have the lowest bits. No event's form is the
// beginning of another's. Only HashSink uses this form; engine/event/packed stores and sends logs in less space.
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

func zigzag(v int64) uint64 { return uint64(v)<<1 ^ uint64(v>>63) }
