package locks_test

import (
	"fmt"
	"path"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe/locks"
)

// lineText writes who waits at each lock, what went through its queue, and who left it without getting in.
func lineText(s locks.Summary, nowMS int64) string {
	var b strings.Builder
	for i := range s.Rows {
		r := &s.Rows[i]
		fmt.Fprintf(&b, "%s: %d wait", r.Path, r.Waiting)
		if r.QueueMS != 0 {
			fmt.Fprintf(&b, ", the queue is there since %v, or longer: %t", ago(r.QueueMS), r.QueueLonger)
		}
		fmt.Fprintln(&b)
		for _, w := range r.Waiters {
			fmt.Fprintf(&b, "  %d. %s %q since %v %s\n", w.Place, handover.SessionText(w.Session), w.Data, ago(w.MadeMS),
				strings.TrimSpace("behind "+path.Base(w.Behind.Path)))
		}
		for _, said := range r.Figures(nowMS) {
			fmt.Fprintf(&b, "  %s\n", said)
		}
		for _, q := range r.Quits {
			fmt.Fprintf(&b, "  %v %s by %d of %d\n", ago(q.TimeMS), q.Said(), q.By, r.Quitted)
		}
	}
	return b.String()
}

// readQueue makes locks follow what reading shows of a lock: znodes come and go without a reason.
type readQueue struct {
	log *locks.Log
}

func newReadQueue() *readQueue {
	q := &readQueue{locks.NewLog(locks.New("/"))}
	q.begin(0)
	return q
}

func (q *readQueue) begin(ms int64) { q.log.Append(event.Event{Kind: event.RunStarted, N: began + ms}) }

func (q *readQueue) at(ms int64, e event.Event, n int) {
	e.Path, e.At = fmt.Sprintf("/l/lock-%010d", n), ago(began+ms)
	q.log.Append(e)
}

func (q *readQueue) comes(ms int64, n int) {
	q.at(ms, event.Event{Kind: event.ZnodeCreated, Session: int64(n), Zxid: int64(n), Peer: event.Actor(n),
		Mode: uint8(zoo.EphemeralSequential)}, n)
}

func (q *readQueue) found(ms int64, n int) {
	q.at(ms, event.Event{Kind: event.ZnodeFound, Session: int64(n), Zxid: int64(n), N: began + ms,
		Mode: uint8(zoo.EphemeralSequential)}, n)
}

func (q *readQueue) goes(ms int64, n int) {
	q.at(ms, event.Event{Kind: event.ZnodeDeleted, Reason: event.ByUnknown, Peer: event.Actor(n)}, n)
}

func (q *readQueue) row(ms int64) locks.Row {
	q.log.Done()
	return q.log.Summary(began+ms, "/", locks.Known{}).Rows[0]
}

// TestSeenLate checks that a client has waited since its znode was created, and not since a busy reader saw it. A
// server whose clock is ahead makes nobody younger.
func TestSeenLate(t *testing.T) {
	for made, want := range map[int64]int64{2000: 18_000, 5000: 15_000, 90_000: 15_000} {
		q := newReadQueue()
		q.comes(1000, 1)
		q.comes(5000, 2)
		q.at(5000, event.Event{Kind: event.ZnodeFound, N: began + made}, 2)
		if w := q.row(6000).Waiters; len(w) != 1 || w[0].MadeMS != began+min(made, 5000) {
			t.Errorf("made at %d ms, %v waits", made, w)
		}
		q.goes(20_000, 2)
		quits := q.row(30_000).Quits
		if len(quits) != 1 {
			t.Fatalf("made at %d ms, it hasn't left: %v", made, quits)
		}
		if ms, known := quits[0].WaitedMS(); ms != want || !known {
			t.Errorf("made at %d ms, it has waited for %d ms: %v, not for %d", made, ms, known, want)
		}
	}
}

// TestQuitsOfReading checks what is said of clients whose znodes are seen to be gone: why they went isn't known, and
// if the one ahead went about then, or nobody looked, they may have got in.
func TestQuitsOfReading(t *testing.T) {
	const unknown, unsure = "hands.quit.why.unknown(", "hands.quit.why.unsure("
	for name, c := range map[string]struct {
		does func(q *readQueue)
		says []string // the last first
	}{
		"it goes while another holds it": {func(q *readQueue) { q.goes(20_000, 2) }, []string{unknown}},
		"it goes just before the holder": {func(q *readQueue) { q.goes(20_000, 2); q.goes(20_900, 1) }, []string{unsure}},
		"it goes long before the holder": {func(q *readQueue) { q.goes(20_000, 2); q.goes(21_000, 1) }, []string{unknown}},
		"it goes just after the holder":  {func(q *readQueue) { q.goes(20_000, 1); q.goes(20_001, 2) }, nil},
		"it goes while nobody looks": {func(q *readQueue) {
			q.log.Blind(true, 0)
			q.goes(20_000, 3)
			q.log.Done()
			q.log.Blind(false, began+21_000)
			q.goes(22_000, 2)
		}, []string{unknown, unsure}},
		"the tree is read again without it": {func(q *readQueue) {
			q.begin(20_000)
			q.log.Blind(true, 0)
			q.found(1000, 1)
			q.found(3000, 3)
			q.log.Blind(false, began+21_000)
		}, []string{unsure}},
		"it is only seen now": {func(q *readQueue) { q.goes(29_500, 2) }, nil},
	} {
		q := newReadQueue()
		for i := range 3 {
			q.comes(int64(i+1)*1000, i+1)
		}
		c.does(q)
		row := q.row(30_000)
		if len(row.Quits) != len(c.says) || row.Quitted != len(c.says) {
			t.Errorf("%s: %d are known to have left, %d in all: %s", name, len(row.Quits), row.Quitted,
				lineText(locks.Summary{Rows: []locks.Row{row}}, began+30_000))
			continue
		}
		for i, want := range c.says {
			if got := row.Quits[i].Said().String(); !strings.Contains(got, want) {
				t.Errorf("%s: %d says %s", name, i, got)
			}
		}
	}
}

