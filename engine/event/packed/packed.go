// Package packed keeps a log that is complete in the binary form of its events: in about a third of the memory that
// the events take.
package packed

import (
	"bytes"
	"fmt"
	"iter"

	"github.com/zkviz/zkviz/engine/event"
)

// block is how many events are found without looking at those before.
const block = 256

// Log is events that follow one another without a gap. It is never changed. Its zero value is empty.
type Log struct {
	first  event.Seq
	blocks [][]byte // of block events each but the last
	count  int
	size   int // bytes of blocks
}

// Builder makes a Log. Its zero value is ready to use.
type Builder struct {
	log  Log
	next []byte // the block that is not full
}

// Append adds e, which must follow the one before. A text that is longer than event.MaxText is cut.
func (b *Builder) Append(e event.Event) {
	switch {
	case b.log.count == 0:
		b.log.first = e.Seq
	case e.Seq != b.log.Next():
		panic(fmt.Sprintf("packed: event %d comes after %d", e.Seq, b.log.Next()-1)) // a mistake of the caller's
	}
	b.next = encode(b.next, e)
	if b.log.count++; b.log.count%block == 0 {
		b.finish()
	}
}

func (b *Builder) finish() {
	b.log.blocks = append(b.log.blocks, bytes.Clone(b.next))
	b.log.size += len(b.next)
	b.next = b.next[:0]
}

// Size is what the log takes in memory so far, in bytes.
func (b *Builder) Size() int { return b.log.Size() + len(b.next) }

// Log is what was appended. The Builder is empty afterwards.
func (b *Builder) Log() Log {
	if len(b.next) > 0 {
		b.finish()
	}
	l := b.log
	*b = Builder{}
	return l
}

func encode(dst []byte, e event.Event) []byte {
	if len(e.Text) > event.MaxText {
		e.Text = event.Preview([]byte(e.Text))
	}
	return event.AppendBinary(dst, e)
}

// sliceSize is what a block takes besides its bytes.
const sliceSize = 24

// Size is what the log takes in memory, in bytes.
func (l Log) Size() int { return l.size + len(l.blocks)*sliceSize }

// Len is how many events there are.
func (l Log) Len() int { return l.count }

// First is the sequence number of the first event, 0 if there is none.
func (l Log) First() event.Seq { return l.first }

// Next is the sequence number that an event after the last would have.
func (l Log) Next() event.Seq { return l.first + event.Seq(l.count) }

// From goes through the events from a sequence number on; one before the first event means the first.
func (l Log) From(seq event.Seq) iter.Seq[event.Event] {
	return func(yield func(event.Event) bool) {
		var d event.Decoder
		for r := l.Reader(seq); r.more(); {
			e, rest, err := d.Decode(r.rest)
			r.rest = must(rest, err)
			if !yield(e) {
				return
			}
		}
	}
}

// AppendTo adds the binary form of the events from a sequence number on to dst, as many as dst can have with at most so
// many bytes. It returns the sequence number that follows.
func (l Log) AppendTo(dst []byte, seq event.Seq, most int) ([]byte, event.Seq) {
	seq = max(seq, l.first)
	for r := l.Reader(seq); r.more(); {
		room, fits := most-len(dst), 0
		for fits < len(r.rest) {
			next := len(r.rest) - len(must(event.SkipBinary(r.rest[fits:])))
			if next > room {
				return append(dst, r.rest[:fits]...), seq
			}
			fits = next
			seq++
		}
		dst, r.rest = append(dst, r.rest...), nil
	}
	return dst, seq
}

// Reader is a place in a log, between two events.
type Reader struct {
	blocks [][]byte // that follow
	rest   []byte   // of the one before
}

// Reader is before the event with that sequence number; one before the first event means the first.
func (l Log) Reader(seq event.Seq) *Reader {
	at := int(max(seq, l.first) - l.first)
	if at >= l.count {
		return &Reader{}
	}
	r := &Reader{l.blocks[at/block+1:], l.blocks[at/block]}
	for range at % block {
		r.rest = must(event.SkipBinary(r.rest))
	}
	return r
}

// Passes goes past the next event if that is e, and reports whether it was.
func (r *Reader) Passes(e event.Event) bool {
	var room [256]byte
	if !r.more() {
		return false
	}
	one := encode(room[:0], e)
	if !bytes.HasPrefix(r.rest, one) { // no event's binary form begins another's
		return false
	}
	r.rest = r.rest[len(one):]
	return true
}

// more reports whether there is an event in rest.
func (r *Reader) more() bool {
	if len(r.rest) == 0 && len(r.blocks) > 0 {
		r.rest, r.blocks = r.blocks[0], r.blocks[1:]
	}
	return len(r.rest) > 0
}

// must is rest. Nothing reads what nobody has packed.
func must(rest []byte, err error) []byte {
	if err != nil {
		panic("packed: " + err.Error())
	}
	return rest
}
