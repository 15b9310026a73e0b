package packed

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// A block holds consecutive events, each encoded as its difference from earlier ones in the block. It begins with the
// first event's sequence number, a varint; later events count on from there. An event is the number of its shape and
// then the fields that the shape names, in the order below. Numbers are varints, zigzag if they may be negative. At
// and Zxid are stored as the increase since the last event that had one, the cause as its distance. Shapes (a kind,
// and which fields are not zero), strings and sessions are numbered within the block from 1, in order of appearance. A
// 0 precedes a new one.
const (
	hasAt = 1 << iota // At differs from the previous event's
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
	allFields = 1<<iota - 1
)

var errDamaged = errors.New("packed: a block is damaged")

// shape combines a kind and the set of nonzero fields.
type shape uint32

func shapeOf(e *event.Event, before *base) shape {
	fields := has(e.At != before.at, hasAt) | has(e.Cause != 0, hasCause) | has(e.Actor != 0, hasActor) |
		has(e.Peer != 0, hasPeer) | has(e.Path != "", hasPath) | has(e.N != 0, hasN) | has(e.Op != 0, hasOp) |
		has(e.Zxid != 0, hasZxid) | has(e.Session != 0, hasSession) | has(e.Text != "", hasText) |
		has(e.Watch != 0, hasWatch) | has(e.Type != 0, hasType) | has(e.Line != 0, hasLine) |
		has(e.Mode != 0, hasMode) | has(e.Code != 0, hasCode) | has(e.Reason != 0, hasReason)
	return shape(e.Kind)<<bits.Len(allFields) | fields
}

func has(is bool, field shape) shape {
	if is {
		return field
	}
	return 0
}

func (s shape) kind() event.Kind { return event.Kind(s >> bits.Len(allFields)) }

// base holds the state that the next event is encoded against.
type base struct {
	seq  event.Seq // of the next event
	at   time.Duration
	zxid int64
}

// Encoder writes a block. Its zero value is ready to use.
type Encoder struct {
	base
	buf      []byte
	count    int
	shapes   map[shape]int
	strings  map[string]int
	sessions map[int64]int
}

// Begin discards the current block and starts one whose first event has the given number.
func (w *Encoder) Begin(first event.Seq) {
	if w.shapes == nil {
		w.shapes, w.strings, w.sessions = map[shape]int{}, map[string]int{}, map[int64]int{}
	}
	clear(w.shapes)
	clear(w.strings)
	clear(w.sessions)
	w.base, w.count = base{seq: first}, 0
	w.buf = binary.AppendUvarint(w.buf[:0], uint64(first))
}

// Append adds the next event. It ignores e's own number.
func (w *Encoder) Append(e event.Event) {
	s := shapeOf(&e, &w.base)
	if w.number(w.shapes[s]) {
		w.shapes[s] = len(w.shapes) + 1
		w.uint(uint64(s))
	}
	if s&hasAt != 0 {
		w.int(int64(e.At - w.at))
		w.at = e.At
	}
	if s&hasCause != 0 {
		w.uint(uint64(w.seq - e.Cause))
	}
	w.some(s, hasActor, uint64(uint32(e.Actor)))
	w.some(s, hasPeer, uint64(uint32(e.Peer)))
	w.string(e.Path)
	if s&hasN != 0 {
		w.int(e.N)
	}
	w.some(s, hasOp, uint64(e.Op))
	if s&hasZxid != 0 {
		w.int(e.Zxid - w.zxid)
		w.zxid = e.Zxid
	}
	if s&hasSession != 0 && w.number(w.sessions[e.Session]) {
		w.sessions[e.Session] = len(w.sessions) + 1
		w.uint(uint64(e.Session))
	}
	w.string(e.Text)
	w.some(s, hasWatch, uint64(e.Watch))
	w.some(s, hasType, uint64(e.Type))
	w.some(s, hasLine, uint64(e.Line))
	w.some(s, hasMode, uint64(e.Mode))
	if s&hasCode != 0 {
		w.int(int64(e.Code))
	}
	w.some(s, hasReason, uint64(e.Reason))
	w.seq++
	w.count++
}

// Len returns the number of events in the block.
func (w *Encoder) Len() int { return w.count }

// Size returns the block's length in bytes.
func (w *Encoder) Size() int { return len(w.buf) }

// Block returns the block. The next Begin overwrites it.
func (w *Encoder) Block() []byte { return w.buf }

// number writes n and reports whether it is 0, so that the value itself must follow.
func (w *Encoder) number(n int) (fresh bool) {
	w.uint(uint64(n))
	return n == 0
}

// string writes s unless it is empty.
func (w *Encoder) string(s string) {
	if s == "" {
		return
	}
	if w.number(w.strings[s]) {
		w.strings[s] = len(w.strings) + 1
		w.uint(uint64(len(s)))
		w.buf = append(w.buf, s...)
	}
}

func (w *Encoder) some(s, field shape, v uint64) {
	if s&field != 0 {
		w.uint(v)
	}
}

func (w *Encoder) uint(v uint64) { w.buf = binary.AppendUvarint(w.buf, v) }
func (w *Encoder) int(v int64)   { w.buf = binary.AppendVarint(w.buf, v) }

