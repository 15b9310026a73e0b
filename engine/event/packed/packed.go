// Package packed keeps logs in little memory, as blocks of events that are each encoded as differences from earlier
// ones. A block can be read without the others. Logs are also sent as blocks.
package packed

import (
	"bytes"
	"fmt"
	"iter"
	"sort"

	"github.com/zkviz/zkviz/engine/event"
)

// A block is full once it has this many events or bytes.
const (
	BlockEvents = 1024
	BlockBytes  = 16 << 10
)

// Full reports whether the block is full.
func (w *Encoder) Full() bool { return w.count >= BlockEvents || len(w.buf) >= BlockBytes }

// Log holds consecutive events. It is immutable. Its zero value is empty.
type Log struct {
	blocks []block
	count  int
	size   int // bytes of blocks
}

type block struct {
	first event.Seq
	bytes []byte
}

// Builder builds a Log. Its zero value is ready to use.
type Builder struct {
	log  Log
	next Encoder // the block that is not full yet
}

// Append adds e, which must follow the previous event. It cuts a text longer than event.MaxText.
func (b *Builder) Append(e event.Event) {
	switch {
	case b.log.count > 0 && e.Seq != b.log.Next():
		panic(fmt.Sprintf("packed: event %d comes after %d", e.Seq, b.log.Next()-1)) // the caller's mistake
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

// Size returns the memory that the log takes so far, in bytes.
func (b *Builder) Size() int {
	if b.next.Len() == 0 {
		return b.log.Size()
	}
	return b.log.Size() + b.next.Size()
}

// Whole returns the full blocks so far.
func (b *Builder) Whole() Log {
	l := b.log
	if n := b.next.Len(); n > 0 {
		l.blocks, l.count = l.blocks[:len(l.blocks)-1], l.count-n
	}
	return l
}

// Log returns the log and empties the Builder.
func (b *Builder) Log() Log {
	if b.next.Len() > 0 {
		b.finish()
	}
	l := b.log
	*b = Builder{}
	return l
}

// shortened returns e as it is stored.
func shortened(e event.Event) event.Event {
	if len(e.Text) > event.MaxText {
		e.Text = event.Preview([]byte(e.Text))
	}
	return e
}

// blockSize is the overhead of a block, in bytes.
const blockSize = 32

// Size returns the memory that the log takes, in bytes.
func (l Log) Size() int { return l.size + len(l.blocks)*blockSize }

// Len returns the number of events.
func (l Log) Len() int { return l.count }

// First returns the sequence number of the first event, or 0 if the log is empty.
func (l Log) First() event.Seq {
	if l.count == 0 {
		return 0
	}
	return l.blocks[0].first
}

// Next returns the sequence number that the next event would have.
func (l Log) Next() event.Seq { return l.First() + event.Seq(l.count) }

// From returns the events from seq on. A seq before the first event means the first.
func (l Log) From(seq event.Seq) iter.Seq[event.Event] {
	return func(yield func(event.Event) bool) {
		for r := l.Reader(seq); r.more() && yield(r.event); r.has = false {
		}
	}
}

// Block returns a block that begins with event seq: a stored one, or the rest of one. It also returns the sequence
// number that follows, which is seq itself if the log has no such event.
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

// find returns the index of the block that has event seq, which must be in the log.
func (l Log) find(seq event.Seq) int {
	return sort.Search(len(l.blocks), func(i int) bool { return l.blocks[i].first > seq }) - 1
}

// Reader is a position in a log, between two events.
type Reader struct {
	blocks []block // that follow
	from   Decoder
	event  event.Event // the next event, if has is set
	has    bool
}

// Reader returns a Reader positioned before event seq. A seq before the first event means the first.
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

// Passes moves past the next event if it equals e, and reports whether it did.
func (r *Reader) Passes(e event.Event) bool {
	if !r.more() || r.event != shortened(e) {
		return false
	}
	r.has = false
	return true
}

// more reports whether there is another event.
func (r *Reader) more() bool {
	for !r.has {
		if r.from.Next(&r.event) {
			r.has = true
			break
		}
		if err := r.from.Err(); err != nil {
			panic(err) // a Log only has blocks that a Builder packed
		}
		if len(r.blocks) == 0 {
			return false
		}
		r.from.Begin(r.blocks[0].bytes)
		r.blocks = r.blocks[1:]
	}
	return true
}
