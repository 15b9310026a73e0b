package server

import "github.com/zkviz/zkviz/engine/event"

// eventLog records facts in the host's log, if there is one.
type eventLog struct {
	emit   func(event.Event) event.Seq
	agreed bool // the server is one of an ensemble
}

// addAgreed records a fact about the tree or a session. In an ensemble it doesn't, since the first server to apply it
// has done so.
func (l *eventLog) addAgreed(e event.Event) event.Seq {
	if l.agreed {
		return e.Cause
	}
	return l.add(e)
}

func (l *eventLog) on() bool { return l.emit != nil }

func (l *eventLog) add(e event.Event) event.Seq {
	if l.emit == nil {
		return 0
	}
	return l.emit(e)
}
