package explore_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/run/explore"
)

// broken lists the cells of a table in which something breaks, as text: "pause belief-exclusion".
func broken(cells []explore.Cell) (list []string) {
	for _, c := range cells {
		for _, f := range c.Broken {
			list = append(list, strings.TrimSpace(c.Word+" "+f.Violation.Rule))
		}
	}
	return list
}

func breaks(t *testing.T, name string, rules ...string) []explore.Cell {
	t.Helper()
	cells, err := explore.Breaks(t.Context(), explore.Config{Recipe: named(t, name), Rules: rules, Seeds: 100})
	if err != nil {
		t.Fatal(err)
	}
	return cells
}

// TestBreaks: what breaks a lock, and what can't happen to it.
func TestBreaks(t *testing.T) {
	cells := breaks(t, "redis-fenced")
	want := []string{"pause belief-exclusion", "restart fenced", "restart belief-exclusion", "stall belief-exclusion",
		"jump belief-exclusion"}
	if got := broken(cells); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for i, c := range cells {
		if could := !slices.Contains([]string{"expire", "slow", "power", "partition", "lag", "failover"}, c.Word); c.
			Possible != could {
			t.Errorf("%q is possible: %t, but the list in this test says %t", c.Word, c.Possible, could)
		}
		if c.Possible && c.Seeds == 0 || c.Word != explore.Columns()[i].Word {
			t.Errorf("%q: %d seeds", c.Word, c.Seeds)
		}
		for _, f := range c.Broken {
			if v := replay(t, f.Scenario, f.Violation.Rule); v.Seq != f.Violation.Seq {
				t.Errorf("%s, played again, breaks it at %d, not at %d", f.Scenario.Command(), v.Seq, f.Violation.Seq)
			}
			if n := len(f.Scenario.Faults); n != 1 || f.Scenario.Faults[0].Kind.String() != c.Word {
				t.Errorf("%s has other faults than %s", f.Scenario.Command(), c.Word)
			}
		}
	}
}

// TestBreaksByItself: what breaks without any fault appears once.
func TestBreaksByItself(t *testing.T) {
	cells := breaks(t, "ghost-after-timeout")
	if got, want := broken(cells), named(t, "ghost-after-timeout").Promises; len(want) == 0 || len(got) == 0 ||
		len(cells[0].Broken) != len(got) {
		t.Errorf("%q break, of %q", got, want)
	}
}

// TestBreaksAsShown: no seed pauses the holder just when it has read whose the lock is, but the catalogue shows it.
func TestBreaksAsShown(t *testing.T) {
	got := broken(breaks(t, "redis-get-del"))
	if !slices.Contains(got, "pause truth-exclusion") {
		t.Errorf("got %q", got)
	}
}

// TestBreaksFailover: what a replica hasn't received is lost when it takes over.
func TestBreaksFailover(t *testing.T) {
	got := broken(breaks(t, "redis-failover", promise.Fenced))
	if !slices.Contains(got, "failover fenced") {
		t.Errorf("got %q", got)
	}
}

// TestBreaksStops: a cancelled exploration returns what it has so far.
func TestBreaksStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cells, err := explore.Breaks(ctx, explore.Config{Recipe: named(t, "unique-lock"), Seeds: 50,
		Tried: func(seeds int) {
			if seeds == 50 {
				cancel()
			}
		}})
	if !errors.Is(err, context.Canceled) || len(cells) > 1 {
		t.Errorf("%d cells, %v", len(cells), err)
	}
}

// TestColumns: every fault that is drawn is in one column.
func TestColumns(t *testing.T) {
	words := map[string]bool{}
	for _, c := range explore.Columns() {
		if words[c.Word] {
			t.Errorf("there are two columns %q", c.Word)
		}
		words[c.Word] = true
	}
	for _, k := range slices.Concat(fault.Kinds(), explore.EnsembleFaults(), fault.SystemKinds()) {
		if !words[k.String()] {
			t.Errorf("there is no column %s", k)
		}
	}
}
