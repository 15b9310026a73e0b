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
}

// emit logs an event, unless the log is full. The last place is for its end.
func (l *eventLog) emit(e event.Event) {
	if l.seq >= l.most-1 && e.Kind != event.RunEnded {
		l.full = true
		return
	}
	l.seq++
	e.Seq, e.At = l.seq, time.Since(l.from)
	l.sink.Append(e)
}
