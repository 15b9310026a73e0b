package fork

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/testing/anylog"
	"github.com/zkviz/zkviz/recipes"
)

// TestForkOfAnyLog forks logs that make no sense at any moment: the result is a scenario, or the reason why there
// is none.
func TestForkOfAnyLog(t *testing.T) {
	forked := 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		log := anylog.Log(rng, 100, false)
		at := log[rng.IntN(len(log))].At
		facts := Read(event.Header{Host: anylog.Pick(rng, event.Observed, event.Joined, event.Tapped)}, slices.Values(log))
		f, err := facts.Fork(Config{At: at, Path: anylog.Pick(rng, "", "/l", "/q", "/leader"),
			Window: anylog.Pick(rng, 0, time.Second, time.Minute)})
		switch {
		case errors.Is(err, ErrNoLine) || errors.Is(err, ErrNobody):
			continue
		case err != nil:
			t.Fatalf("seed %d: %v", seed, err)
		}
		forked++
		of(t, f, recipes.Standing()[f.Kind()])
	}
	if forked < 100 {
		t.Errorf("only %d were forked", forked)
	}
}
