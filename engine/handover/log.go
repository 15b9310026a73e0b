package handover

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/naming"
)

// Log follows a znode through a log of events, whichever host has it.
type Log struct {
	of      *Tracker
	events  *Events
	changes []Change
}

// NewLog follows the znode at path.
func NewLog(path string) *Log {
	l := &Log{of: New(path)}
	l.events = NewEvents(told{l.of}, func(timeMS, zxid int64) {
		l.changes = append(l.changes, l.of.Settle(timeMS, zxid)...)
	})
	return l
}

// Follows reports whether a znode is that at the Log's path, or a child of it.
func (l *Log) Follows(p string) bool { return l.of.Follows(p) }

// Holding returns who holds it by now.
func (l *Log) Holding() []Hand { return l.of.Holding() }

// Taken is what the children are taken for by now.
func (l *Log) Taken() (use naming.Use, whose string) { return l.of.Taken() }

// Unsure returns of how many it can't be told by now whether they hold it, and why of the first.
func (l *Log) Unsure() (n int, why naming.Doubt) { return l.of.Unsure() }

// At is when an event of the log was, as a Change has it.
func (l *Log) At(e event.Event) int64 { return l.events.At(e) }

// told is a Tracker that is told. It doesn't embed it: all methods would be in the page's program twice more.
type told struct{ of *Tracker }

func (t told) Put(n Node)                                  { t.of.Put(n) }
func (t told) Begin(timeMS int64)                          { t.of.Begin(timeMS) }
func (t told) Overdue(session int64, is bool)              { t.of.Overdue(session, is) }
func (t told) Apply(e *event.Event, timeMS, session int64) { t.of.Apply(e, timeMS, session) }

// Append takes the log's next event.
func (l *Log) Append(e event.Event) {
	switch e.Kind {
	case event.ZnodeFound, event.ZnodeCreated, event.ZnodeChanged, event.ZnodeDeleted:
		if !l.of.Follows(e.Path) {
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
