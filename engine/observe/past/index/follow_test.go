package index_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/observe/past"
	"github.com/zkviz/zkviz/engine/observe/past/index"
	"github.com/zkviz/zkviz/engine/testing/indextest"
	"github.com/zkviz/zkviz/engine/testing/txnlogtest"
	"github.com/zkviz/zkviz/engine/zookeeper/wire"
)

// server writes a ZooKeeper's files while an index reads them.
type server struct {
	t   *testing.T
	dir string
	all []wire.Txn
	n   int
	log string // the newest log
	end int64  // where its next transaction goes
}

// room is how many zeros a server writes ahead.
const room = 1 << 16

// writes begins with the first n transactions of all.
func writes(t *testing.T, all []wire.Txn, n int) (*server, *index.Index) {
	t.Helper()
	s := &server{t: t, dir: t.TempDir(), all: all}
	s.roll()
	s.write(n)
	return s, s.open()
}

// open indexes the current files.
func (s *server) open() *index.Index {
	s.t.Helper()
	f, err := past.Find(s.dir)
	if err != nil {
		s.t.Fatal(err)
	}
	x, err := index.New(f)
	if err == nil {
		err = x.Read(s.t.Context())
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return x
}

// roll begins a new log.
func (s *server) roll() {
	s.t.Helper()
	head := txnlogtest.Log()[:16]
	s.log, s.end = fmt.Sprintf("log.%x", s.all[s.n].Zxid), int64(len(head))
	if err := os.WriteFile(s.path(s.log), append(head, make([]byte, room)...), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

func (s *server) path(name string) string { return filepath.Join(s.dir, name) }

// frame returns a transaction as logs contain it.
func frame(t wire.Txn) []byte {
	return txnlogtest.AppendRecord(nil, txnlogtest.Latest().Txn(t))
}

// put writes bytes at the end of the log.
func (s *server) put(b []byte) {
	s.t.Helper()
	f, err := os.OpenFile(s.path(s.log), os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteAt(b, s.end)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.end += int64(len(b))
}

// write writes n transactions.
func (s *server) write(n int) {
	s.t.Helper()
	for range n {
		s.put(frame(s.all[s.n]))
		s.n++
	}
}

// same compares an index with a new one that has read everything from the beginning.
func (s *server) same(what string, x *index.Index) {
	s.t.Helper()
	x.ReadOn(s.t.Context(), time.Now())
	y := s.open()
	type told struct {
		rows    []string
		hands   index.Handovers
		txns    int64
		status  index.Status
		columns []index.Counts
	}
	tell := func(x *index.Index) (all told) {
		_, err := x.Search(s.t.Context(), past.Everything(), index.Cursor{}, func(r *index.Row) bool {
			all.rows = append(all.rows, fmt.Sprintf("%+v", *r))
			return true
		})
		if err != nil {
			s.t.Errorf("%s: %v", what, err)
		}
		if all.hands, err = x.Handovers(s.t.Context(), "/app/lock", func(float64) {}); err != nil {
			s.t.Errorf("%s: %v", what, err)
		}
		all.status = x.Status()
		all.txns = all.status.Compared.Txns
		from, until := x.Span()
		all.columns, _ = x.Columns(from, until, 1)
		all.status.Servers, all.status.Gone = nil, nil
		return all
	}
	got, want := tell(x), tell(y)
	if !slices.Equal(got.rows, want.rows) {
		s.t.Errorf("%s: it finds %d rows, not %d", what, len(got.rows), len(want.rows))
	}
	if g, w := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); g != w && !s.t.Failed() {
		s.t.Errorf("%s: it says\n%.3000s\nand from the beginning\n%.3000s", what, g, w)
	}
}

// TestGrows checks that ReadOn reads what a running server writes, in one log and the following ones. A
// half-written transaction is no damage.
func TestGrows(t *testing.T) {
	for _, before := range []int{1, 30, 16_383, 16_384, 16_385} {
		s, x := writes(t, turns(before+70, 1000), before)
		same := s.same
		if before > 100 { // it takes too long
			same = func(string, *index.Index) { x.ReadOn(t.Context(), time.Now()) }
		}
		same("nothing new", x)
		s.write(1)
		same("one transaction", x)
		known := x.Known()
		s.write(9)
		same("some", x)
		if x.Known() == known {
			t.Error("what was found before counts still")
		}
		half := frame(s.all[s.n])
		s.put(half[:len(half)/2])
		x.ReadOn(t.Context(), time.Now())
		got := x.Status()
		if len(got.Trouble) != 1 || !strings.Contains(got.Trouble[0], "is still being written, from byte") ||
			got.Compared.Sources[0].Torn != nil {
			t.Errorf("half a transaction: %q, %+v", got.Trouble, got.Compared.Sources[0].Torn)
		}
		s.put(half[len(half)/2:])
		s.n++
		same("the other half", x)
		s.write(10)
		s.roll()
		same("an empty log", x)
		s.write(10)
		same("the next log", x)
		s.write(5)
		s.roll()
		s.write(5)
		s.roll()
		s.write(5)
		same("two logs at once", x)
		half = frame(s.all[s.n])
		s.put(half[:len(half)/2])
		x.ReadOn(t.Context(), time.Now())
		s.n++
		s.roll() // after a crash
		s.write(5)
		s.same("a log that is torn for good", x)
		if got := x.Status(); len(got.Trouble) != 2 || !strings.Contains(got.Trouble[0], "is torn at byte") {
			t.Errorf("a log that is torn for good: %q", got.Trouble)
		}
	}
}

// TestReadOnInSlices checks that reading continues where its time ran out.
func TestReadOnInSlices(t *testing.T) {
	s, x := writes(t, turns(40_000, 1000), 10)
	s.write(39_000)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	for n := 0; ; n++ {
		x.ReadOn(over, time.Now())
		st := x.Status()
		if st.Done || n > 20 {
			break
		}
		if st.Err != nil {
			t.Fatalf("after %d slices: %v", n, st.Err)
		}
	}
	s.same("in slices", x)
}

// TestPurged checks that, after a server deletes old logs, the remaining ones are shown, with the earlier state
// from a snapshot.
func TestPurged(t *testing.T) {
	s, x := writes(t, turns(200, 1000), 41)
	first := s.log
	s.roll()
	s.write(40)
	s.same("two logs", x)
	if err := os.Remove(s.path(first)); err != nil {
		t.Fatal(err)
	}
	var gone *index.Vanished
	if err := x.Window(t.Context(), "/", 0, math.MaxInt64, &event.Log{}); !errors.As(err, &gone) {
		t.Errorf("before it has looked it says %v", err)
	}
	s.same("one log less", x)
	if got := x.Status().Gone; !slices.Equal(got, []string{first}) {
		t.Errorf("what is gone is %q", got)
	}
	s.write(40)
	s.same("and more", x)
	second := s.log
	s.roll()
	s.write(4)
	if err := os.Remove(s.path(second)); err != nil {
		t.Fatal(err)
	}
	s.same("removed and grown at once", x)
	if err := os.RemoveAll(s.dir); err != nil {
		t.Fatal(err)
	}
	x.ReadOn(t.Context(), time.Now())
	if st := x.Status(); len(st.Gone) != 3 || !st.Done {
		t.Errorf("when all is gone: %+v", st)
	}
}

// TestRewritten checks a follower that drops what its leader never had, and writes other transactions in its place.
func TestRewritten(t *testing.T) {
	s, x := writes(t, turns(100, 1000), 50)
	s.same("at first", x)
	other := s.all[49]
	other.Op, other.Path, other.Paths = wire.OpCreate, "/other", nil
	s.end -= int64(len(frame(s.all[49])))
	s.put(append(frame(other), make([]byte, 64)...))
	s.same("another at the end", x)
}

// TestSeveralGrow checks that concurrent writes of several servers end up in one order.
func TestSeveralGrow(t *testing.T) {
	all := turns(60, 1000)
	dir := t.TempDir()
	var servers []*server
	for _, name := range []string{"a", "b"} {
		s := &server{t: t, dir: filepath.Join(dir, name), all: all}
		if err := os.Mkdir(s.dir, 0o700); err != nil {
			t.Fatal(err)
		}
		s.roll()
		s.write(10)
		servers = append(servers, s)
	}
	x := indextest.Read(t, servers[0].dir, servers[1].dir)
	servers[1].write(5)
	x.ReadOn(t.Context(), time.Now())
	servers[0].write(10)
	x.ReadOn(t.Context(), time.Now())
	if c := x.Status().Compared; c.Txns != 20 || c.Sources[0].Txns != 20 || c.Sources[1].Txns != 15 ||
		c.Sources[1].Behind != 5 {
		t.Errorf("they have %+v", c)
	}
}
