package locks_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe/locks"
)

// TestNever hears of znodes out of order, as from a tap: a client behind an older znode never held the lock, and no
// turn names it.
func TestNever(t *testing.T) {
	made := func(ms int, zxid int64, n int) event.Event {
		return event.Event{Kind: event.ZnodeCreated, At: time.Duration(ms) * time.Millisecond, Zxid: zxid,
			Session: int64(n), Path: fmt.Sprintf("/l/_c_00000000-0000-0000-0000-00000000000%d-lock-%010d", n, n),
			Mode: uint8(zoo.EphemeralSequential)}
	}
	gone := func(ms int, zxid int64, n int) event.Event {
		e := made(ms, zxid, n)
		e.Kind, e.Reason = event.ZnodeDeleted, event.ByOp
		return e
	}
	for what, test := range map[string]struct {
		log  []event.Event
		want string
	}{
		"the first": {[]event.Event{made(1, 12, 2), made(2, 11, 1)}, "0→1 at 2; of 1"},
		"of a few":  {[]event.Event{made(1, 13, 3), made(2, 12, 2), made(3, 11, 1)}, "0→1 at 3; of 1"},
		"the next": {[]event.Event{made(1, 11, 1), made(2, 13, 3), gone(3, 14, 1), made(4, 12, 2)},
			"1→2 at 4; 0→1 at 1; of 2"},
		"in its order":  {[]event.Event{made(1, 11, 1), made(2, 12, 2), gone(3, 13, 1)}, "1→2 at 3; 0→1 at 1; of 2"},
		"one that left": {[]event.Event{made(1, 12, 2), gone(2, 13, 2), made(3, 11, 1)}, "2→1 at 3; 0→2 at 1; of 2"},
	} {
		l := locks.NewLog(locks.New("/"))
		l.Append(event.Event{Kind: event.RunStarted})
		l.Append(event.Event{Kind: event.ZnodeCreated, Path: "/l", Zxid: 1})
		for _, e := range test.log {
			l.Append(e)
		}
		l.Done()
		rows := l.Summary(10, "/", locks.Known{}).Rows
		if len(rows) != 1 {
			t.Fatalf("%s: %+v", what, rows)
		}
		got := ""
		for _, turn := range rows[0].Turns {
			got += fmt.Sprintf("%d→%d at %d; ", turn.From.Session, turn.To.Session, turn.TimeMS)
		}
		if got += fmt.Sprint("of ", rows[0].Turned); got != test.want {
			t.Errorf("%s: it says %s, not %s", what, got, test.want)
		}
	}
}
