package oracle

import (
	"flag"
	"os"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/testing/programs"
	"github.com/zkviz/zkviz/engine/testing/zktest"
)

// asked holds the flags.
var asked struct {
	span  time.Duration
	seed  uint64
	round int
}

func TestMain(m *testing.M) {
	programs.Main()
	flag.DurationVar(&asked.span, "for", 0,
		"for how long rounds are begun; without it for a minute, of a seed that is the same each time")
	flag.Uint64Var(&asked.seed, "seed", 0, "with -for, what rounds are drawn from; another each time without it")
	flag.IntVar(&asked.round, "round", 0, "which round is the first")
	flag.Parse()
	os.Exit(m.Run())
}

// TestOracle compares what zkviz says in each way of looking with what the programs say: in fixed states, and in
// random rounds.
func TestOracle(t *testing.T) {
	if testing.Short() {
		t.Skip("starts three servers and programs of three libraries")
	}
	zktest.Need(t)
	programs.Need(t)
	l := look(t)
	t.Run("scenes", func(t *testing.T) { playScenes(t, l) })
	t.Run("rounds", func(t *testing.T) { playRounds(t, l) })
}
