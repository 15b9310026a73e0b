package locks

import (
	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/event"
)

// Log makes Locks follow logs of events, one after the other, as engine/observe makes them for one subtree.
type Log struct {
	*Locks
	Away    string // why nothing can be seen now; empty if it can
	Partial bool   // not all of the tree is in the log
	Missing bool   // there is no such znode
	// ReadOnly means that the servers have no quorum: one still serves this state, without learning of changes.
	ReadOnly bool
	Unread   Unread
	Hidden   Hidden
	Found    int // znodes so far
	events   *handover.Events
	begun    bool
	limited  bool         // something is left out for good
	lacking  event.Reason // the last omission of a list that is being reported
}

// Unread counts znodes that may not be read, or whose children may not be listed.
type Unread struct {
	Count int
	First string // by path
}

// Hidden is the progress of a search for what may not be read, about which servers report nothing. Until it is
// over, there may be more than is shown. Of is 0 if there is no search.
type Hidden struct{ Done, Of int } // znodes

// NewLog makes locks follow a log from its beginning.
func NewLog(locks *Locks) *Log {
	return &Log{Locks: locks, events: handover.NewEvents(locks, locks.Settle)}
}

// Append takes the next event: of the same log, or the first of another, which begins with what exists by then.
func (l *Log) Append(e event.Event) {
	l.events.Append(e)
	switch e.Kind {
	case event.RunStarted:
		l.begin(e)
	case event.RecipeNote:
		l.note(e)
	case event.Disconnected:
		l.Away = e.Text
	case event.Reconnected:
		l.Away = ""
	case event.ZnodeFound:
		if e.Introduces() {
			l.Found++
		} else {
			l.read(&e)
		}
	}
	if e.Kind != event.RecipeNote {
		l.lacking = 0
	}
}

func (l *Log) begin(e event.Event) {
	if l.begun {
		l.Anew()
	}
	l.begun, l.Away, l.Found, l.limited = true, "", 0, false
	l.lacksNothing()
	l.Begin(l.events.At(e))
}

// note takes what the observer leaves out. The observer repeats all of it whenever it changes, in order of reasons,
// except for some that stay.
func (l *Log) note(e event.Event) {
	switch e.Reason {
	case event.LeftUnread, event.LeftOwners, event.LeftSessions:
		l.limited = true
	case event.LeftMissed:
		l.missed(e.Path, l.events.At(e))
	case event.LeftNothing, event.LeftMissing, event.LeftNodes, event.LeftLater, event.LeftChildren, event.LeftDeep,
		event.LeftData, event.LeftPaths, event.LeftReadOnly, event.LeftHidden:
		if e.Reason <= l.lacking || l.lacking == 0 {
			l.lacksNothing()
		}
		l.lacking = e.Reason
		l.lacks(e)
	}
	l.Partial = l.Partial || l.limited
}

func (l *Log) lacksNothing() {
	l.Partial, l.Missing, l.ReadOnly, l.Unread, l.Hidden = l.limited, false, false, Unread{}, Hidden{}
}

func (l *Log) lacks(e event.Event) {
	switch e.Reason {
	case event.LeftNothing:
	case event.LeftMissing:
		l.Missing = true
	case event.LeftReadOnly:
		l.ReadOnly = true
	case event.LeftHidden:
		l.Hidden = Hidden{int(e.N), int(e.Code)}
	case event.LeftData:
		l.Unread = Unread{int(e.N) + 1, e.Path}
	default:
		l.Partial = true
	}
}

// read takes what is read of a znode that is already in the log: when it was created, and perhaps its data.
func (l *Log) read(e *event.Event) {
	for _, t := range l.concerned(e.Path) {
		if e.N != 0 {
			t.of.Date(e.Path, e.N)
		}
		if e.Text != "" {
			t.of.Set(e.Path, e.Text, int64(e.Code))
		}
	}
}

// Done settles the last transaction.
func (l *Log) Done() { l.events.Settle() }
