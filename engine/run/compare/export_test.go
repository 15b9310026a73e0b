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

// MaxTold limits the text of a run's moments.
const MaxTold = maxTold

// Told returns a log's moments, in which each watch event that is delivered wakes somebody.
func Told(log []event.Event) []string {
	woken := 0
	m := &moments{woken: func() int { return woken }, clients: map[event.Actor]*teller{}}
	for _, e := range log {
		if e.Kind == event.WatchDelivered {
			woken++
		}
		m.Append(e)
	}
	return m.all()
}
