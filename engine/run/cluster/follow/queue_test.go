package follow

import (
	"fmt"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/observe/locks"
	"github.com/zkviz/zkviz/engine/observe/replay"
)

// TestWaitersNames: the data of those that wait is read only of the rows that the caller wants to name.
func TestWaitersNames(t *testing.T) {
	for _, c := range []struct {
		named func(rows []locks.Row) []locks.Row
		wants int
	}{
		{nil, 1},
		{func(rows []locks.Row) []locks.Row { return rows[:0] }, 1},
		{func(rows []locks.Row) []locks.Row { return rows }, 3},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newReading("/l", func() {})
			r.Append(event.Event{Kind: event.RunStarted, N: time.Now().UnixMilli()})
			for i := range 3 {
				r.Append(event.Event{Kind: event.ZnodeFound, Path: fmt.Sprintf("/l/lock-%010d", i), Session: int64(i + 1), N: 1,
					Zxid: int64(i + 1), Code: 4})
			}
			r.isWhole()
			report, err := r.report(t.Context(), Ask{Path: "/l", Named: c.named},
				func() (k locks.Known, untold []sentence.Sentence) { return k, nil })
			if err != nil || len(r.wants) != c.wants || report.Naming != c.wants || len(report.Rows[0].Waiters) != 2 {
				t.Errorf("%v: data is wanted of %d, not %d: %+v", err, len(r.wants), c.wants, report)
			}
		})
	}
}

// TestGoneUnseen: a client that is found to be gone when a connection begins may have got in meanwhile.
func TestGoneUnseen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newReading("/l", func() {})
		at := func(kind event.Kind, i int) {
			r.Append(event.Event{Kind: kind, Path: fmt.Sprintf("/l/lock-%010d", i), Session: int64(i + 1), Zxid: int64(i + 1),
				Reason: event.ByUnknown, At: time.Duration(i) * time.Hour, Peer: event.Actor(i)})
		}
		r.Append(event.Event{Kind: event.RunStarted, N: 1})
		for i := range 4 {
			at(event.ZnodeCreated, i)
		}
		r.isWhole()
		r.isLeft("/l", true)
		r.isLeft("/l", false)
		at(event.ZnodeDeleted, 2)
		r.isWhole()
		at(event.ZnodeDeleted, 3)
		r.log.Done()
		row := r.log.Summary(time.Now().UnixMilli(), "/", locks.Known{}).Rows[0]
		if len(row.Quits) != 2 || row.Quits[0].Unsure || !row.Quits[1].Unsure {
			t.Errorf("those that left: %+v", row.Quits)
		}
	})
}

// TestGoneWhileAway: the same of an ensemble that is joined again.
func TestGoneWhileAway(t *testing.T) {
	j := &joinedLocks{locks: locks.New("/")}
	tree := func(sessions ...int64) iter.Seq2[string, *replay.Node] {
		return func(yield func(string, *replay.Node) bool) {
			for _, id := range sessions {
				if !yield(fmt.Sprintf("/l/lock-%010d", id), &replay.Node{Owner: id, Czxid: id, CtimeMS: 1000 * id}) {
					return
				}
			}
		}
	}
	j.Begin(tree(1, 2, 3), 5000)
	j.Begin(tree(1, 3), 60_000)
	row := j.summary("/", 90_000, locks.Known{}).Rows[0]
	if len(row.Quits) != 1 || row.Quits[0].Session != 2 || !row.Quits[0].Unsure || row.Waiting != 1 {
		t.Errorf("%d wait, and those that left are %+v", row.Waiting, row.Quits)
	}
}
