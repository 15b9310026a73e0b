package feed

import (
	"time"

	"github.com/zkviz/zkviz/engine/capture"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/replay"
	"github.com/zkviz/zkviz/engine/wire"
)

// Window is a log of transactions that have been: of a while of them, at one znode and below. It is one that Feed
// would have made then.
type Window struct {
	sink    event.Sink
	log     *capture.Log
	account *account
	last    time.Duration // the time of the last transaction, since the first
	from    int64         // the first's, in ms since 1970
}

// NewWindow begins a log with what is there before the transaction first. It has as many events as a log may.
func NewWindow(root string, before *replay.State, first *wire.Txn, sink event.Sink) *Window {
	w := &Window{sink: sink, from: first.TimeMS}
	w.log = capture.NewLog(root, 0, 0, time.UnixMilli(first.TimeMS), first.Zxid-1)
	w.account = newAccount(w.log, first.Zxid-1, w.log.Take)
	w.account.present(0, before)
	if !before.Sure(root) {
		w.log.Note(0, event.LeftLater, 0)
	}
	w.flush()
	return w
}

// Take takes a transaction, with the state after it and what it has led to. It reports false if the log is full: what
// is left is for another.
func (w *Window) Take(s *replay.State, t *wire.Txn, facts []replay.Fact) bool {
	// Clocks of servers differ: in a log time never goes back.
	w.last = max(w.last, time.Duration(t.TimeMS-w.from)*time.Millisecond)
	w.account.told(w.last, s, facts)
	w.flush()
	return !w.log.Full()
}

// Close ends the log, as one that its limit or its reader has ended.
func (w *Window) Close() {
	why := event.EndCancelled
	if w.log.Full() {
		why = event.EndEvents
	}
	w.sink.Append(w.log.End(w.last, why))
}

// Until is the time of the last transaction, in ms since 1970.
func (w *Window) Until() int64 { return w.from + w.last.Milliseconds() }

func (w *Window) flush() {
	for _, e := range w.log.Events() {
		w.sink.Append(e)
	}
}
