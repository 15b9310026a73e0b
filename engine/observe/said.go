package observe

import "github.com/zkviz/zkviz/engine/event"

// said is an event about a session from outside; 0 for none.
type said struct {
	session int64
	event   event.Event
}

// say hands an event to the observation, which runs in another goroutine.
func (o *observer) say(session int64, e event.Event) {
	select {
	case o.said <- said{session, e}:
	case <-o.over:
	}
}

// take puts such an event into the log.
func (o *observer) take(s said) {
	who := o.owners[s.session]
	switch {
	case s.session == 0:
	case who == nil && (s.event.Kind != event.WatchSet || o.present == o.most.clients):
		return
	case who == nil:
		if who = o.own(s.session); who == nil {
			return
		}
		o.disown(who) // it owns nothing here
	}
	s.event.Peer = who.by()
	o.emit(s.event)
}
