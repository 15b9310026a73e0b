package handover

import "github.com/zkviz/zkviz/engine/event"

// Log follows a znode through a log of events, whichever host has it.
type Log struct {
	*Tracker
	wallMS   int64 // when the log began, since 1970; 0 if that's not known
	sessions map[event.Actor]int64
	atMS     int64 // of the last change that isn't settled
	zxid     int64 // likewise
	open     bool  // there is one
	changes  []Change
}

// NewLog follows the znode at path.
func NewLog(path string) *Log {
	return &Log{Tracker: New(path), sessions: map[event.Actor]int64{}}
}

// Append takes the log's next event.
func (l *Log) Append(e event.Event) {
	switch e.Kind {
	case event.RunStarted:
		l.wallMS = e.N
	case event.SessionCreated, event.SessionSeen:
		l.sessions[e.Peer] = e.Session
	case event.ZnodeFound, event.ZnodeCreated, event.ZnodeChanged, event.ZnodeDeleted:
		if l.Follows(e.Path) {
			l.znode(&e)
		}
	}
}

// znode takes what became of one that it follows. Events of one transaction have one zxid; without one each is settled
// for itself.
func (l *Log) znode(e *event.Event) {
	atMS := l.wallMS + e.At.Milliseconds()
	if e.Kind == event.ZnodeFound {
		if e.Introduces() {
			l.settle()
			l.Put(Node{Path: e.Path, Session: e.Session, Data: e.Text, MadeMS: e.N})
			l.Begin(atMS)
		}
		return
	}
	if e.Zxid == 0 || e.Zxid != l.zxid {
		l.settle()
	}
	l.atMS, l.zxid, l.open = atMS, e.Zxid, true
	l.Apply(e, atMS, l.sessions[e.Peer])
}

func (l *Log) settle() {
	if l.open {
		l.open = false
		l.changes = append(l.changes, l.Settle(l.atMS, l.zxid)...)
	}
}

// Changes returns how it changed hands since Changes was called last. What has come of a transaction so far is taken
// for all of it. Their times are since the log's beginning if it doesn't say when that was.
func (l *Log) Changes() []Change {
	l.settle()
	list := l.changes
	l.changes = nil
	return list
}
