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
	Missing bool   // there is no such znode
	// ReadOnly is that the servers have no quorum: one still has what is here, and doesn't hear of changes.
	ReadOnly bool
	Unread   Unread
	Hidden   Hidden
	Found    int // znodes, so far
	events   *handover.Events
	begun    bool
	limited  bool         // something is left out for good
	lacking  event.Reason // the last of what is left out, while that is being said
}

// Unread are znodes that may not be read, or whose children may not be listed.
type Unread struct {
	Count int
	First string // by path
}

// Hidden is how far a search has come for what may not be read, of which servers tell nothing: until it's over it isn't
// known whether there is more than is here. There is none if Of is 0.
type Hidden struct{ Done, Of int } // znodes

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

// note takes what the observer leaves out. It says all of it whenever that changes, in the order of the reasons, but
// for some that stay.
func (l *Log) note(e event.Event) {
	switch e.Reason {
	case event.LeftUnread, event.LeftOwners, event.LeftSessions:
		l.limited = true
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

// read takes data that was read of a znode which is in the log already.
func (l *Log) read(e *event.Event) {
	if e.Text == "" {
		return
	}
	for _, at := range [...]string{e.Path, parent(e.Path)} {
		if t := l.things[at]; t != nil {
			t.of.Set(e.Path, e.Text, int64(e.Code))
		}
	}
}

// Done settles what has come of the last transaction.
func (l *Log) Done() { l.events.Settle() }
