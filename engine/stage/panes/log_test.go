package panes

import (
	"math/rand/v2"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
)

// TestLastShown compares the binary search for a row with a search one by one, in logs with and without rows.
func TestLastShown(t *testing.T) {
	kinds := []event.Kind{event.MsgSent, event.ClientBlocked, event.RecipePhase, event.WatchFired, event.ZnodeDeleted}
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 1))
		h := &view.History{}
		for seq := range event.Seq(r.IntN(40)) {
			e := event.Event{Seq: seq + 1, Kind: kinds[r.IntN(len(kinds))], Path: "/a"}
			if e.Kind == event.WatchFired {
				e.Cause = 1
			}
			h.Append(e)
		}
		var l Log
		for at := range h.Len() + 1 {
			want := at
			for want > 0 && !shown(h.Event(want-1)) {
				want--
			}
			if got := l.lastShown(h, event.Seq(at)); got != event.Seq(want) {
				t.Fatalf("seed %d: the row at event %d is that of %d, want %d", seed, at, got, want)
			}
		}
	}
}
