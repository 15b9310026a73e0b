package embed

import (
	"errors"

	"github.com/zkviz/zkviz/engine/capture"
	"github.com/zkviz/zkviz/engine/event"
)

// observation is one log in the making, under the server's lock.
type observation struct {
	of   source
	h    *shared
	log  *capture.Log
	bell chan struct{}
	over bool // the server is closed
}

func (o *observation) ring() {
	select {
	case o.bell <- struct{}{}:
	default:
	}
}

// take is an event with the server's numbers.
func (o *observation) take(seq event.Seq, e event.Event) {
	o.log.Take(o.h.since(), seq, e)
	o.ring()
}

func (o *observation) note(left event.Reason) { o.log.Note(o.h.since(), left, 0) }

// say takes what a client's program says of itself. It takes the server's lock.
func (o *observation) say(e event.Event) event.Seq {
	o.h.mu.Lock()
	defer o.h.mu.Unlock()
	defer o.ring()
	return o.log.Say(o.h.since(), e)
}

// news returns what has come since, and whether and why there will be no more. It takes the server's lock.
func (o *observation) news() (events []event.Event, full, over bool) {
	o.h.mu.Lock()
	defer o.h.mu.Unlock()
	return o.log.Events(), o.log.Full(), o.over
}

// end is the last event. It takes the server's lock.
func (o *observation) end(why error) event.Event {
	o.h.mu.Lock()
	defer o.h.mu.Unlock()
	reason := event.EndCancelled
	if errors.Is(why, event.ErrLogFull) {
		reason = event.EndEvents
	}
	return o.log.End(o.h.since(), reason)
}