// TestFlowAtLeast: once changes were missed, the counts of a queue are the least there can be, for as long as they
// count that time. What existed when the log began didn't come, and may have waited for longer.
func TestFlowAtLeast(t *testing.T) {
	q := newReadQueue()
	q.found(0, 1)
	q.found(0, 2)
	q.comes(2000, 3)
	if r := q.row(10_000); r.Flow != (locks.Flow{Came: 1, SpanMS: 10_000}) || !r.QueueLonger {
		t.Errorf("%+v, longer: %t", r.Flow, r.QueueLonger)
	}
	q.at(20_000, event.Event{Kind: event.RecipeNote, Reason: event.LeftMissed, N: 1}, 7)
	for ms, want := range map[int64]bool{21_000: true, 620_000: true, 621_000: false} {
		if r := q.row(ms); r.Flow.Least != want {
			t.Errorf("at %d ms at least: %t", ms, r.Flow.Least)
		}
	}
}

// TestQueueAge: a queue is as old as the first that came to it when nobody waited. Once nobody looked for a while, it
// may be older.
func TestQueueAge(t *testing.T) {
	q := newReadQueue()
	for i, ms := range []int64{1000, 2000, 3000} {
		q.comes(ms, i+1)
	}
	q.goes(4000, 2)
	if r := q.row(9000); r.QueueMS != began+2000 || r.QueueLonger {
		t.Errorf("since %v, or longer: %t", ago(r.QueueMS), r.QueueLonger)
	}
	q.begin(20_000)
	q.found(0, 1)
	q.found(3000, 3)
	if r := q.row(30_000); r.QueueMS != began+3000 || !r.QueueLonger {
		t.Errorf("read again, since %v, or longer: %t", ago(r.QueueMS), r.QueueLonger)
	}
	q.goes(31_000-20_000, 3)
	if r := q.row(32_000); r.QueueMS != 0 {
		t.Errorf("of nobody, since %v", ago(r.QueueMS))
	}

	joined := newIncident(t)
	joined.do("1s every 1s until 2s create 7 /l/lock-*")
	joined.locks.Anew()
	for i := range 2 {
		joined.locks.Put(handover.Node{Path: fmt.Sprintf("/l/lock-%010d", i), Session: 7, MadeMS: began + 2000})
	}
	joined.locks.Begin(began + 9000)
	r := joined.locks.Summary(began+10_000, "/", locks.Known{}).Rows[0]
	if r.QueueMS != began+2000 || !r.QueueLonger || !r.Flow.Least {
		t.Errorf("joined again, since %v, or longer: %t, %+v", ago(r.QueueMS), r.QueueLonger, r.Flow)
	}
}

// TestWaitersAreBounded: a row names the first few in line, and more of the lock that was asked for.
func TestWaitersAreBounded(t *testing.T) {
	l := locks.New("/")
	const all = locks.MostAlone + 10
	for i := range all + 1 {
		l.Put(handover.Node{Path: fmt.Sprintf("/l/lock-%010d", i), Session: int64(i + 1), MadeMS: began})
	}
	l.Begin(began)
	for below, want := range map[string]int{"/": locks.MostNamed, "/l": locks.MostAlone} {
		r := l.Summary(began+1000, below, locks.Known{}).Rows[0]
		if len(r.Waiters) != want || r.Waiters[want-1].Place != want || r.Waiters[0].Session != 2 ||
			r.Unnamed().String() != fmt.Sprintf("hands.more(%d)", all-want) {
			t.Errorf("below %s it names %d: %s", below, len(r.Waiters), r.Unnamed())
		}
	}
}

// TestDataOfASemaphore: data that is read later arrives at the one who has a permit and at the one at the door.
func TestDataOfASemaphore(t *testing.T) {
	const name = "_c_9f3a6c1e-0b7d-4f55-9a1b-0123456789a"
	q := newReadQueue()
	for i, at := range []string{"/s/leases/" + name + "b-lease-0000000000", "/s/locks/" + name + "c-lock-0000000001"} {
		found := event.Event{Kind: event.ZnodeFound, Path: at, Session: int64(i + 1), Zxid: int64(i + 1), N: began, Code: 4,
			Mode: uint8(zoo.EphemeralSequential)}
		q.log.Append(found)
		found.Zxid, found.Session, found.Text = 0, 0, "host"
		q.log.Append(found)
	}
	r := q.row(1000)
	if len(r.Holding) != 1 || r.Holding[0].Data != "host" || len(r.Waiters) != 1 || r.Waiters[0].Data != "host" {
		t.Errorf("held by %+v, awaited by %+v", r.Holding, r.Waiters)
	}
}
