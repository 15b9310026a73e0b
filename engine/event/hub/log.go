// Package hub holds the log of a run in memory, between the one host that writes it and any number of readers.
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
)

// DefaultLimit is how many events a Log keeps unless its Config says otherwise.
const DefaultLimit = 250_000

// chunk is how many events are allocated at once.
const chunk = 256

// growth is the smallest number of bytes that a log requests at once: enough for a chunk of events with short strings.
const growth = 64 << 10

// ErrFull ends a log at its limit. Its events stay; later ones need a new log.
var ErrFull = errors.New("the log is full")

// Config describes a Log.
type Config struct {
	Limit int   // in events, DefaultLimit if 0
	Bell  *Bell // rung at every change; logs may share one
	// Grow is called before the log takes that many bytes beyond its grants so far. An error ends the log. If Grow
	// is nil, the log grows up to Limit.
	Grow func(bytes int) error
}

// Log is a growing log. All methods are safe for concurrent use, except that only one goroutine at a time may call
// Append.
type Log struct {
	limit int
	bell  *Bell
	grow  func(bytes int) error
	free  int // granted bytes that are unused; only for Append

	mu     sync.RWMutex
	chunks [][]event.Event // all full except the last; what is written never changes
	count  int
	ended  bool
	err    error
}

// New returns an empty Log.
func New(c Config) *Log {
	l := &Log{limit: c.Limit, bell: c.Bell, grow: c.Grow}
	if l.limit <= 0 {
		l.limit = DefaultLimit
	}
	if l.bell == nil {
		l.bell = new(Bell)
	}
	return l
}

// Append adds e. It ends the log with an error if the log is full, may not grow, or would get a gap. See Status.
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
	next := event.Seq(1 + l.count)
	switch {
	case l.ended:
		return false
	case l.count >= l.limit:
		l.ended, l.err = true, ErrFull
		return true
	case e.Seq != next:
		l.ended, l.err = true, fmt.Errorf("the log has a gap: event %d came after %d", e.Seq, next-1)
		return true
	}
	if l.count%chunk == 0 {
		l.chunks = append(l.chunks, make([]event.Event, 0, chunk))
	}
	last := len(l.chunks) - 1
	l.chunks[last] = append(l.chunks[last], e)
	l.count++
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

// Read returns events in order, beginning with from: as many as possible without copying, and none if from is not
// written yet. Callers share them and must not change them. A from before 1 means 1.
func (l *Log) Read(from event.Seq) []event.Event {
	l.mu.RLock()
	defer l.mu.RUnlock()
	i := int(max(from, 1) - 1)
	if i >= l.count {
		return nil
	}
	c := l.chunks[i/chunk]
	return c[i%chunk : len(c) : len(c)]
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
	return Status{First: 1, Next: event.Seq(1 + l.count), Ended: l.ended, Err: l.err}
}
