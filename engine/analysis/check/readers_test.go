package check_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// TestManyReaders: among many that have read on, those that lack a late message are blamed, in order.
func TestManyReaders(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 5))
		var l log
		last := map[event.Actor]int64{}
		has := map[event.Actor]map[int64]bool{}
		for range 100 {
			a, n := event.Actor(r.IntN(40)+1), int64(r.IntN(30)+1)
			if n <= last[a] {
				continue
			}
			if has[a] == nil {
				has[a] = map[int64]bool{}
			}
			has[a][n], last[a] = true, n
			l.add(event.Event{Kind: event.RecipePhase, Actor: a, Text: string(program.Saw), Path: "/t", N: n})
		}
		var want []string
		for _, n := range r.Perm(30) {
			number := int64(n + 1)
			seq := l.add(event.Event{
				Kind: event.ZnodeCreated, Peer: 99, Path: fmt.Sprintf("/t/m-%010d", n), Mode: uint8(zoo.PersistentSequential),
			})
			for a := event.Actor(1); a <= 40; a++ {
				if last[a] > number && !has[a][number] {
					want = append(want, fmt.Sprint(seq, a))
				}
			}
		}
		var got []string
		for _, v := range judgeClause(promise.EveryMessage, onSim, l.events) {
			got = append(got, fmt.Sprint(v.Seq, v.Clients[0]))
		}
		if !slices.Equal(got, want) || len(want) < 50 {
			t.Fatalf("seed %d:\ngot  %v\nwant %v", seed, got, want)
		}
	}
}
