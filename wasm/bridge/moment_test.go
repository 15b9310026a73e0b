package bridge

import (
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
)

// TestMoment looks for moments in logs with and without a starting time.
func TestMoment(t *testing.T) {
	const began = 1_700_000_000_000
	for _, c := range []struct {
		name  string
		began int64
		when  Moment
		all   int
		at    time.Duration
		seq   event.Seq
		reach Reach
	}{
		{"that of an event, to the end of its millisecond", began, began + 200, 4, 200 * time.Millisecond, 3, There},
		{"between two events", began, began + 150, 4, 150 * time.Millisecond, 1, There},
		{"the last event's, of which all is there", began, began + 300, 4, 300 * time.Millisecond, 4, There},
		{"after all that there is", began, began + 900, 4, 900 * time.Millisecond, 4, There},
		{"after all that has arrived", began, began + 900, 5, 0, 0, NotYet},
		{"far after it", began, 1 << 62, 4, latest, 4, There},
		{"before it begins", began, began - 1, 4, 0, 0, Before},
		{"in a log without a time on the wall", 0, began, 4, 0, 0, Before},
	} {
		h := view.NewHistoryFor(event.Header{Host: event.Joined})
		for i, at := range []time.Duration{0, 200 * time.Millisecond, 200*time.Millisecond + 999*time.Microsecond,
			300 * time.Millisecond} {
			e := event.Event{Seq: event.Seq(i + 1), At: at, Kind: event.ZnodeChanged, Path: "/a"}
			if i == 0 {
				e = event.Event{Seq: 1, Kind: event.RunStarted, N: c.began}
			}
			h.Append(e)
		}
		if at, seq, reach := c.when.In(h, c.all); at != c.at || seq != c.seq || reach != c.reach {
			t.Errorf("%s: %v, %d, %d", c.name, at, seq, reach)
		}
	}
	if _, _, reach := Moment(began).In(nil, 0); reach != NotYet {
		t.Error("it is looked for in no log")
	}
}
