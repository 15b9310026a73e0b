package explore_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/run/explore"
)

// Kinds that don't exist. They strike a client and don't last.
const (
	madeUp  fault.Kind = 200
	another fault.Kind = 201
)

// split returns the faults of one kind, and those of the others.
func split(list []fault.Fault, k fault.Kind) (those, others []fault.Fault) {
	for _, f := range list {
		if f.Kind == k {
			those = append(those, f)
		} else {
			others = append(others, f)
		}
	}
	return those, others
}

// TestANewKindIsAdded: a new kind of fault changes nothing that a seed drew before, whatever runs on, and wherever it
// stands in the table. It comes by itself, in every eighth seed, to every client.
func TestANewKindIsAdded(t *testing.T) {
	for name, cfg := range map[string]explore.Config{
		"alone":     {Recipe: named(t, "predecessor-lock")},
		"servers":   {Recipe: named(t, "predecessor-lock"), Servers: 3, Observers: 1},
		"elsewhere": {Recipe: named(t, "redis-failover")},
	} {
		one, two := explore.WithNew(cfg, madeUp), explore.WithNew(cfg, another, madeUp)
		seeds, clients := map[string]int{}, map[string]int{}
		for seed := range uint64(draws) {
			before, after := explore.Draw(cfg, seed), explore.Draw(one, seed)
			added, old := split(after.Faults, madeUp)
			if !slices.Equal(old, before.Faults) {
				t.Fatalf("%s, seed %d: %v became %v", name, seed, before.Faults, after.Faults)
			}
			if again, _ := split(explore.Draw(two, seed).Faults, madeUp); !slices.Equal(again, added) {
				t.Fatalf("%s, seed %d: %v became %v beside another new kind", name, seed, added, again)
			}
			byTime := func(a, b fault.Fault) int { return int(a.At - b.At) }
			if !slices.IsSortedFunc(after.Faults, byTime) {
				t.Fatalf("%s, seed %d: out of order: %v", name, seed, after.Faults)
			}
			seeds[fmt.Sprint(len(added))]++
			if after.Clients == 5 && len(added) > 0 {
				clients[fmt.Sprint(added[0].Client)]++
			}
		}
		shares{"0": 7. / 8, "1": 1. / 8}.holdTo(t, name+": how often", seeds)
		evenly(1, 2, 3, 4, 5).holdTo(t, name+": the client", clients)
	}
}

// TestANewKindIsReduced: runs smaller than a finding draw its faults' kinds alike, and no other new kind, so their
// number of faults is the one that was asked for.
func TestANewKindIsReduced(t *testing.T) {
	cfg := explore.Config{Recipe: named(t, "predecessor-lock")}
	before := explore.InOneGroup(cfg)
	cfg = explore.WithNew(cfg, madeUp, another)
	without, with := explore.InOneGroup(cfg), explore.InOneGroup(cfg, fault.Fault{Kind: madeUp})
	two, kinds := [3]int{3, 2, 1}, map[fault.Kind]bool{}
	for seed := range uint64(1000) {
		old := explore.DrawSized(before, seed, two, two)
		if got := explore.DrawSized(without, seed, two, two); !slices.Equal(got.Faults, old.Faults) {
			t.Fatalf("seed %d: %v became %v", seed, old.Faults, got.Faults)
		}
		s := explore.DrawSized(with, seed, two, two)
		if len(s.Faults) != 2 {
			t.Fatalf("seed %d has %v, not two faults", seed, s.Faults)
		}
		for _, f := range s.Faults {
			kinds[f.Kind] = true
		}
	}
	if len(kinds) != len(before.Faults)+1 || !kinds[madeUp] {
		t.Errorf("these kinds are drawn: %v", kinds)
	}
}
