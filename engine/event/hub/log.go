// Package hub holds the log of a run in memory, between the one host that writes it and any number of readers. It packs
// the log while it grows (engine/event/packed): only the last events wait unpacked until they fill a block.
//
// A reader is just a sequence number: it pulls at its own pace, and a Bell wakes it. So a slow reader costs no
// memory and delays nobody, and one that lost its connection continues where it was. hub knows nothing of sockets;
// cmd/viz-server/internal/web closes dead ones by a timeout.
package hub

import (
	"errors"
	"fmt"
	"sync"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/packed"
)

// DefaultLimit is how many events a Log keeps unless its Config says otherwise.
const DefaultLimit = 250_000

// batch is how many packed events are read at once.
const batch = 256

// growth is the smallest number of bytes that a log requests at once: enough for a batch of events with short strings.
const growth = 64 << 10

// ErrFull ends a log at its limit. Its events stay; later ones need a new log.
var ErrFull = errors.New("the log is full")

// Config describes a Log.
type Config struct {
	Limit int   // in events, DefaultLimit if 0
	Bell  *Bell // rung at every change; logs may share one
	// Grow is called before the log takes that many bytes beyond its grants so far. Events count as large as they are
	// unpacked. An error ends the log. If Grow is nil, the log grows up to Limit.
	Grow func(bytes int) error
}

// Log is a log that grows until it ends. All methods are safe for concurrent use, except that only one goroutine at a
// time may call Append.
type Log struct {
	limit int
	bell  *Bell
	grow  func(bytes int) error
	free  int // granted bytes that are unused; only for Append

	first event.Seq // of the log

	mu     sync.RWMutex
	packer packed.Builder
	blocks packed.Log    // the packer's full blocks
	tail   []event.Event // the events after them; what is written never changes
	next   event.Seq
	ended  bool
	err    error
}

// New returns an empty Log.
func New(c Config) *Log {
	l := &Log{limit: c.Limit, bell: c.Bell, grow: c.Grow, first: 1, next: 1}
	if l.limit <= 0 {
		l.limit = DefaultLimit
	}
	if l.bell == nil {
		l.bell = new(Bell)
	}
	return l
}

// Ended returns a Log that is complete.
func Ended(l packed.Log) *Log {
	return &Log{bell: new(Bell), blocks: l, first: l.First(), next: l.Next(), ended: true}
}

// Append adds e, whose Text is no longer than event.MaxText. It ends the log with an error if the log is full, may not
// grow, or would get a gap. See Status.
func (l *Log) Append(e event.Event) {
	if err := l.reserve(e.Size()); err != nil {
		l.End(err)
		return
	}
	if l.add(e) {
		l.bell.Ring()
	}
}

// reserve makes sure that the log may take more bytes. It calls Grow without a lock.
func (l *Log) reserve(bytes int) error {
	switch {
	case l.grow == nil, l.Status().Ended:
		return nil
	case bytes <= l.free:
		l.free -= bytes
		return nil
	}
	more := max(bytes, growth)
	if err := l.grow(more); err != nil {
		return err
	}
	l.free += more - bytes
	return nil
}

func (l *Log) add(e event.Event) (changed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.ended:
		return false
	case int(l.next-l.first) >= l.limit:
		l.ended, l.err = true, ErrFull
		return true
	case e.Seq != l.next:
		l.ended, l.err = true, fmt.Errorf("the log has a gap: event %d came after %d", e.Seq, l.next-1)
		return true
	}
	l.next++
	l.packer.Append(e)
	if l.tail = append(l.tail, e); l.packer.Whole().Next() == l.next {
		l.blocks, l.tail = l.packer.Whole(), nil
	}
	return true
}

// End ends the log. err says why if the end is not regular.
func (l *Log) End(err error) {
	l.mu.Lock()
	if !l.ended {
		l.ended, l.err = true, err
	}
	l.mu.Unlock()
	l.bell.Ring()
}

// since returns what the log has from an event on: blocks with it, or the events after all blocks, or neither.
func (l *Log) since(seq event.Seq) (blocks packed.Log, tail []event.Event) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	n := len(l.tail)
	if from := l.next - event.Seq(n); seq >= from {
		return blocks, l.tail[min(int(seq-from), n):n:n]
	}
	return l.blocks, nil
}

// Read returns some events in order, beginning with from, and none if from is not written yet. Callers share them and
// must not change them. A from before the first event means the first.
func (l *Log) Read(from event.Seq) []event.Event {
	blocks, events := l.since(max(from, l.first))
	for e := range blocks.From(from) {
		if events = append(events, e); len(events) == batch {
			break
		}
	}
	return events
}

// AppendBlock writes the events that Read would read as a packed block, as many as fit into one. It returns the event
// after them, or from if there are none.
func (l *Log) AppendBlock(dst []byte, from event.Seq) ([]byte, event.Seq) {
	seq := max(from, l.first)
	blocks, tail := l.since(seq)
	switch {
	case blocks.Len() > 0:
		block, next := blocks.Block(seq)
		return append(dst, block...), next
	case len(tail) == 0:
		return dst, from
	}
	var block packed.Encoder
	block.Begin(seq)
	for i := 0; i < len(tail) && !block.Full(); i++ {
		block.Append(tail[i])
	}
	return append(dst, block.Block()...), seq + event.Seq(block.Len())
}

// Status says how far a log has come.
type Status struct {
	First event.Seq // of the first event
	Next  event.Seq // of the next event
	Ended bool      // nothing follows
	Err   error     // why it ended, if not regularly
}

// Status returns the log's status.
func (l *Log) Status() Status {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return Status{First: l.first, Next: l.next, Ended: l.ended, Err: l.err}
}
