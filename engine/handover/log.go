package handover

import "github.com/zkviz/zkviz/engine/event"

// Log follows a znode through a log of events, whichever host has it.
type Log struct {
	*Tracker
	events  *Events
	changes []Change
}

// NewLog follows the znode at path.
func NewLog(path string) *Log {
	l := &Log{Tracker: New(path)}
	l.events = NewEvents(told{l.Tracker}, func(timeMS, zxid int64) {
		l.changes = append(l.changes, l.Settle(timeMS, zxid)...)
	})
	return l
}

// told is a Tracker that is told.
type told struct{ *Tracker }

// Put is that of Told.
func (t told) Put(n Node) { t.Tracker.Put(n) }

// Append takes the log's next event.
func (l *Log) Append(e event.Event) {
	switch e.Kind {
	case event.ZnodeFound, event.ZnodeCreated, event.ZnodeChanged, event.ZnodeDeleted:
		if !l.Follows(e.Path) {
			return
		}
	}
	l.events.Append(e)
}

// Changes returns how it changed hands since Changes was called last. What has come of a transaction so far is taken
// for all of it. Their times are since the log's beginning if it doesn't say when that was.
func (l *Log) Changes() []Change {
	l.events.Settle()
	list := l.changes
	l.changes = nil
	return list
}
