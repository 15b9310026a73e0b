package event

import (
	"encoding/binary"
	"errors"
	"math"
	"time"
)

// The binary form is: the kind (1 byte), which other fields are not zero (2 bytes, a bit each in the order
// below), then those fields as varints; a string is its length and its bytes. The cause is written as its
// distance, because causes are close. Events do not depend on each other, so a log can be cut anywhere.
const (
	hasSeq = 1 << iota
	hasAt
	hasCause
	hasActor
	hasPeer
	hasOp
	hasWatch
	hasType
	hasMode
	hasPath
	hasText
	hasZxid
	hasSession
	hasN
	hasCode
	hasLine
)

var (
	errCutOff = errors.New("event: the data is cut off")
	errRange  = errors.New("event: a number is out of its range")
	errLength = errors.New("event: a string is too long")
)

// AppendBinary adds e's binary form to dst.
func AppendBinary(dst []byte, e Event) []byte {
	at := len(dst)
	dst = append(dst, byte(e.Kind), 0, 0)
	var mask uint16
	num := func(bit uint16, v uint64) {
		if v != 0 {
			mask |= bit
			dst = binary.AppendUvarint(dst, v)
		}
	}
	str := func(bit uint16, s string) {
		if s != "" {
			mask |= bit
			dst = binary.AppendUvarint(dst, uint64(len(s)))
			dst = append(dst, s...)
		}
	}
	num(hasSeq, uint64(e.Seq))
	num(hasAt, uint64(e.At))
	if e.Cause != 0 {
		num(hasCause, uint64(e.Seq-e.Cause))
	}
	num(hasActor, uint64(e.Actor))
	num(hasPeer, uint64(e.Peer))
	num(hasOp, uint64(e.Op))
	num(hasWatch, uint64(e.Watch))
	num(hasType, uint64(e.Type))
	num(hasMode, uint64(e.Mode))
	str(hasPath, e.Path)
	str(hasText, e.Text)
	num(hasZxid, zigzag(e.Zxid))
	num(hasSession, uint64(e.Session))
	num(hasN, zigzag(e.N))
	num(hasCode, zigzag(int64(e.Code)))
	num(hasLine, uint64(e.Line))
	binary.LittleEndian.PutUint16(dst[at+1:], mask)
	return dst
}

// DecodeBinary reads one event from the front of src and returns what follows it.
func DecodeBinary(src []byte) (Event, []byte, error) {
	var d Decoder
	return d.Decode(src)
}

// SkipBinary goes past the first event of src, whose fields it does not look at, and returns what follows it.
func SkipBinary(src []byte) ([]byte, error) {
	if len(src) < 3 {
		return src, errCutOff
	}
	r := reader{src: src[3:], mask: binary.LittleEndian.Uint16(src[1:])}
	for left := r.mask; left != 0; left &= left - 1 {
		switch bit := left & -left; bit {
		case hasPath, hasText:
			r.bytes(bit, math.MaxInt32)
		default:
			r.skip()
		}
	}
	if r.err != nil {
		return src, r.err
	}
	return r.src, nil
}

// maxShared bounds the strings that a Decoder remembers.
const maxShared = 1 << 14

// Decoder is DecodeBinary for a stream: equal strings of different events share their memory.
type Decoder struct {
	shared map[string]string
}

// Decode reads one event from the front of src and returns what follows it. On an error it returns src.
func (d *Decoder) Decode(src []byte) (Event, []byte, error) {
	if len(src) < 3 {
		return Event{}, src, errCutOff
	}
	r := reader{src: src[3:], mask: binary.LittleEndian.Uint16(src[1:])}
	e := Event{Kind: Kind(src[0])}
	e.Seq = Seq(r.num(hasSeq, math.MaxUint32))
	e.At = time.Duration(r.num(hasAt, math.MaxInt64))
	if back := Seq(r.num(hasCause, uint64(e.Seq))); back != 0 {
		e.Cause = e.Seq - back
	}
	e.Actor = Actor(r.num(hasActor, MaxActor))
	e.Peer = Actor(r.num(hasPeer, MaxActor))
	e.Op = Op(r.num(hasOp, math.MaxUint8))
	e.Watch = Watch(r.num(hasWatch, math.MaxUint8))
	e.Type = uint8(r.num(hasType, math.MaxUint8))
	e.Mode = uint8(r.num(hasMode, math.MaxUint8))
	e.Path = d.str(r.bytes(hasPath, MaxPath))
	e.Text = d.str(r.bytes(hasText, MaxText))
	e.Zxid = unzigzag(r.num(hasZxid, math.MaxUint64))
	e.Session = int64(r.num(hasSession, math.MaxUint64))
	e.N = unzigzag(r.num(hasN, math.MaxUint64))
	code := unzigzag(r.num(hasCode, math.MaxUint64))
	if e.Code = int32(code); int64(e.Code) != code {
		r.fail(errRange)
	}
	e.Line = uint16(r.num(hasLine, math.MaxUint16))
	if r.err == nil {
		r.err = e.Valid()
	}
	if r.err != nil {
		return Event{}, src, r.err
	}
	return e, r.src, nil
}

func (d *Decoder) str(b []byte) string {
	if len(b) == 0 {
		return ""
	}
	if s, ok := d.shared[string(b)]; ok {
		return s
	}
	if d.shared == nil || len(d.shared) >= maxShared {
		d.shared = make(map[string]string)
	}
	s := string(b)
	d.shared[s] = s
	return s
}

// reader takes fields off src until the first error; after that, all it reads is zero.
type reader struct {
	src  []byte
	mask uint16
	err  error
}

func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *reader) num(bit uint16, limit uint64) uint64 {
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

// skip goes past a number.
func (r *reader) skip() {
	for i, b := range r.src {
		if b < 0x80 {
			r.src = r.src[i+1:]
			return
		}
	}
	r.fail(errCutOff)
}

func (r *reader) bytes(bit uint16, limit int) []byte {
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
