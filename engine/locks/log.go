package locks

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/handover"
)

// Log has Locks follow logs of events, one after the other, as engine/observe makes them of one subtree.
type Log struct {
	*Locks
	Away     string // why there is nothing to see now; empty if there is
	begun    bool
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
	case event.Disconnected:
		l.Away = e.Text
	case event.Reconnected:
		l.Away = ""
	case event.ZnodeFound:
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
	l.begun, l.wallMS, l.Away, l.sessions = true, e.N, "", map[event.Actor]int64{}
	l.Begin(l.at(e))
}

func (l *Log) at(e *event.Event) int64 { return l.wallMS + e.At.Milliseconds() }

// Done settles what has come of the last transaction.
func (l *Log) Done() {
	if l.open {
		l.open = false
		l.Settle(l.atMS, l.zxid)
	}
}
