package shrink_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/zkviz/zkviz/engine/testing/shrink"
)

// TestSteps hides steps of which each needs the one before, so that they can't be left out in any order, and checks
// that these are what is left.
func TestSteps(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		script := r.Perm(r.IntN(40))
		var needed []int
		for _, s := range script {
			if s%7 == 0 {
				needed = append(needed, s)
			}
		}
		shows := func(script []int) (int, bool) {
			i := 0
			for at, s := range script {
				if i < len(needed) && s == needed[i] {
					i++
				}
				if i == len(needed) {
					return at + 1, true
				}
			}
			return 0, len(needed) == 0
		}
		if got := shrink.Steps(script, shows); !slices.Equal(got, needed) {
			t.Errorf("seed %d: %v of %v is left, not %v", seed, got, script, needed)
		}
	}
}
