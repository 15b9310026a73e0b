package locks_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/handover"
	"github.com/zkviz/zkviz/engine/analysis/holds"
	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/observe/locks"
	"github.com/zkviz/zkviz/engine/observe/past"
	"github.com/zkviz/zkviz/engine/observe/replay"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// TestHour makes clients come to a lock, hold it and lose it. The stream of transactions, the log of events and the
// reader of transaction logs have the same holds.
func TestHour(t *testing.T) {
	for seed := range uint64(10) {
		in := newIncident(t)
		hands, state := past.NewHandovers("/l"), replay.New("/")
		var changes []handover.Change
		apply := func(at time.Duration, x wire.Txn) {
			in.apply(at, x)
			x.Zxid, x.TimeMS = in.zxid, began+at.Milliseconds()
			hands.Before(state, &x)
			changes = append(changes, hands.Take(&x, state.Apply(&x))...)
		}
		r := rand.New(rand.NewPCG(seed, 2))
		now, line := time.Duration(0), []string{}
		for i := range 300 {
			now += time.Duration(r.IntN(9000)) * time.Millisecond
			session := int64(r.IntN(8) + 1)
			x := wire.Txn{Session: session, Cxid: 1, Op: wire.OpCloseSession}
			switch n := r.IntN(10); {
			case n < 5 || len(line) == 0:
				x.Op, x.Path, x.Ephemeral = wire.OpCreate, fmt.Sprintf("/l/lock-%010d", i), true
				x.Data = []byte(fmt.Sprint("host-", session))
				line = append(line, x.Path)
			case n < 8:
				x.Op, x.Path = wire.OpDelete, line[0]
				line = line[1:]
			case n < 9:
				x.Cxid = 0
			}
			if x.Op == wire.OpDelete {
				if node := in.state.Node(x.Path); node == nil {
					continue
				} else if r.IntN(4) > 0 {
					x.Session = node.Owner
				}
			}
			apply(now, x)
		}
		in.log.Done()
		end := began + now.Milliseconds()
		want, ok := in.locks.Hour("/l", end, locks.Known{})
		if !ok || len(want.Ended) < 15 {
			t.Fatalf("seed %d: the lock has %d holds", seed, len(want.Ended))
		}
		log, _ := in.log.Hour("/l", end, locks.Known{})
		files := holds.FromChanges(changes, hands.Holding(), naming.Lock, began, end+1)
		for name, got := range map[string]holds.History{"the log of events": log, "the files": files} {
			if !slices.Equal(got.Ended, want.Ended) || !slices.Equal(got.Now, want.Now) || got.Usual != want.Usual {
				t.Errorf("seed %d: by %s\n%v\nwant\n%v", seed, name, got, want)
			}
		}
	}
}

// at returns the path of a znode of a lock.
func at(lock int, i int64) string { return fmt.Sprintf("/l%d/lock-%010d", lock, i) }

// TestHourThins checks that all locks together keep no more holds than their limit, that each keeps its latest, that
// quiet ones keep all, and that there is room again for more once the busy time is over.
func TestHourThins(t *testing.T) {
	const most, quiet, busy = 10_000, 100, 20
	l := locks.New("/")
	l.LimitHolds(most)
	l.Begin(began)
	now, zxid, turns := int64(began), int64(0), map[int]int{}
	turn := func(lock int) {
		zxid++
		now++
		turns[lock]++
		e := event.Event{Kind: event.ZnodeCreated, Path: at(lock, int64(turns[lock])), Session: 7, Zxid: zxid}
		l.Apply(&e, now, 7)
		l.Settle(now, zxid)
		zxid++
		e.Kind, e.Reason, e.Zxid = event.ZnodeDeleted, event.ByOp, zxid
		l.Apply(&e, now+1, 7)
		l.Settle(now+1, zxid)
	}
	kept := func() (all int, of map[int]holds.History) {
		of = map[int]holds.History{}
		for lock := range turns {
			h, _ := l.Hour(fmt.Sprint("/l", lock), now, locks.Known{})
			if h.Of != turns[lock] {
				t.Errorf("lock %d changed hands %d times, and it counts %d", lock, turns[lock], h.Of)
			}
			if n := len(h.Ended); n == 0 || h.Ended[0].Znode != at(lock, int64(turns[lock])) {
				t.Errorf("lock %d lacks its latest hold", lock)
			}
			of[lock], all = h, all+len(h.Ended)
		}
		return all, of
	}
	for lock := range quiet {
		turn(lock)
		turn(lock)
	}
	for range 2000 {
		for lock := range busy {
			turn(quiet + lock)
		}
	}
	all, of := kept()
	if all > most || all < most/3 {
		t.Errorf("they keep %d holds", all)
	}
	if n := len(of[0].Ended); n != 2 {
		t.Errorf("a quiet lock keeps %d holds of 2", n)
	}
	before := len(of[quiet].Ended)
	now += 2 * time.Hour.Milliseconds()
	clear(turns)
	for range 3000 { // so many until the limit is set again
		turn(99_999)
	}
	for range 1500 {
		turn(99_998)
	}
	if _, of := kept(); len(of[99_998].Ended) <= before+before/2 {
		t.Errorf("after the busy time a lock still keeps %d, and in it %d", len(of[99_998].Ended), before)
	}
}

