package bridge_test

import (
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/wasm/bridge"
)

// TestNext checks who waits at a moment and who gets in after it.
func TestNext(t *testing.T) {
	h := &view.History{}
	reports := func(who event.Actor, phase program.Phase) {
		h.Append(event.Event{Seq: event.Seq(h.Len() + 1), Kind: event.RecipePhase, Actor: who, Text: string(phase)})
	}
	h.Append(event.Event{Seq: 1, Kind: event.RunStarted})
	reports(1, program.Holding)                                        // 2
	reports(3, program.Waiting)                                        // 3
	reports(2, program.Waiting)                                        // 4
	reports(1, program.Released)                                       // 5
	h.Append(event.Event{Seq: 6, Kind: event.ClientCrashed, Actor: 3}) // 6
	reports(2, program.Holding)                                        // 7
	for _, c := range []struct {
		seq  event.Seq
		want string
	}{
		{1, ";client-1;2"},
		{4, "client-2 client-3 ;client-2;7"},
		{6, "client-2 ;client-2;7"},
		{7, ";zookeeper;0"},
	} {
		if got := bridge.Next(h, h.StateAtSeq(c.seq)); got != c.want {
			t.Errorf("after event %d: %q, want %q", c.seq, got, c.want)
		}
	}
}
