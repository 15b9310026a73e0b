package locks

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/handover"
)

// Log has Locks follow logs of events, one after the other, as engine/observe makes them of one subtree.
type Log struct {
	*Locks
	Away    string // why there is nothing to see now; empty if there is
	Partial bool   // not all of the tree is in the log
	events  *handover.Events
	begun   bool
	found   bool // it's known what is there, or that nothing is
}

// NewLog has locks follow a log from its beginning.
func NewLog(locks *Locks) *Log {
	return &Log{Locks: locks, events: handover.NewEvents(locks, locks.Settle)}
}

// Append takes the next event: of the same log, or the first of another, which begins with what is there by then.
func (l *Log) Append(e event.Event) {
	l.events.Append(e)
	switch e.Kind {
	case event.RunStarted:
		l.begin(e)
	case event.RecipeNote:
		l.note(e.Reason)
	case event.Disconnected:
		l.Away = e.Text
	case event.Reconnected:
		l.Away = ""
	case event.ZnodeFound:
		l.found = true
	}
}

func (l *Log) begin(e event.Event) {
	if l.begun {
		l.Anew()
	}
	l.begun, l.Away, l.Partial = true, "", false
	l.Begin(l.events.At(e))
}

// note takes what the observer leaves out.
func (l *Log) note(left event.Reason) {
	switch left {
	case event.LeftMissing:
		l.found = true
	case event.LeftNothing:
		l.Partial = false
	case event.LeftNodes, event.LeftLater, event.LeftChildren, event.LeftDeep, event.LeftPaths, event.LeftUnread,
		event.LeftOwners, event.LeftSessions:
		l.Partial = true
	}
}

// Followed reports whether a log has been followed: it has begun, and there is something in it or nothing to come.
func (l *Log) Followed() bool { return l.begun && l.found }

// Done settles what has come of the last transaction.
func (l *Log) Done() { l.events.Settle() }
