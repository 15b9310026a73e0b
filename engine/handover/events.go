package handover

import "github.com/zkviz/zkviz/engine/event"

// Told is who is told what becomes of znodes: a Tracker, or who follows more than one.
type Told interface {
	Put(n Node)
	Begin(timeMS int64)
	Apply(e *event.Event, timeMS, by int64)
	Overdue(session int64, is bool)
}

// Events tells what the events of a log say of znodes, a transaction at a time. Those of one transaction have one zxid;
// one without a zxid is taken for a transaction by itself. The exception are znodes of one client that go at once: its
// session has ended, and it never held the one for a moment because the other had gone before it.
type Events struct {
	told     Told
	settle   func(timeMS, zxid int64)
	wallMS   int64 // when the log began, since 1970; 0 if that's not known
	sessions map[event.Actor]int64
	overdue  map[int64]bool // sessions that may have expired
	atMS     int64          // of the transaction that isn't settled
	zxid     int64          // likewise
	open     bool           // there is one
	gone     event.Actor    // whose znodes it took away without a zxid, ZooKeeper if it's none such
}

// NewEvents calls settle at the end of each transaction.
func NewEvents(told Told, settle func(timeMS, zxid int64)) *Events {
	return &Events{told: told, settle: settle, sessions: map[event.Actor]int64{}, overdue: map[int64]bool{}}
}

// Append takes the log's next event, or the first of another log.
func (l *Events) Append(e event.Event) {
	switch e.Kind {
	case event.RunStarted:
		l.Settle()
		l.wallMS = e.N
		clear(l.sessions)
		clear(l.overdue)
	case event.SessionCreated, event.SessionSeen:
		l.sessions[e.Peer] = e.Session
	case event.SessionSilent, event.SessionHeard, event.SessionClosed, event.SessionExpired:
		is := e.Kind == event.SessionSilent && e.Reason == event.BySessionExpired
		if is == l.overdue[e.Session] {
			break
		}
		l.Settle()
		if l.overdue[e.Session] = is; !is {
			delete(l.overdue, e.Session)
		}
		if e.Kind == event.SessionSilent || e.Kind == event.SessionHeard {
			l.told.Overdue(e.Session, is)
			l.settle(l.At(e), 0)
		}
	case event.ZnodeFound:
		if e.Introduces() {
			l.Settle()
			n := Made(&e, e.N)
			n.Bytes, n.Overdue = int64(e.Code), l.overdue[e.Session]
			l.told.Put(n)
			l.told.Begin(l.At(e))
		}
	case event.ZnodeCreated, event.ZnodeChanged, event.ZnodeDeleted:
		if (e.Zxid == 0 || e.Zxid != l.zxid) && !l.goesOn(e) {
			l.Settle()
		}
		l.atMS, l.zxid, l.open, l.gone = l.At(e), e.Zxid, true, event.ZooKeeper
		if e.Zxid == 0 && e.Kind == event.ZnodeDeleted {
			l.gone = e.Peer
		}
		became := e // only this one is kept where told can see it
		l.told.Apply(&became, l.atMS, l.sessions[e.Peer])
		if e.Kind == event.ZnodeCreated && l.overdue[e.Session] { // it was there before
			l.told.Overdue(e.Session, true)
		}
	}
}

// atOnceMS is how long after each other those come at most who tell that znodes went at once.
const atOnceMS = 1

// goesOn reports whether an event is of the transaction that isn't settled, though nobody knows its zxid.
func (l *Events) goesOn(e event.Event) bool {
	return l.open && l.gone != event.ZooKeeper && e.Kind == event.ZnodeDeleted && e.Zxid == 0 && e.Peer == l.gone &&
		l.At(e)-l.atMS <= atOnceMS
}

// At is when an event of the log was, in ms since 1970, or since the log's beginning if it doesn't say when that was.
func (l *Events) At(e event.Event) int64 { return l.wallMS + e.At.Milliseconds() }

// Settle takes what has come of the last transaction for all of it.
func (l *Events) Settle() {
	if l.open {
		l.open = false
		l.settle(l.atMS, l.zxid)
	}
}
