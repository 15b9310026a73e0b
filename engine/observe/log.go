package observe

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// eventLog is the log that an observation writes.
type eventLog struct {
	sink event.Sink
	seq  event.Seq
	most event.Seq // events
	from time.Time
	full bool
	// start is its first event, until the zxid at its beginning is known; nil from then on.
	start *event.Event
}

// begin begins the log, unless that is done, at a zxid; 0 if unknown.
func (l *eventLog) begin(zxid int64) {
	if first := l.start; first != nil {
		l.start, l.from = nil, time.Now()
		first.N, first.Zxid = l.from.UnixMilli(), zxid
		l.emit(*first)
	}
}

// emit logs an event, unless the log is full. The last place is for its end.
func (l *eventLog) emit(e event.Event) {
	l.begin(0)
	if l.seq >= l.most-1 && e.Kind != event.RunEnded {
		l.full = true
		return
	}
	l.seq++
	e.Seq, e.At = l.seq, time.Since(l.from)
	l.sink.Append(e)
}
