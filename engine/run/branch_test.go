package run_test

import (
	"context"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/run"
)

// TestBranchesHaveTheirPast builds trees of forks of forks, at any time, and compares every branch with a run that
// has all its faults: its events, its verdict and figures, and how little of it is its own.
func TestBranchesHaveTheirPast(t *testing.T) {
	for seed := range uint64(12) {
		chance := rand.New(rand.NewPCG(seed, 7))
		s := run.Scenario{
			Recipe: one(chance, "predecessor-lock", "unnoticed-expiry", "fifo-queue"), Clients: 4, Rounds: 2,
			Hold: 2 * time.Second, Seed: seed, SessionTimeout: 4 * time.Second,
		}
		if seed%2 == 1 {
			s.Faults = faults(t, "pause client-2 at 1s for 9s", "drop client-1 at 3s")
		}
		tree := newTree(t, s)
		for len(tree.Branches()) < 10 {
			parent := one(chance, tree.Branches()...)
			f := randomFault(chance, s.Clients, lastTime(tree, parent.ID))
			b, err := tree.Fork(context.Background(), parent.ID, f)
			if err != nil {
				t.Fatal(err)
			}
			describes(t, tree, parent, b, f)
		}
		for _, b := range tree.Branches() {
			isWhole(t, tree, b)
		}
	}
}

// describes checks what a branch says about itself.
func describes(t *testing.T, tree *run.Tree, parent, b run.Branch, f fault.Fault) {
	t.Helper()
	if b.ID != len(tree.Branches())-1 || b.Parent != parent.ID || b.At != f.At || b.Fault != f.String() {
		t.Errorf("fork of %d by %q: branch %d of %d by %q at %s", parent.ID, f, b.ID, b.Parent, b.Fault, b.At)
	}
	if want := append(slices.Clone(parent.Header.Faults), f.String()); !slices.Equal(b.Header.Faults, want) {
		t.Errorf("its faults are %q, want %q", b.Header.Faults, want)
	}
	before, after := slices.Collect(tree.Events(parent.ID)), slices.Collect(tree.Events(b.ID))
	common := 0
	for common < min(len(before), len(after)) && before[common] == after[common] {
		common++
	}
	if int(b.From) != common+1 || int(b.Last()) != len(after) {
		t.Errorf("branch %d has events %d to %d of its own; %d of %d are its parent's", b.ID, b.From, b.Last(), common,
			len(after))
	}
	bare, more := parent.Size()-parent.Own.Size(), b.Size()-b.Own.Size()
	if bare < 1000 || more <= bare {
		t.Errorf("besides its events branch %d takes %d bytes, its parent %d", b.ID, more, bare)
	}
	own := slices.Collect(b.Own.From(1))
	if !slices.Equal(own, after[common:]) {
		t.Errorf("branch %d keeps %d events, want %d", b.ID, len(own), len(after)-common)
	}
}

// isWhole compares a branch with the run that has all its faults from the start.
func isWhole(t *testing.T, tree *run.Tree, b run.Branch) {
	t.Helper()
	s := tree.Scenario()
	s.Faults = faults(t, b.Header.Faults...)
	var log event.Log
	whole, pieced := run.NewTally(s.Header("sim")), run.NewTally(b.Header)
	if err := run.Sim(context.Background(), s, event.Tee{whole, &log}); err != nil {
		t.Fatal(err)
	}
	got := slices.Collect(tree.Events(b.ID))
	if !slices.Equal(got, log.Events) {
		t.Errorf("branch %d is not the run with faults %q", b.ID, b.Header.Faults)
	}
	if !reflect.DeepEqual(b.Header, s.Header("sim")) {
		t.Errorf("branch %d has the header %+v, want %+v", b.ID, b.Header, s.Header("sim"))
	}
	for _, e := range got {
		pieced.Append(e)
	}
	if got, want := pieced.Summary(), whole.Summary(); !reflect.DeepEqual(got, want) || end(pieced) != end(whole) {
		t.Errorf("branch %d is judged as %+v, want %+v", b.ID, got, want)
	}
}

