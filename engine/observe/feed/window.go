package feed

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/window"
	"github.com/zkviz/zkviz/engine/observe/replay"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// Window is a log of past transactions: an excerpt in time, of one znode and below. Feed would have written the
// same log at the time.
type Window struct {
	sink    event.Sink
	log     *window.Log
	account *account
	last    time.Duration // the time of the last transaction, counted from the first
	from    int64         // the time of the first, in ms since 1970
}

// NewWindow begins a log with the state before the transaction first. It has the usual limit on events.
func NewWindow(root string, before *replay.State, first *wire.Txn, sink event.Sink) *Window {
	w := &Window{sink: sink, from: first.TimeMS}
	w.log = window.NewLog(root, 0, 0, time.UnixMilli(first.TimeMS), first.Zxid-1)
	w.account = newAccount(w.log, first.Zxid-1, w.log.Take)
	w.account.present(0, before)
	if !before.Sure(root) {
		w.log.Note(0, event.LeftLater, 0)
	}
	w.flush()
	return w
}

// Take adds a transaction, given the state after it and its effects. It reports false once the log is full. The
// remaining transactions need another log.
func (w *Window) Take(s *replay.State, t *wire.Txn, facts []replay.Fact) bool {
	// Servers' clocks differ, and time in a log never goes back.
	w.last = max(w.last, time.Duration(t.TimeMS-w.from)*time.Millisecond)
	w.account.told(w.last, s, facts)
	w.flush()
	return !w.log.Full()
}

// Close ends the log. The end's reason is that the log is full, or else that its reader ended it.
func (w *Window) Close() {
	why := event.EndCancelled
	if w.log.Full() {
		why = event.EndEvents
	}
	w.sink.Append(w.log.End(w.last, why))
}

// Until returns the time of the last transaction, in ms since 1970.
func (w *Window) Until() int64 { return w.from + w.last.Milliseconds() }

func (w *Window) flush() {
	for _, e := range w.log.Events() {
		w.sink.Append(e)
	}
}
