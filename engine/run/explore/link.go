package explore

import (
	"context"

	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/link"
)

// Link returns the address of the page's Lab, from the server's root on, with the reproduction right after the
// event that breaks the promise: later in the same moment, what it shows may be over again. It runs the reproduction
// for the hash.
func (f *Finding) Link() string {
	at := link.Place{Set: true, At: f.Violation.At, Seq: f.Violation.Seq}
	log := link.Hash{UpTo: at.Seq}
	if run.Sim(context.Background(), f.Scenario, &log) == nil { // else only the hash is missing
		at.Sum = log.Sum()
	}
	return link.Of(f.Scenario.Query(), link.Moment{Place: at})
}
