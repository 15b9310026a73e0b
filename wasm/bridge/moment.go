package bridge

import (
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
)

// Moment is a wall-clock moment that an address names, in ms since 1970; 0 for none.
type Moment int64

// Reach says whether a log reaches a Moment.
type Reach int

// The reaches.
const (
	NotYet Reach = iota // possibly, once more events have arrived
	Before              // no: it begins later, or has no starting time
	There               // yes
)

// latest is the latest time in a log that is accepted.
const latest = event.MaxTime

// In returns the position of the moment in a log that will have all events, as far as known. The event is the last one
// by the end of that millisecond.
func (m Moment) In(h *view.History, all int) (at time.Duration, seq event.Seq, reach Reach) {
	if h == nil || h.Len() == 0 {
		return 0, 0, NotYet
	}
	first := h.Event(0)
	if first.Kind != event.RunStarted || first.N <= 0 || int64(m) < first.N {
		return 0, 0, Before
	}
	at = time.Duration(min(int64(m)-first.N, latest.Milliseconds())) * time.Millisecond
	if h.Event(h.Len()-1).At < at && h.Len() < all {
		return 0, 0, NotYet
	}
	return at, h.SeqAt(at + time.Millisecond - 1), There
}
