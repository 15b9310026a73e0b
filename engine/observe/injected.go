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
	who := o.owners.bySession[s.session]
	switch {
	case s.session == 0:
	case who == nil && (s.event.Kind != event.WatchSet || o.owners.present == o.limits.clients):
		return
	case who == nil:
		if who = o.owners.addZnode(s.session); who == nil {
			return
		}
		o.owners.removeZnode(who) // it owns nothing here
	}
	s.event.Peer = who.client()
	o.log.emit(s.event)
}
