package view

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// Wall returns the wall-clock time at a time of the log, in UTC; ok is false if the log doesn't tell.
func (h *History) Wall(at time.Duration) (t time.Time, ok bool) {
	if h.Len() == 0 {
		return t, false
	}
	first := h.Event(0)
	if first.Kind != event.RunStarted || first.N <= 0 {
		return t, false
	}
	return time.UnixMilli(first.N).UTC().Add(at), true
}
