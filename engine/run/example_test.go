package run_test

import (
	"context"
	"fmt"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run"
)

// A scenario comes from a link, a file or a command line. Its run is a log, here only counted and judged.
func Example() {
	s, err := run.ParseQuery("recipe=children-lock&clients=4&seed=1")
	if err != nil {
		fmt.Println(err)
	}
	tally := run.NewTally(s.Header(event.Simulated))
	if err := run.Sim(context.Background(), s, tally); err != nil {
		fmt.Println(err)
	}
	sum := tally.Summary()
	fmt.Println(sum.Acquisitions, "acquisitions,", sum.Requests, "requests,", len(sum.Violations), "violations")
	fmt.Println(s.Command())
	// Output:
	// 4 acquisitions, 18 requests, 0 violations
	// viz-server run children-lock --clients 4
}
