package observe

import "github.com/zkviz/zkviz/engine/event"

// injected is an event about a session from outside; 0 for none.
type injected struct {
	session int64
	event   event.Event
}

// inject hands an event to the observation, which runs in another goroutine.
func (o *observer) inject(session int64, e event.Event) {
	select {
	case o.injected <- injected{session, e}:
	case <-o.over:
	}
}

// addInjected puts such an event into the log.
func (o *observer) addInjected(s injected) {
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
