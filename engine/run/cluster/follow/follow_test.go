package follow

import (
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/observe/locks"
	"github.com/zkviz/zkviz/engine/observe/replay"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// TestJoinedLocks takes an ensemble's tree, later changes, and the tree of one that knows less.
func TestJoinedLocks(t *testing.T) {
	j := joinedLocks{locks: locks.New("/")}
	now := time.Now().UnixMilli()
	s := replay.New("/")
	s.Put("/l/lock-0000000001", replay.Node{Owner: 1, CtimeMS: now + 3_600_000}) // its clock is wrong by an hour
	s.Put("/l/lock-0000000002", replay.Node{Owner: 2, CtimeMS: now})
	holds := func(session int64, waiting int) {
		t.Helper()
		rows := j.summary("/l", 0, locks.Known{}).Rows
		if len(rows) != 1 || rows[0].Inside != 1 || rows[0].Holding[0].Session != session || rows[0].Waiting != waiting {
			t.Errorf("it has %+v", rows)
		}
	}
	j.Begin(s.Below("/"), now-1000)
	holds(1, 1)
	gone := wire.Txn{Session: 1, Zxid: 5, Op: wire.OpCloseSession, Paths: []string{"/l/lock-0000000001"}}
	j.Take(&gone, s.Apply(&gone), now-900)
	holds(2, 0)
	j.Begin(s.Below("/"), now-800)
	holds(2, 0)
	if h := j.summary("/l", 0, locks.Known{}).Rows[0].Holding[0]; h.GotMS != now-900 || h.Had {
		t.Errorf("it is forgotten since when: %+v", h)
	}
	if rows := j.summary("/m", 0, locks.Known{}).Rows; len(rows) != 0 {
		t.Errorf("elsewhere it has %+v", rows)
	}
}
