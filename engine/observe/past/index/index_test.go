package index_test

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/naming"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/observe/past"
	"github.com/zkviz/zkviz/engine/observe/past/index"
	"github.com/zkviz/zkviz/engine/observe/replay"
	"github.com/zkviz/zkviz/engine/testing/indextest"
	"github.com/zkviz/zkviz/engine/testing/txnlogtest"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// beginMS is the time at which the logs of tests begin.
const beginMS = 1_764_000_000_000

// turns returns n transactions at regular intervals in which sessions acquire and release a lock. They release it
// by deleting their znode, and each tenth by expiring.
func turns(n int, everyMS int64) []wire.Txn {
	all := make([]wire.Txn, 0, n+1)
	for i := 0; len(all) < n; i++ {
		session := int64(i + 1)
		name := fmt.Sprintf("/app/lock/n-%010d", i)
		all = append(all,
			wire.Txn{Session: session, Op: wire.OpCreateSession, TimeoutMS: 10_000},
			wire.Txn{Session: session, Cxid: 1, Op: wire.OpCreate, Path: name, Ephemeral: true, ACL: zoo.OpenACL()})
		if i%10 == 9 {
			all = append(all, wire.Txn{Session: session, Op: wire.OpCloseSession, Paths: []string{name}})
			continue
		}
		all = append(all, wire.Txn{Session: session, Cxid: 2, Op: wire.OpDelete, Path: name},
			wire.Txn{Session: session, Cxid: 3, Op: wire.OpCloseSession})
	}
	all = all[:n]
	for i := range all {
		all[i].Zxid, all[i].TimeMS = int64(i+1), beginMS+int64(i)*everyMS
	}
	return all
}

// written writes files and indexes them.
func written(t testing.TB, files map[string][]byte) *index.Index {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return indextest.Read(t, dirs(dir)...)
}

// dirs returns the folders in dir, or dir itself if there are none.
func dirs(dir string) (all []string) {
	list, _ := os.ReadDir(dir)
	for _, e := range list {
		if e.IsDir() {
			all = append(all, filepath.Join(dir, e.Name()))
		}
	}
	if all == nil {
		return []string{dir}
	}
	return all
}

// TestColumns checks that totals are exact for any width of columns, and each time is right to within a bucket.
func TestColumns(t *testing.T) {
	all := turns(100_000, 60_000) // 70 days
	x := written(t, map[string][]byte{"log.1": txnlogtest.Log(all...)})
	from, until := x.Span()
	if from != all[0].TimeMS || until != all[len(all)-1].TimeMS+1 {
		t.Errorf("it spans %d to %d", from, until)
	}
	want := index.Counts{Txns: int64(len(all))}
	state := replay.New("/")
	for i := range all {
		for _, f := range state.Apply(&all[i]) {
			switch f.Kind {
			case event.ZnodeCreated:
				want.Created++
			case event.ZnodeDeleted:
				want.Deleted++
			case event.SessionCreated:
				want.Opened++
			case event.SessionClosed:
				want.Closed++
			case event.SessionExpired:
				want.Expired++
			}
		}
	}
	for _, n := range []int{1, 7, 96} {
		columns, fine := x.Columns(from, until, n)
		if !fine {
			t.Fatalf("%d columns are too fine", n)
		}
		var got index.Counts
		for i := range columns {
			got.Add(&columns[i])
		}
		if got != want {
			t.Errorf("in %d columns there are %+v, not %+v", n, got, want)
		}
	}
	if _, fine := x.Columns(from, from+1000, 96); fine {
		t.Error("hundredths of a second are told apart")
	}
	f := past.Everything()
	f.Since, f.Until = from, until
	tally, err := x.Tally(t.Context(), f, 96, func(float64) {})
	if err != nil {
		t.Fatal(err)
	}
	columns, _ := x.Columns(from, until, 96)
	for i := range columns {
		if d := tally[i].Txns - columns[i].Txns; d < -40 || d > 40 { // a bucket has 34 of them
			t.Errorf("column %d has %d transactions, counted one by one %d", i, columns[i].Txns, tally[i].Txns)
		}
	}
}

// TestStrangeTimes checks that wrong clocks cost neither memory nor a crash.
func TestStrangeTimes(t *testing.T) {
	all := turns(9, 1000)
	all[2].TimeMS, all[4].TimeMS, all[6].TimeMS = math.MinInt64, math.MaxInt64, 0
	x := written(t, map[string][]byte{"log.1": txnlogtest.Log(all...)})
	from, until := x.Span()
	columns, fine := x.Columns(from, until, 10)
	n := int64(0)
	for i := range columns {
		n += columns[i].Txns
	}
	if !fine || n != 9 {
		t.Errorf("from %d to %d there are %d transactions", from, until, n)
	}
}

// whole returns the log of a window.
func whole(t *testing.T, x *index.Index, path string, since, until int64) (log event.Log) {
	t.Helper()
	if err := x.Window(t.Context(), path, since, until, &log); err != nil {
		t.Fatalf("%s from %d to %d: %v", path, since, until, err)
	}
	return log
}

