package ensemble_test

import (
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/testing/virtual"
	"github.com/zkviz/zkviz/engine/zookeeper/ensemble"
	"github.com/zkviz/zkviz/engine/zookeeper/zab"
)

// TestSnapshotOfWhatNobodyCommitted checks that a transaction is reported as agreed which only a snapshot has: its
// leader sent it in one before anybody had committed it, and lost its power, and who had loaded it led next.
func TestSnapshotOfWhatNobodyCommitted(t *testing.T) {
	w := virtual.New(ensemble.Config{Voters: 3, Tick: 200 * time.Millisecond}, 1, 0)
	until := func(what string, ok func() bool) {
		t.Helper()
		for end := w.Now + time.Minute; !ok(); w.Run(w.Now + 100*time.Microsecond) {
			if w.Now > end {
				t.Fatalf("after a minute: no %s", what)
			}
		}
	}
	saved := func(id zab.ID) bool {
		for _, e := range w.Record.Events {
			if e.Kind == event.SnapshotSaved && e.Actor == event.Server(int(id)) {
				return true
			}
		}
		return false
	}
	write := func(word virtual.Word) {
		s := w.Server(3)
		s.Hold(func() { s.Propose(word, 0) })
	}
	w.Start()
	w.Crash(1, 2*time.Second, 0)
	until("leader", func() bool { return w.Leader() == 3 })
	write("agreed")
	until("agreed write", func() bool { return len(w.Committed) == 1 })
	w.Crash(2, 20*time.Second, 0)
	write("open")
	until("snapshot", func() bool { return saved(1) })
	if n := len(w.Committed); n != 1 {
		t.Fatalf("%d writes are agreed before the snapshot has been acknowledged", n)
	}
	w.LosePower(3, 5*time.Minute, 0)
	until("leader with the snapshot", func() bool { return w.Leader() == 1 })
	all := &virtual.Words{List: w.Committed}
	if got, want := all.String(), w.Apps[1].String(); got != want || len(w.Committed) != 2 {
		t.Errorf("agreed is %s, and the leader has %s", got, want)
	}
}
