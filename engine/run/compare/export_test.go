package compare

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// NewMeter measures a log with a header, and NewTraffic its bytes on the wire.
var (
	NewMeter   = newMeter
	NewTraffic = newTraffic
)

// LongestWait returns the longest wait in a log with an event each second.
func LongestWait(log []event.Event) time.Duration {
	l := longest{since: map[event.Actor]time.Duration{}}
	for i, e := range log {
		e.At = time.Duration(i) * time.Second
		l.Append(e)
	}
	return l.wait
}