// TestWindow checks the state at the start of a window, wherever it begins.
func TestWindow(t *testing.T) {
	all := turns(50_000, 1000)
	one := written(t, map[string][]byte{"log.1": txnlogtest.Log(all...)})
	// For comparison, a state computed from the beginning.
	for _, n := range []int{0, 1, 2, 16_383, 16_384, 16_385, 33_000, 49_000} {
		since, until := beginMS+int64(n)*1000, beginMS+int64(n+40)*1000
		log := whole(t, one, "/app/lock", since, until)
		state := replay.New("/app/lock")
		for i := range n {
			state.Apply(&all[i])
		}
		found := 0
		for _, e := range log.Events {
			if e.Kind == event.ZnodeFound {
				if found++; state.Node(e.Path) == nil {
					t.Errorf("from transaction %d on %s is there", n, e.Path)
				}
			}
		}
		if found != state.Nodes() {
			t.Errorf("from transaction %d on %d znodes are there, not %d", n, found, state.Nodes())
		}
		first, last := log.Events[0], log.Events[len(log.Events)-1]
		if first.N != since || last.Kind != event.RunEnded || last.At.Milliseconds() != 39_000 {
			t.Errorf("from transaction %d on it begins at %d and ends %v later", n, first.N, last.At)
		}
	}
	var log event.Log
	if err := one.Window(t.Context(), "/", 0, beginMS, &log); !errors.Is(err, index.ErrNothing) {
		t.Errorf("before the log: %v", err)
	}
}

// TestSearch finds what a filter selects, page by page.
func TestSearch(t *testing.T) {
	all := turns(20_000, 1000)
	x := written(t, map[string][]byte{"log.1": txnlogtest.Log(all...)})
	f := past.Everything()
	f.Below, f.Kinds = "/app/lock", []event.Kind{event.ZnodeDeleted}
	f.Since = beginMS + 5_000_000
	var paths []string
	var after index.Cursor
	for pages := 0; ; pages++ {
		n := 0
		last, err := x.Search(t.Context(), f, after, func(r *index.Row) bool {
			if r.Kind != event.ZnodeDeleted || r.LivedMS != 1000 {
				t.Fatalf("it finds %+v", r)
			}
			paths = append(paths, r.Path)
			n++
			return n < 1000
		})
		if err != nil {
			t.Fatal(err)
		}
		if after = last; after.Zxid == 0 {
			break
		}
	}
	var want []string
	for i := range all {
		if at := all[i].TimeMS >= f.Since; at && all[i].Op == wire.OpDelete {
			want = append(want, all[i].Path)
		} else if at {
			want = append(want, all[i].Paths...)
		}
	}
	if !slices.Equal(paths, want) {
		t.Errorf("it finds %d deletions, not %d", len(paths), len(want))
	}
}

// TestHands checks that the lock changes hands at each create and delete.
func TestHands(t *testing.T) {
	x := written(t, map[string][]byte{"log.1": txnlogtest.Log(turns(390, 1000)...)})
	h, err := x.Handovers(t.Context(), "/app/lock", func(float64) {})
	if err != nil || len(h.Changes) != 200 || h.Changes[19].Reason != event.BySessionExpired {
		t.Fatalf("%v, %d changes: %+v", err, len(h.Changes), h.Changes)
	}
}

// TestHandsOfSemaphore counts those that wait at a semaphore's door, which is a folder beside the semaphore.
func TestHandsOfSemaphore(t *testing.T) {
	const permit, stands = "00000000000000000000000000000001", "00000000000000000000000000000002__lock__0000000000"
	var all []wire.Txn
	for i, x := range []wire.Txn{{Path: "/s"}, {Path: "/s-__lock__"}, {Path: "/s/" + permit, Session: 1},
		{Path: "/s-__lock__/" + stands, Session: 2}, {Path: "/s/" + permit, Session: 1, Op: wire.OpDelete}} {
		x.Op, x.Ephemeral = cmp.Or(x.Op, wire.OpCreate), x.Session != 0
		x.Zxid, x.TimeMS, x.Cxid = int64(i+1), beginMS+int64(i)*1000, 1
		all = append(all, x)
	}
	x := written(t, map[string][]byte{"log.1": txnlogtest.Log(all...)})
	for _, path := range []string{"/s", "/s-__lock__"} {
		h, err := x.Handovers(t.Context(), path, func(float64) {})
		if err != nil || h.Path != "/s" || h.Use != naming.Semaphore || len(h.Changes) != 2 || h.Changes[1].Waiting != 1 {
			t.Errorf("%v, of %s: %+v", err, path, h)
		}
	}
}

// TestFirstAndLast checks the transactions next to a time.
func TestFirstAndLast(t *testing.T) {
	x := written(t, map[string][]byte{"log.1": txnlogtest.Log(turns(40_000, 1000)...)})
	for _, c := range []struct{ ms, first, last int64 }{
		{0, 1, 0}, {beginMS, 1, 0}, {beginMS + 1, 2, 1}, {beginMS + 16_384_000, 16_385, 16_384},
		{beginMS + 39_999_000, 40_000, 39_999}, {beginMS + 40_000_000, 0, 40_000},
	} {
		first, _, err := x.First(t.Context(), c.ms)
		if first.Zxid != c.first || err != nil {
			t.Errorf("from %d on the first is %d, not %d: %v", c.ms, first.Zxid, c.first, err)
		}
		if last, _, err := x.Last(t.Context(), c.ms); last.Zxid != c.last || err != nil {
			t.Errorf("before %d the last is %d, not %d: %v", c.ms, last.Zxid, c.last, err)
		}
	}
}
