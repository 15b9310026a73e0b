package handover

import "github.com/zkviz/zkviz/engine/event"

// Told follows what becomes of znodes: it is a Tracker, or something that feeds several.
type Told interface {
	Put(n Node)
	Begin(timeMS int64)
	Apply(e *event.Event, timeMS, by int64)
	Overdue(session int64, is bool)
}

// Events reports what the events of a log say about znodes, one transaction at a time. Events of one transaction
// share a zxid; an event without a zxid counts as a transaction of its own. The exception are znodes of one client
// that go at once: its session ended, and it never held the later one just because the earlier one went first.
type Events struct {
	told     Told
	settle   func(timeMS, zxid int64)
	wallMS   int64 // when the log began, since 1970; 0 if unknown
	sessions map[event.Actor]int64
	overdue  map[int64]bool // sessions that may have expired
	atMS     int64          // time of the open transaction
	zxid     int64          // its zxid
	open     bool           // a transaction is open
	gone     event.Actor    // whose znodes it deleted without a zxid; ZooKeeper if none
}

// NewEvents returns an Events that calls settle at the end of each transaction.
func NewEvents(told Told, settle func(timeMS, zxid int64)) *Events {
	return &Events{told: told, settle: settle, sessions: map[event.Actor]int64{}, overdue: map[int64]bool{}}
}

// Append adds the log's next event, or the first of another log.
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
		became := e // only this copy escapes to told
		l.told.Apply(&became, l.atMS, l.sessions[e.Peer])
		if e.Kind == event.ZnodeCreated && l.overdue[e.Session] { // the session existed before
			l.told.Overdue(e.Session, true)
		}
	}
}

// atOnceMS is the longest time between reports that znodes went at once.
const atOnceMS = 1

// goesOn reports whether an event belongs to the open transaction although its zxid isn't known.
func (l *Events) goesOn(e event.Event) bool {
	return l.open && l.gone != event.ZooKeeper && e.Kind == event.ZnodeDeleted && e.Zxid == 0 && e.Peer == l.gone &&
		l.At(e)-l.atMS <= atOnceMS
}

// At returns when an event happened, in ms since 1970, or since the log's start if the log doesn't say when that was.
func (l *Events) At(e event.Event) int64 { return l.wallMS + e.At.Milliseconds() }

// Settle ends the last transaction: nothing more of it is expected.
func (l *Events) Settle() {
	if l.open {
		l.open = false
		l.settle(l.atMS, l.zxid)
	}
}
