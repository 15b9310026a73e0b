// Package packed keeps logs in little memory: in blocks of events, each told by what sets it apart from those before
// it. Blocks are read on their own. They also are what is sent of a log.
package packed

import (
	"bytes"
	"fmt"
	"iter"
	"sort"

	"github.com/zkviz/zkviz/engine/event"
)

// A block ends when it has so many events, or so many bytes.
const (
	BlockEvents = 1024
	BlockBytes  = 16 << 10
)

// Full reports whether the block takes no more events.
func (w *Encoder) Full() bool { return w.count >= BlockEvents || len(w.buf) >= BlockBytes }

// Log is events that follow one another without a gap. It is never changed. Its zero value is empty.
type Log struct {
	blocks []block
	count  int
	size   int // bytes of blocks
}

type block struct {
	first event.Seq
	bytes []byte
}

// Builder makes a Log. Its zero value is ready to use.
type Builder struct {
	log  Log
	next Encoder // of the block that is not full
}

// Append adds e, which must follow the one before. A text that is longer than event.MaxText is cut.
func (b *Builder) Append(e event.Event) {
	switch {
	case b.log.count > 0 && e.Seq != b.log.Next():
		panic(fmt.Sprintf("packed: event %d comes after %d", e.Seq, b.log.Next()-1)) // a mistake of the caller's
	case b.next.Len() == 0:
		b.next.Begin(e.Seq)
		b.log.blocks = append(b.log.blocks, block{first: e.Seq})
	}
	b.next.Append(shortened(e))
	if b.log.count++; b.next.Full() {
		b.finish()
	}
}

func (b *Builder) finish() {
	last := &b.log.blocks[len(b.log.blocks)-1]
	last.bytes = bytes.Clone(b.next.Block())
	b.log.size += len(last.bytes)
	b.next.Begin(0)
}

// Size is what the log takes in memory so far, in bytes.
func (b *Builder) Size() int {
	if b.next.Len() == 0 {
		return b.log.Size()
	}
	return b.log.Size() + b.next.Size()
}

// Log is what was appended. The Builder is empty afterwards.
func (b *Builder) Log() Log {
	if b.next.Len() > 0 {
		b.finish()
	}
	l := b.log
	*b = Builder{}
	return l
}

// shortened is e as it is kept.
func shortened(e event.Event) event.Event {
	if len(e.Text) > event.MaxText {
		e.Text = event.Preview([]byte(e.Text))
	}
	return e
}

// blockSize is what a block takes besides its bytes.
const blockSize = 32

// Size is what the log takes in memory, in bytes.
func (l Log) Size() int { return l.size + len(l.blocks)*blockSize }

// Len is how many events there are.
func (l Log) Len() int { return l.count }

// First is the sequence number of the first event, 0 if there is none.
func (l Log) First() event.Seq {
	if l.count == 0 {
		return 0
	}
	return l.blocks[0].first
}

// Next is the sequence number that an event after the last would have.
func (l Log) Next() event.Seq { return l.First() + event.Seq(l.count) }

// From goes through the events from a sequence number on; one before the first event means the first.
func (l Log) From(seq event.Seq) iter.Seq[event.Event] {
	return func(yield func(event.Event) bool) {
		for r := l.Reader(seq); r.more() && yield(r.event); r.has = false {
		}
	}
}

// Block is the block that begins with an event: as it is kept, or what is left of it. It returns the sequence number
// that follows, which is seq itself if the log has no such event.
func (l Log) Block(seq event.Seq) ([]byte, event.Seq) {
	seq = max(seq, l.First())
	if seq >= l.Next() {
		return nil, seq
	}
	i, next := l.find(seq), l.Next()
	if i+1 < len(l.blocks) {
		next = l.blocks[i+1].first
	}
	if l.blocks[i].first == seq {
		return l.blocks[i].bytes, next
	}
	var w Encoder
	w.Begin(seq)
	for r := l.Reader(seq); r.more() && r.event.Seq < next; r.has = false {
		w.Append(r.event)
	}
	return w.Block(), next
}

// find is the index of the block with an event that the log has.
func (l Log) find(seq event.Seq) int {
	return sort.Search(len(l.blocks), func(i int) bool { return l.blocks[i].first > seq }) - 1
}

// Reader is a place in a log, between two events.
type Reader struct {
	blocks []block // that follow
	from   Decoder
	event  event.Event // the next, if has
	has    bool
}

// Reader is before the event with that sequence number; one before the first event means the first.
func (l Log) Reader(seq event.Seq) *Reader {
	r := new(Reader)
	if seq = max(seq, l.First()); seq >= l.Next() {
		return r
	}
	i := l.find(seq)
	r.from.Begin(l.blocks[i].bytes)
	r.blocks = l.blocks[i+1:]
	for r.more() && r.event.Seq < seq {
		r.has = false
	}
	return r
}

// Passes goes past the next event if that is e, and reports whether it was.
func (r *Reader) Passes(e event.Event) bool {
	if !r.more() || r.event != shortened(e) {
		return false
	}
	r.has = false
	return true
}

// more reports whether there is a next event.
func (r *Reader) more() bool {
	for !r.has {
		if r.from.Next(&r.event) {
			r.has = true
			break
		}
		if err := r.from.Err(); err != nil {
			panic(err) // nothing reads what nobody has packed
		}
		if len(r.blocks) == 0 {
			return false
		}
		r.from.Begin(r.blocks[0].bytes)
		r.blocks = r.blocks[1:]
	}
	return true
}
