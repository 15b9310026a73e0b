package run_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/packed"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/recipes"
)

func recipeNames() []string {
	var names []string
	for _, r := range recipes.All() {
		names = append(names, r.Name)
	}
	return names
}

func newTree(t *testing.T, s run.Scenario) *run.Tree {
	t.Helper()
	tree, err := run.NewTree(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// TestForkKeepsThePast forks every recipe at random times with random faults, forks of forks too. What happened
// before the fault is the same; what the tree combines is what a run with all the faults gives.
func TestForkKeepsThePast(t *testing.T) {
	seeds := uint64(6)
	if testing.Short() {
		seeds = 1
	}
	for _, recipe := range recipeNames() {
		for seed := range seeds {
			t.Run(fmt.Sprintf("%s/%d", recipe, seed), func(t *testing.T) { forkAtRandom(t, recipe, seed) })
		}
	}
}

func forkAtRandom(t *testing.T, recipe string, seed uint64) {
	dice := rand.New(rand.NewPCG(seed, 1))
	r, err := run.Recipe(recipe)
	if err != nil {
		t.Fatal(err)
	}
	s := run.Scenario{Recipe: recipe, Clients: max(r.MinClients, 2+dice.IntN(5)), Hold: 3 * time.Second, Seed: seed,
		SessionTimeout: 4 * time.Second}
	tree := newTree(t, s)
	for range 4 {
		parent := dice.IntN(len(tree.Branches()))
		f := randomFault(dice, s.Clients, lastTime(tree, parent))
		if len(possible(s, []fault.Fault{f})) == 0 {
			continue
		}
		b, err := tree.Fork(context.Background(), parent, f)
		if err != nil {
			t.Fatalf("fork of %d with %q: %v", parent, f, err)
		}
		before := slices.Collect(tree.Events(parent))
		after := slices.Collect(tree.Events(b.ID))
		for i := range before {
			if before[i].At >= f.At {
				break
			}
			if before[i] != after[i] {
				t.Fatalf("%q: event %d, before the fault, was %+v and became %+v", f, i+1, before[i], after[i])
			}
		}
		whole := tree.Scenario()
		whole.Faults = faults(t, b.Header.Faults...)
		log := &event.Log{}
		if err := run.Sim(context.Background(), whole, log); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(log.Events, after) {
			t.Fatalf("branch %d is not the run with faults %q", b.ID, b.Header.Faults)
		}
	}
}

func lastTime(tree *run.Tree, id int) time.Duration {
	var at time.Duration
	for e := range tree.Events(id) {
		at = e.At
	}
	return at
}

func randomFault(dice *rand.Rand, clients int, before time.Duration) fault.Fault {
	f := fault.Fault{
		Kind:   fault.Kind(1 + dice.IntN(int(fault.Drop))),
		Client: 1 + dice.IntN(clients),
		At:     time.Duration(dice.Int64N(int64(before))),
	}
	if f.Kind.Lasts() {
		f.For = time.Duration(dice.IntN(20000)) * time.Millisecond
	}
	return f
}

func TestForkIsRefused(t *testing.T) {
	tree := newTree(t, run.Scenario{Recipe: "predecessor-lock", Clients: 3})
	for want, c := range map[string]struct {
		parent int
		fault  string
	}{
		"there is no branch 1":                 {1, "crash client-1 at 1ms"},
		"there is no branch -1":                {-1, "crash client-1 at 1ms"},
		"there is no client-4 among 3 clients": {0, "crash client-4 at 1ms"},
		"the run ended at ":                    {0, "crash client-1 at 23h"},
	} {
		_, err := tree.Fork(context.Background(), c.parent, faults(t, c.fault)[0])
		if err == nil || !strings.Contains(said(err), want) {
			t.Errorf("%q on branch %d: got %v, want %q", c.fault, c.parent, err, want)
		}
	}
	if n := len(tree.Branches()); n != 1 {
		t.Errorf("refused forks left %d branches", n)
	}
}

// TestForkKnowsTheMessage checks that a fault on a message makes a branch only while the message is on its way.
func TestForkKnowsTheMessage(t *testing.T) {
	tree := newTree(t, run.Scenario{Recipe: "predecessor-lock", Clients: 3, Servers: 3, Latency: 10 * time.Millisecond})
	var sent event.Event
	for e := range tree.Branches()[0].Own.From(1) {
		if e.Kind == event.MsgSent && e.Op == event.Commit {
			sent = e
			break
		}
	}
	for after, ok := range map[time.Duration]bool{-1: false, 1: true, time.Duration(sent.N) - 1: true,
		time.Duration(sent.N) + 1: false} {
		f := fault.Fault{Kind: fault.DeliverMessage, At: sent.At + after,
			Message: fault.Message{Op: event.Commit, Nth: 1, From: sent.Actor, To: sent.Peer}}
		b, err := tree.Fork(context.Background(), 0, f)
		if (err == nil) != ok || err == nil && b.Fault != f.String() ||
			err != nil && !strings.HasSuffix(said(err), "that message is not on its way then") {
			t.Errorf("%q: %+v, %v", f, b, err)
		}
	}
}

func TestBranchesAreLimited(t *testing.T) {
	tree := newTree(t, run.Scenario{Recipe: "unique-lock", Clients: 2})
	f := faults(t, "crash client-1 at 1ms")[0]
	for range run.MaxBranches - 1 {
		if _, err := tree.Fork(context.Background(), 0, f); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := tree.Fork(context.Background(), 0, f); err == nil || !strings.Contains(said(err), "64 branches") {
		t.Errorf("the last fork: got %v", err)
	}
}

// TestTreesShareTheirFirstBranch: two trees of one log get the same branch.
func TestTreesShareTheirFirstBranch(t *testing.T) {
	s := run.Scenario{Recipe: "predecessor-lock", Clients: 5}
	first, err := run.First(context.Background(), s, 0)
	if err != nil {
		t.Fatal(err)
	}
	a, b := run.TreeOf(s, first), run.TreeOf(s, first)
	f := faults(t, "crash client-2 at 2ms")[0]
	tried, err := a.Try(context.Background(), 0, f, 0)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(a.Branches()); n != 1 {
		t.Errorf("a branch that is only tried makes the tree have %d", n)
	}
	for _, tree := range []*run.Tree{a, b} {
		if added, err := tree.Add(tried); err != nil || added.ID != 1 {
			t.Errorf("added as %d, %v", added.ID, err)
		}
		for id, want := range []packed.Log{first.Own, tried.Own} {
			if got, _ := tree.Branch(id); !reflect.DeepEqual(got.Own, want) {
				t.Errorf("the tree has another branch %d", id)
			}
		}
	}
	whole := newTree(t, s)
	if _, err := whole.Fork(context.Background(), 0, f); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(slices.Collect(whole.Events(1)), slices.Collect(b.Events(1))) {
		t.Error("a branch that was tried in another tree is not the one that is forked")
	}
}

// TestTooLargeIsStopped gives a run and a branch less memory than their logs take.
func TestTooLargeIsStopped(t *testing.T) {
	s := run.Scenario{Recipe: "children-lock", Clients: 50, Hold: time.Second}
	first, err := run.First(context.Background(), s, 0)
	if err != nil {
		t.Fatal(err)
	}
	f := faults(t, "crash client-2 at 2s")[0]
	tree := run.TreeOf(s, first)
	fork, err := tree.Try(context.Background(), 0, f, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		size int
		try  func(most int) error
	}{
		{first.Size(), func(most int) error { _, err := run.First(context.Background(), s, most); return err }},
		{fork.Size(), func(most int) error { _, err := tree.Try(context.Background(), 0, f, most); return err }},
	} {
		if err := c.try(c.size); err != nil {
			t.Errorf("with %d bytes for %d: %v", c.size, c.size, err)
		}
		if err := c.try(c.size / 2); !errors.Is(err, run.ErrTooLarge) {
			t.Errorf("with %d bytes for %d: %v", c.size/2, c.size, err)
		}
	}
}
