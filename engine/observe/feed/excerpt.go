package feed

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/window"
	"github.com/zkviz/zkviz/engine/observe/replay"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// Excerpt is a log of past transactions: an excerpt in time, of one znode and below. Feed would have written the
// same log at the time.
type Excerpt struct {
	sink   event.Sink
	log    *window.Log
	writer *writer
	last   time.Duration // the time of the last transaction, counted from the first
	from   int64         // the time of the first, in ms since 1970
}

// NewExcerpt begins a log with the state before the transaction first. It has the usual limit on events.
func NewExcerpt(root string, before *replay.State, first *wire.Txn, sink event.Sink) *Excerpt {
	w := &Excerpt{sink: sink, from: first.TimeMS}
	w.log = window.NewLog(root, 0, 0, time.UnixMilli(first.TimeMS), first.Zxid-1)
	w.writer = newWriter(w.log, first.Zxid-1, w.log.Take)
	w.writer.present(0, before)
	if !before.Sure(root) {
		w.log.Note(0, event.LeftLater, 0)
	}
	w.flush()
	return w
}

// Take adds a transaction, given the state after it and its effects. It reports false once the log is full. The
// remaining transactions need another log.
func (x *Excerpt) Take(s *replay.State, t *wire.Txn, facts []replay.Fact) bool {
	// Servers' clocks differ, and time in a log never goes back.
	x.last = max(x.last, time.Duration(t.TimeMS-x.from)*time.Millisecond)
	x.writer.report(x.last, s, facts)
	x.flush()
	return !x.log.Full()
}

// Close ends the log. The end's reason is that the log is full, or else that its reader ended it.
func (x *Excerpt) Close() {
	why := event.EndCancelled
	if x.log.Full() {
		why = event.EndEvents
	}
	x.sink.Append(x.log.End(x.last, why))
}

// Until returns the time of the last transaction, in ms since 1970.
func (x *Excerpt) Until() int64 { return x.from + x.last.Milliseconds() }

func (x *Excerpt) flush() {
	for _, e := range x.log.Events() {
		x.sink.Append(e)
	}
}
