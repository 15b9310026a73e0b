package view_test

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
)

func fold(s *view.State, events []event.Event) *view.State {
	for _, e := range events {
		s.Apply(e)
	}
	return s
}

func same(t *testing.T, what string, got, want *view.State) {
	t.Helper()
	if g, w := *got, *want; !equal(g, w) {
		t.Fatalf("%s: at event %d the states differ\ngot  %+v\nwant %+v", what, want.Seq, g, w)
	}
}

// equal treats an empty list like a missing one, and compares copies, which hold everything that a State says.
func equal(a, b view.State) bool {
	a, b = *a.Clone(), *b.Clone()
	norm := func(s *view.State) {
		s.Clients = append([]view.Client(nil), s.Clients...)
		s.Tree.Nodes = append([]view.Node(nil), s.Tree.Nodes...)
		s.Watches.List = append([]view.Watch(nil), s.Watches.List...)
		s.Flights.List = append([]view.Flight(nil), s.Flights.List...)
		s.Wakeups.Releases = append([]view.Release(nil), s.Wakeups.Releases...)
	}
	norm(&a)
	norm(&b)
	return reflect.DeepEqual(a, b)
}

// fold(a+b) = fold(fold(a), b), even if the State in between was copied and the original went on.
func TestFoldInTwoParts(t *testing.T) {
	for name, c := range scenarios() {
		log := c.log(t)
		whole := fold(view.New(), log)
		rnd := rand.New(rand.NewPCG(1, 2))
		for range 20 {
			n := rnd.IntN(len(log) + 1)
			first := fold(view.New(), log[:n])
			before := first.Clone()
			same(t, name, fold(first.Clone(), log[n:]), whole)
			same(t, name+", untouched", first, before)
		}
	}
}

// TestHistoryIsTheFold checks that any moments of a history, viewed in any order, equal the fold of what came before.
func TestHistoryIsTheFold(t *testing.T) {
	for name, c := range scenarios() {
		log := c.log(t)
		history := &view.History{}
		history.KeepOpen(1)
		history.AppendAll(log)
		checkHistory(t, name, history, log, 40)
	}
}

func TestLongHistory(t *testing.T) {
	if testing.Short() {
		t.Skip("it needs much memory and some seconds")
	}
	log := scenario{recipe: "children-lock", clients: 60, rounds: 4, hold: -1}.log(t)
	history := &view.History{}
	history.AppendAll(log)
	checkHistory(t, "long", history, log, 25)
}

func checkHistory(t *testing.T, name string, history *view.History, log []event.Event, looks int) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(3, uint64(len(log))))
	seq := 0
	for i := range looks {
		switch i % 3 {
		case 0:
			seq = rnd.IntN(len(log) + 1)
		case 1:
			seq = min(seq+rnd.IntN(50), len(log))
		case 2:
			seq = max(seq-rnd.IntN(2000), 0)
		}
		same(t, name, history.StateAtSeq(event.Seq(seq)), fold(view.New(), log[:seq]))
	}
	same(t, name, history.StateAtSeq(event.Seq(len(log)+5)), fold(view.New(), log))
}

func TestStateAt(t *testing.T) {
	log := scenarios()["predecessor"].log(t)
	history := &view.History{}
	history.AppendAll(log)
	for at := time.Duration(0); at < log[len(log)-1].At+time.Second; at += 7 * time.Millisecond {
		n := 0
		for n < len(log) && log[n].At <= at {
			n++
		}
		if s := history.StateAt(at); s.Seq != event.Seq(n) || history.SeqAt(at) != event.Seq(n) {
			t.Fatalf("at %v: event %d, want %d", at, s.Seq, n)
		}
	}
}

// TestFork checks that a fork has its parent's beginning and its own end, and that the parent keeps its own.
func TestFork(t *testing.T) {
	parent := scenario{recipe: "children-lock", clients: 30, rounds: 2, hold: -1}.log(t)
	other := scenario{recipe: "unique-lock", clients: 30, rounds: 2, hold: -1}.log(t)
	history := &view.History{}
	history.KeepOpen(2)
	history.AppendAll(parent)
	for _, n := range []int{0, 1, 1023, 1024, 1025, 2048, 5000, len(parent)} {
		joined := append(append([]event.Event(nil), parent[:n]...), other[min(n, len(other)):]...)
		fork := history.Fork(event.Seq(n))
		shown := history.StateAtSeq(3)
		fork.AppendAll(joined[n:])
		if shown.Seq != 3 {
			t.Fatalf("fork at %d: the parent shows %d", n, shown.Seq)
		}
		if fork.Len() != len(joined) {
			t.Fatalf("fork at %d has %d events, want %d", n, fork.Len(), len(joined))
		}
		checkHistory(t, "fork", fork, joined, 6)
		checkHistory(t, "parent", history, parent, 6)
		for i, e := range joined {
			if got, ok := fork.Lookup(event.Seq(i + 1)); !ok || got != e {
				t.Fatalf("fork at %d: event %d is %+v", n, i+1, got)
			}
		}
	}
}

// TestVeryLongHistory checks that a moment before any mark is still the fold after marks have been thinned out.
func TestVeryLongHistory(t *testing.T) {
	if testing.Short() {
		t.Skip("half a million events")
	}
	log := scenario{recipe: "predecessor-lock", clients: 6, rounds: 2500, hold: -1}.log(t)
	history := &view.History{}
	history.AppendAll(log)
	checkHistory(t, "very long", history, log, 9)
}
