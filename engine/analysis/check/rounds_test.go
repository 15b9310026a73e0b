package check

import (
	"math/rand/v2"
	"testing"
)

// TestRounds compares the tree with a plain list, while ever later rounds are added.
func TestRounds(t *testing.T) {
	for seed := range uint64(100) {
		draw := rand.New(rand.NewPCG(seed, 1))
		const most = 70
		var tree rounds
		var list [most + 2]int
		for range 60 {
			after, upTo, by := draw.IntN(most), draw.IntN(most), 1-2*draw.IntN(2)
			if seed%2 == 0 { // round by round, as clients go on
				after, upTo = len(tree.sums), len(tree.sums)+draw.IntN(2)
			}
			after, upTo = min(after, most), min(upTo, most)
			tree.add(after, upTo, by)
			for i := after + 1; i <= upTo; i++ {
				list[i] += by
			}
			for i, want := range list {
				if got := tree.at(i); got != want {
					t.Fatalf("seed %d: after the addition of %d to rounds %d to %d, round %d has %d, want %d", seed, by,
						after+1, upTo, i, got, want)
				}
			}
		}
	}
}