// TestHourUnseen checks that a hold that ended while nothing could be seen has an end, which isn't exact.
func TestHourUnseen(t *testing.T) {
	l := locks.New("/")
	put := func(name string, session int64) {
		l.Put(handover.Node{Path: "/l/lock-000000000" + name, Session: session, MadeMS: began})
	}
	put("1", 1)
	put("2", 2)
	l.Begin(began)
	l.Anew()
	l.Blind(true, 0)
	put("2", 2)
	l.Begin(began + 5000)
	l.Blind(false, began+6000)
	h, ok := l.Hour("/l", began+9000, locks.Known{Client: func(id int64) locks.Client {
		return locks.Client{Addr: fmt.Sprint("host:", id)}
	}})
	want := holds.Hold{Session: 1, Addr: "host:1", Znode: "/l/lock-0000000001", MadeMS: began, GotMS: began,
		LostMS: began + 6000, Reason: event.ByUnknown, Had: true, Unsure: true}
	if !ok || len(h.Ended) != 1 || h.Ended[0] != want || !h.Missed {
		t.Errorf("it ended like %+v", h)
	}
	if len(h.Now) != 1 || h.Now[0].Session != 2 || h.Now[0].Addr != "host:2" {
		t.Errorf("it is held like %+v", h.Now)
	}
}

// BenchmarkHour fills the holds of as many locks as are followed, and says how much memory a hold takes.
func BenchmarkHour(b *testing.B) {
	before := memory()
	l := locks.New("/")
	l.Begin(began)
	for lock := range locks.MaxThings {
		l.Put(handover.Node{Path: fmt.Sprintf("/l%d/lock-0000000000", lock), Session: 1, MadeMS: began})
	}
	l.Begin(began)
	bare, now, n := memory(), int64(began), int64(0)
	turn := func() {
		n++
		now += 4
		lock, i := int(n%locks.MaxThings), n/locks.MaxThings
		e := event.Event{Kind: event.ZnodeDeleted, Path: at(lock, i), Session: 1, Reason: event.ByOp}
		l.Apply(&e, now, 1)
		e.Kind, e.Path, e.Reason = event.ZnodeCreated, at(lock, i+1), 0
		l.Apply(&e, now, 1)
		l.Settle(now, n)
	}
	for range 15 * locks.MaxThings {
		turn()
	}
	full := memory()
	for b.Loop() {
		turn()
	}
	b.ReportMetric(float64(bare-before)/locks.MaxThings, "B/lock")
	b.ReportMetric(float64(full-bare)/1e6, "MB/full")
	runtime.KeepAlive(l)
}

// memory returns how much of the heap is in use.
func memory() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestSelected checks which changes a filter selects: of a hand-over, by both clients, and never a trouble's.
func TestSelected(t *testing.T) {
	hand := func(session int64, data string) handover.Hand {
		return handover.Hand{Node: handover.Node{Path: "/l/a", Session: session, Data: data}}
	}
	all := []locks.Change{
		{Turn: &locks.Turn{From: hand(1, "a"), To: hand(2, "b"), Reason: event.BySessionExpired}},
		{Turn: &locks.Turn{From: hand(2, "b"), Reason: event.ByOp, By: 2}},
		{Turn: &locks.Turn{To: hand(1, "a")}},
		{Quit: &locks.Quit{Node: handover.Node{Path: "/l/b", Session: 3}, Reason: event.BySessionExpired}},
		{Alert: &locks.Alert{}},
	}
	for f, want := range map[holds.Filter]string{
		{}:                              "[0 1 2 3 4]",
		{Why: "expired"}:                "[0 3 4]",
		{Why: "let-go"}:                 "[1 4]",
		{Who: "0x1"}:                    "[0 2 4]",
		{Who: "b"}:                      "[0 1 4]",
		{Who: "host"}:                   "[3 4]",
		{Who: "host:3", Why: "expired"}: "[3 4]",
		{Who: "host:3", Why: "let-go"}:  "[4]",
		{Who: "0x2", Why: "expired"}:    "[0 4]",
	} {
		got := []int{}
		for i := range all {
			if all[i].Selected(&f, func(session int64) string { return map[int64]string{3: "host:3"}[session] }) {
				got = append(got, i)
			}
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%+v selects %v, want %s", f, got, want)
		}
	}
}
