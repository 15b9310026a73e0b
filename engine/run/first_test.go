package run_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/run"
)

// TestFirstNumber checks that a run counts from the number given, on one server and on an ensemble, and that the last
// number comes again: the client that had it has deleted its znode.
func TestFirstNumber(t *testing.T) {
	const last = math.MaxInt32
	for _, servers := range []int{1, 3} {
		for first, want := range map[int32][]int64{0: {0, 1, 2}, 7: {7, 8, 9}, last - 1: {last - 1, last, last}} {
			s := run.Scenario{Recipe: "naming", Clients: 3, Servers: servers, FirstNumber: first}
			var log event.Log
			if err := run.Sim(context.Background(), s, &log); err != nil {
				t.Fatal(err)
			}
			var got []int64
			for _, e := range log.Events {
				if e.Kind == event.RecipePhase && program.Phase(e.Text) == program.Named {
					got = append(got, e.N)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("%d servers, from %d on: %d, want %d", servers, first, got, want)
			}
		}
	}
}