// TestEventsMayStop: a reader that stops in a branch, in its parents' part or its own, gets no more.
func TestEventsMayStop(t *testing.T) {
	tree := newTree(t, run.Scenario{Recipe: "predecessor-lock", Clients: 3, Hold: time.Second})
	b, err := tree.Fork(context.Background(), 0, faults(t, "crash client-1 at 500ms")[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, until := range []event.Seq{1, b.From - 1, b.From, b.From + 1, b.Last()} {
		var last event.Seq
		for e := range tree.Events(b.ID) {
			if last = e.Seq; last == until {
				break
			}
		}
		if last != until {
			t.Errorf("stopped at event %d, want %d", last, until)
		}
	}
}

// TestNoSuchBranch: an unknown branch has no events.
func TestNoSuchBranch(t *testing.T) {
	tree := newTree(t, run.Scenario{Recipe: "predecessor-lock", Clients: 2})
	for id, there := range map[int]bool{-1: false, 0: true, 1: false, 99: false} {
		b, ok := tree.Branch(id)
		if n := len(slices.Collect(tree.Events(id))); ok != there || (n > 0) != there || there && (b.Parent != -1 ||
			b.From != 1 || b.Fault != "") {
			t.Errorf("branch %d: %t, %d events, %+v", id, ok, n, b.Header)
		}
	}
}

// TestKeptEventsAreBounded: a log in memory has a lower limit of events than one that streams by.
func TestKeptEventsAreBounded(t *testing.T) {
	for given, want := range map[int]int{0: run.KeptEvents, -1: run.KeptEvents, run.StreamEvents: run.KeptEvents,
		run.KeptEvents - 1: run.KeptEvents - 1, 40: 40} {
		tree := run.TreeOf(run.Scenario{Recipe: "predecessor-lock", MaxEvents: given}, run.Branch{Parent: -1})
		if got := tree.Scenario().MaxEvents; got != want {
			t.Errorf("with %d events given, %d are kept, want %d", given, got, want)
		}
	}
	tree := newTree(t, run.Scenario{Recipe: "predecessor-lock", MaxEvents: 40})
	if last := tree.Branches()[0].Last(); last < 40 || last > 50 {
		t.Errorf("%d events are kept of 40", last)
	}
}

// TestNoFaultFromAnotherParent: a tried branch is added only while there is room and a parent.
func TestNoFaultFromAnotherParent(t *testing.T) {
	s := run.Scenario{Recipe: "unique-lock", Clients: 2}
	tree := newTree(t, s)
	tried, err := tree.Try(context.Background(), 0, faults(t, "crash client-1 at 1ms")[0], 0)
	if err != nil {
		t.Fatal(err)
	}
	orphan := tried
	orphan.Parent = 1
	if _, err := tree.Add(orphan); err == nil || !strings.Contains(said(err), "no branch 1") {
		t.Errorf("added without its parent: %v", err)
	}
	for n := 1; n < run.MaxBranches; n++ {
		if b, err := tree.Add(tried); err != nil || b.ID != n {
			t.Fatalf("branch %d of %d: %v", b.ID, n, err)
		}
	}
	for _, add := range []func() error{
		func() error { _, err := tree.Add(tried); return err },
		func() error {
			_, err := tree.Try(context.Background(), 0, faults(t, "crash client-1 at 1ms")[0], 0)
			return err
		},
	} {
		if err := add(); err == nil || !strings.Contains(said(err), "has 64 branches, the most it can have") {
			t.Errorf("the 65th branch: %v", err)
		}
	}
	if n := len(tree.Branches()); n != 64 {
		t.Errorf("there are %d branches", n)
	}
}

// TestForkAfterTheEnd forks a run and a branch, whose ends differ.
func TestForkAfterTheEnd(t *testing.T) {
	tree := newTree(t, run.Scenario{Recipe: "predecessor-lock", Clients: 3, Hold: time.Second})
	if _, err := tree.Fork(context.Background(), 0, faults(t, "crash client-1 at 500ms")[0]); err != nil {
		t.Fatal(err)
	}
	for id := range 2 {
		end := lastTime(tree, id)
		f := fault.Fault{Kind: fault.Crash, Client: 1, At: end + 1}
		_, err := tree.Fork(context.Background(), id, f)
		if want := "the run ended at " + end.String() + ", before it"; err == nil || !strings.Contains(said(err), want) {
			t.Errorf("branch %d: got %v, want %q", id, err, want)
		}
	}
}

// TestForkIsInterrupted: a cancelled fork leaves the tree as it was.
func TestForkIsInterrupted(t *testing.T) {
	tree := newTree(t, run.Scenario{Recipe: "children-lock", Clients: 60, Hold: time.Second})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	f := faults(t, "crash client-1 at 1s")[0]
	if b, err := tree.Fork(ctx, 0, f); err != context.Canceled || len(tree.Branches()) != 1 {
		t.Errorf("branch %d, %v", b.ID, err)
	}
	if _, err := run.NewTree(ctx, tree.Scenario()); err != context.Canceled {
		t.Errorf("got %v", err)
	}
}

// end returns the event that ended the run.
func end(t *run.Tally) event.Event {
	e, _ := t.Ended()
	return e
}
