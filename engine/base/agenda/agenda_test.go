package agenda_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/base/agenda"
)

// plan is a plan in the slow agenda.
type plan struct {
	at time.Duration
	nr int
}

// TestAgenda compares the agenda with a list that it searches each time.
func TestAgenda(t *testing.T) {
	for seed := range uint64(50) {
		chance := rand.New(rand.NewPCG(seed, 1))
		var fast agenda.Agenda[int]
		var slow []plan // in the order of planning
		for n := range 2000 {
			if chance.IntN(5) < 3 {
				p := plan{time.Duration(chance.IntN(1 + int(seed)*10)), n}
				fast.Add(p.at, p.nr)
				slow = append(slow, p)
				continue
			}
			if at, nr, ok := fast.First(); !is(slow, at, nr, ok) {
				t.Fatalf("seed %d: first is %d at %d, %t", seed, nr, at, ok)
			}
			if at, nr, ok := fast.Next(); !is(slow, at, nr, ok) {
				t.Fatalf("seed %d: next is %d at %d, %t", seed, nr, at, ok)
			}
			if i := first(slow); i >= 0 {
				slow = slices.Delete(slow, i, i+1)
			}
		}
		for range len(slow) + 1 {
			at, nr, ok := fast.Next()
			if !is(slow, at, nr, ok) {
				t.Fatalf("seed %d: at last comes %d at %d, %t", seed, nr, at, ok)
			}
			if i := first(slow); i >= 0 {
				slow = slices.Delete(slow, i, i+1)
			}
		}
	}
}

// first returns the index of the earliest plan, the first of several, or -1.
func first(list []plan) int {
	least := -1
	for i, p := range list {
		if least < 0 || p.at < list[least].at {
			least = i
		}
	}
	return least
}

func is(list []plan, at time.Duration, nr int, ok bool) bool {
	i := first(list)
	if i < 0 {
		return !ok
	}
	return ok && list[i] == plan{at, nr}
}

// TestForgets checks that finished plans are released and their slots reused.
func TestForgets(t *testing.T) {
	var g agenda.Agenda[*int]
	allocs := testing.AllocsPerRun(1000, func() {
		g.Add(1, nil)
		g.Add(2, nil)
		g.Next()
		g.Next()
	})
	if allocs > 0 {
		t.Errorf("%v allocations for what comes and goes", allocs)
	}
}
