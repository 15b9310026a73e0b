package panes

import (
	"time"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/analysis/view"
)

// lapse writes how long something has lasted by now.
func lapse(d time.Duration, say Say) string {
	return say.voice().Says(handover.Lapse(d.Milliseconds()))
}

// moments writes points in time.
type moments struct {
	history *view.History
	today   string // date at the playhead
	say     Say
}

func newMoments(f *Facts, say Say) moments {
	m := moments{history: f.History, say: say}
	if now, ok := f.History.Wall(f.At); ok {
		m.today = now.Format(time.DateOnly)
	}
	return m
}

// when writes a moment of the log as wall-clock time, with the date unless it is the playhead's; if that is unknown, as
// seconds since the log began.
func (m moments) when(at time.Duration) string {
	t, ok := m.history.Wall(at)
	if !ok {
		return m.say("seconds", seconds(at, 1))
	}
	return m.wall(t)
}

func (m moments) wall(t time.Time) string {
	if t.Format(time.DateOnly) == m.today {
		return m.say("wall", t.Format(time.TimeOnly))
	}
	return m.say("wall", t.Format(time.DateTime))
}

// logTime converts ZooKeeper's clock to the log's time, which may be negative; false if no wall-clock time is known.
func (m moments) logTime(ms int64) (time.Duration, bool) {
	begun, ok := m.history.Wall(0)
	if !ok || ms <= 0 {
		return 0, false
	}
	return time.UnixMilli(ms).Sub(begun), true
}
