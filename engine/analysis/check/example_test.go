package check_test

import (
	"fmt"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
)

// A Checker reads a log and reports which rules it breaks. Its answers are keys of sentences: it has no words.
func Example() {
	header := event.Header{Host: event.Simulated, Clients: 2}
	c := check.New([]string{promise.BeliefExclusion}, header)
	for i, who := range []event.Actor{1, 2} {
		c.Append(event.Event{Seq: event.Seq(i + 1), At: time.Duration(i+1) * time.Second, Kind: event.RecipePhase, Actor: who,
			Text: string(program.Holding)})
	}
	for _, v := range c.Report().Violations {
		fmt.Println(v.Rule, v.At, v.Clients, v.Sentence.Key)
	}
	// Output:
	// belief-exclusion 2s [client-2 client-1] broken.belief-exclusion.one
}