// Decoder reads blocks. Equal strings of their events share memory. Its zero value is ready to use.
type Decoder struct {
	base
	src      []byte
	failed   bool
	shapes   []shape
	strings  []string
	sessions []int64
	shared   map[string]string
}

// maxShared limits the strings that a Decoder remembers from earlier blocks.
const maxShared = 1 << 14

// Begin moves to the start of a block.
func (r *Decoder) Begin(block []byte) {
	r.src, r.failed = block, false
	r.shapes, r.strings, r.sessions = r.shapes[:0], r.strings[:0], r.sessions[:0]
	r.base = base{seq: event.Seq(r.uint(1<<32 - 1))}
}

// Next reads the next event into e. It returns false at the end of the block and where the block is damaged.
func (r *Decoder) Next(e *event.Event) bool {
	if r.failed || len(r.src) == 0 {
		return false
	}
	s := r.shape()
	*e = event.Event{Seq: r.seq, Kind: s.kind()}
	if s&hasAt != 0 {
		r.at += time.Duration(r.int())
	}
	e.At = r.at
	if s&hasCause != 0 {
		e.Cause = r.seq - event.Seq(r.uint(1<<32-1))
	}
	if s&hasActor != 0 {
		e.Actor = event.Actor(r.uint(1<<32 - 1))
	}
	if s&hasPeer != 0 {
		e.Peer = event.Actor(r.uint(1<<32 - 1))
	}
	if s&hasPath != 0 {
		e.Path = r.string()
	}
	if s&hasN != 0 {
		e.N = r.int()
	}
	if s&hasOp != 0 {
		e.Op = event.Op(r.byte())
	}
	if s&hasZxid != 0 {
		r.zxid += r.int()
		e.Zxid = r.zxid
	}
	if s&hasSession != 0 {
		e.Session = r.session()
	}
	if s&hasText != 0 {
		e.Text = r.string()
	}
	if s&allFields >= hasWatch {
		r.rest(s, e)
	}
	r.seq++
	return !r.failed
}

// rest reads the less common fields.
func (r *Decoder) rest(s shape, e *event.Event) {
	if s&hasWatch != 0 {
		e.Watch = event.Watch(r.byte())
	}
	if s&hasType != 0 {
		e.Type = r.byte()
	}
	if s&hasLine != 0 {
		e.Line = uint16(r.uint(1<<16 - 1))
	}
	if s&hasMode != 0 {
		e.Mode = r.byte()
	}
	if s&hasCode != 0 {
		code := r.int()
		e.Code = int32(code)
		r.failed = r.failed || int64(e.Code) != code
	}
	if s&hasReason != 0 {
		e.Reason = event.Reason(r.byte())
	}
}

// Err returns an error if the last read met damage.
func (r *Decoder) Err() error {
	if r.failed {
		return errDamaged
	}
	return nil
}

func (r *Decoder) uint(most uint64) uint64 {
	if len(r.src) > 0 && r.src[0] < 0x80 {
		v := uint64(r.src[0])
		r.src = r.src[1:]
		return v
	}
	v, n := binary.Uvarint(r.src)
	if n <= 0 || v > most {
		r.fail()
		return 0
	}
	r.src = r.src[n:]
	return v
}

func (r *Decoder) int() int64 {
	v := r.uint(1<<64 - 1)
	return int64(v>>1) ^ -int64(v&1)
}

func (r *Decoder) byte() uint8 { return uint8(r.uint(1<<8 - 1)) }

func (r *Decoder) fail() { r.failed, r.src = true, nil }

func (r *Decoder) shape() shape {
	n := r.uint(1 << 32)
	if n > 0 && n <= uint64(len(r.shapes)) {
		return r.shapes[n-1]
	}
	s := shape(r.uint(1<<(bits.Len(allFields)+8) - 1))
	if n > 0 {
		r.fail()
		return 0
	}
	r.shapes = append(r.shapes, s)
	return s
}

func (r *Decoder) session() int64 {
	n := r.uint(1 << 32)
	if n > 0 && n <= uint64(len(r.sessions)) {
		return r.sessions[n-1]
	}
	v := int64(r.uint(1<<64 - 1))
	if n > 0 {
		r.fail()
		return 0
	}
	r.sessions = append(r.sessions, v)
	return v
}

// string reads a string, or looks it up if the block had it before.
func (r *Decoder) string() string {
	n := r.uint(1 << 32)
	if n > 0 {
		if n > uint64(len(r.strings)) {
			r.fail()
			return ""
		}
		return r.strings[n-1]
	}
	size := r.uint(1<<32 - 1)
	if size > uint64(len(r.src)) {
		r.fail()
		return ""
	}
	s := r.share(r.src[:size])
	r.src = r.src[size:]
	r.strings = append(r.strings, s)
	return s
}

func (r *Decoder) share(b []byte) string {
	if s, ok := r.shared[string(b)]; ok {
		return s
	}
	if r.shared == nil || len(r.shared) >= maxShared {
		r.shared = make(map[string]string)
	}
	s := string(b)
	r.shared[s] = s
	return s
}
