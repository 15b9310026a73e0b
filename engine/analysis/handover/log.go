package handover

import (
	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/event"
)

// Log follows a znode through a log of events from any host.
type Log struct {
	of      *Tracker
	events  *Events
	changes []Change
}

// NewLog returns a Log for the znode at path.
func NewLog(path string) *Log {
	l := &Log{of: New(path)}
	l.events = NewEvents(told{l.of}, func(timeMS, zxid int64) {
		l.changes = append(l.changes, l.of.Settle(timeMS, zxid)...)
	})
	return l
}

// Follows reports whether a znode is the Log's own, or a child of it.
func (l *Log) Follows(p string) bool { return l.of.Follows(p) }

// Holding returns the present holders.
func (l *Log) Holding() []Hand { return l.of.Holding() }

// Taken returns the present use of the children, and the recipe that names them so.
func (l *Log) Taken() (use naming.Use, whose string) { return l.of.Taken() }

// Unsure returns how many may or may not hold it now, and the first one's reason.
func (l *Log) Unsure() (n int, why naming.Doubt) { return l.of.Unsure() }

// At returns when an event happened, as in Change.
func (l *Log) At(e event.Event) int64 { return l.events.At(e) }

// told passes events to a Tracker. It doesn't embed it: that would put all its methods into the page's program
// twice more.
type told struct{ of *Tracker }

func (t told) Put(n Node)                                  { t.of.Put(n) }
func (t told) Begin(timeMS int64)                          { t.of.Begin(timeMS) }
func (t told) Overdue(session int64, is bool)              { t.of.Overdue(session, is) }
func (t told) Apply(e *event.Event, timeMS, session int64) { t.of.Apply(e, timeMS, session) }

// Append adds the log's next event.
func (l *Log) Append(e event.Event) {
	switch e.Kind {
	case event.ZnodeFound, event.ZnodeCreated, event.ZnodeChanged, event.ZnodeDeleted:
		if !l.of.Follows(e.Path) {
			return
		}
	}
	l.events.Append(e)
}

// Changes returns the changes since the last call. It treats the last transaction as complete. Times count from the
// log's start if the log doesn't say when that was.
func (l *Log) Changes() []Change {
	l.events.Settle()
	list := l.changes
	l.changes = nil
	return list
}
