package view_test

import (
	"fmt"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
)

// A History answers what was true at any moment of a log. A client whose session has ended may still believe that it's
// inside.
func Example() {
	h := view.NewHistoryFor(event.Header{Host: event.Simulated, Clients: 1})
	h.AppendAll([]event.Event{
		{Seq: 1, Kind: event.RunStarted},
		{Seq: 2, Kind: event.ClientStarted, Actor: 1, Cause: 1},
		{Seq: 3, At: 1 * time.Second, Kind: event.SessionCreated, Peer: 1, Session: 5, N: int64(4 * time.Second), Cause: 2},
		{Seq: 4, At: 1 * time.Second, Kind: event.ConnOpened, Actor: 1, Session: 5, N: int64(4 * time.Second), Cause: 3},
		{Seq: 5, At: 2 * time.Second, Kind: event.RecipePhase, Actor: 1, Text: string(program.Holding), Cause: 4},
		{Seq: 6, At: 9 * time.Second, Kind: event.SessionExpired, Peer: 1, Session: 5},
	})
	for _, at := range []time.Duration{3 * time.Second, 10 * time.Second, 3 * time.Second} {
		c := h.StateAtSeq(h.SeqAt(at)).Clients.Get(1)
		fmt.Printf("at %v it believes %q; inside: %v\n", at, c.Belief.Phase, c.Inside)
	}
	// Output:
	// at 3s it believes "holding"; inside: true
	// at 10s it believes "holding"; inside: false
	// at 3s it believes "holding"; inside: true
}
