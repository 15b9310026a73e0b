package embed

import (
	"errors"

	"github.com/zkviz/zkviz/engine/capture"
	"github.com/zkviz/zkviz/engine/event"
)

// observation is one log in the making, under the server's lock.
type observation struct {
	s    *Server
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
	o.log.Take(o.s.since(), seq, e)
	o.ring()
}

func (o *observation) note(left event.Reason) { o.log.Note(o.s.since(), left, 0) }

// say takes what a client's program says of itself. It takes the server's lock.
func (o *observation) say(e event.Event) event.Seq {
	o.s.mu.Lock()
	defer o.s.mu.Unlock()
	defer o.ring()
	return o.log.Say(o.s.since(), e)
}

// news returns what has come since, and whether and why there will be no more. It takes the server's lock.
func (o *observation) news() (events []event.Event, full, over bool) {
	o.s.mu.Lock()
	defer o.s.mu.Unlock()
	return o.log.Events(), o.log.Full(), o.over
}

// end is the last event. It takes the server's lock.
func (o *observation) end(why error) event.Event {
	o.s.mu.Lock()
	defer o.s.mu.Unlock()
	reason := event.EndCancelled
	if errors.Is(why, event.ErrLogFull) {
		reason = event.EndEvents
	}
	return o.log.End(o.s.since(), reason)
}
