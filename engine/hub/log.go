// Package hub holds the log of a run in memory between the one host that writes it and any number of
// readers.
//
// A reader is a sequence number and nothing else: it pulls at its own pace and is woken by a Bell. So a slow
// reader costs no memory and makes nobody wait, and one whose connection was lost goes on from where it was.
// hub knows nothing of sockets; cmd/viz-server/internal/web cuts the dead ones by a timeout.
package hub

import (
	"errors"
	"fmt"
	"sync"

	"github.com/zkviz/zkviz/engine/event"
)

// DefaultLimit is how many events a Log keeps when its Config does not say.
const DefaultLimit = 250_000

// chunk is how many events are allocated at once.
const chunk = 256

// growth is how many bytes, at least, a log asks for at once: enough for a chunk of events with short strings.
const growth = 64 << 10

// ErrFull ends a log that reached its limit. What was kept stays; what follows needs a new log.
var ErrFull = errors.New("the log is full")

// Config describes a Log.
type Config struct {
	Limit int   // in events, DefaultLimit if 0
	Bell  *Bell // rung at every change; several logs may share one
	// Grow is asked before the log takes so many bytes more than it was let take so far; an error of its ends the
	// log. Nil lets it grow up to Limit.
	Grow func(bytes int) error
}

// Log is a growing log. All its methods may be called at any time from anywhere, but Append by one
// goroutine at a time.
type Log struct {
	limit int
	bell  *Bell
	grow  func(bytes int) error
	free  int // bytes that the log may still take: Append's own

	mu     sync.RWMutex
	chunks [][]event.Event // each of chunk events but the last; what is written never changes
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

// Append adds e. A full log, one that may not grow and one that would get a gap end with an error, see Status.
func (l *Log) Append(e event.Event) {
	if err := l.reserve(e.Size()); err != nil {
		l.End(err)
		return
	}
	if l.add(e) {
		l.bell.Ring()
	}
}

// reserve sees to it that the log may take so many bytes more. Grow is called without a lock.
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

// End says that nothing will be appended. err tells why if that is no regular end.
func (l *Log) End(err error) {
	l.mu.Lock()
	if !l.ended {
		l.ended, l.err = true, err
	}
	l.mu.Unlock()
	l.bell.Ring()
}

// Read returns events in order, beginning with from: as many as can be had without copying, none if from
// was not written yet. They are shared: read them, do not change them. A from before 1 means 1.
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

// Status is how far a log has got.
type Status struct {
	First event.Seq // of the first event
	Next  event.Seq // that the next event will get
	Ended bool      // nothing follows
	Err   error     // why it ended, if not regularly
}

// Status returns how far the log has got.
func (l *Log) Status() Status {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return Status{First: 1, Next: event.Seq(1 + l.count), Ended: l.ended, Err: l.err}
}
