package locks

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/handover"
)

// Log has Locks follow logs of events, one after the other, as engine/observe makes them of one subtree.
type Log struct {
	*Locks
	Away     string // why there is nothing to see now; empty if there is
	Partial  bool   // not all of the tree is in the log
	begun    bool
	found    bool // it's known what is there, or that nothing is
	wallMS   int64
	sessions map[event.Actor]int64
	atMS     int64 // of what isn't settled
	zxid     int64
	open     bool
}

// NewLog has locks follow a log from its beginning.
func NewLog(locks *Locks) *Log { return &Log{Locks: locks} }

// Append takes the next event: of the same log, or the first of another, which begins with what is there by then.
func (l *Log) Append(e event.Event) {
	switch e.Kind {
	case event.RunStarted:
		l.begin(&e)
	case event.SessionCreated, event.SessionSeen:
		l.sessions[e.Peer] = e.Session
	case event.RecipeNote:
		l.note(e.Reason)
	case event.Disconnected:
		l.Away = e.Text
	case event.Reconnected:
		l.Away = ""
	case event.ZnodeFound:
		l.found = true
		if e.Introduces() {
			l.Done()
			l.Put(handover.Node{Path: e.Path, Session: e.Session, Data: e.Text, MadeMS: e.N})
			l.Begin(l.at(&e))
		}
	case event.ZnodeCreated, event.ZnodeChanged, event.ZnodeDeleted:
		if e.Zxid == 0 || e.Zxid != l.zxid {
			l.Done()
		}
		l.atMS, l.zxid, l.open = l.at(&e), e.Zxid, true
		l.Apply(&e, l.atMS, l.sessions[e.Peer])
	}
}

func (l *Log) begin(e *event.Event) {
	l.Done()
	if l.begun {
		l.Anew()
	}
	l.begun, l.wallMS, l.Away, l.Partial, l.sessions = true, e.N, "", false, map[event.Actor]int64{}
	l.Begin(l.at(e))
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

func (l *Log) at(e *event.Event) int64 { return l.wallMS + e.At.Milliseconds() }

// Followed reports whether a log has been followed: it has begun, and there is something in it or nothing to come.
func (l *Log) Followed() bool { return l.begun && l.found }

// Done settles what has come of the last transaction.
func (l *Log) Done() {
	if l.open {
		l.open = false
		l.Settle(l.atMS, l.zxid)
	}
}
