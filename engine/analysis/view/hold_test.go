package view_test

import (
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
)

// TestHeldMessageStandsStill checks how far a message that is held up has moved, also if it is held up twice.
func TestHeldMessageStandsStill(t *testing.T) {
	const ms = time.Millisecond
	s := view.New()
	for _, e := range []event.Event{
		{Seq: 1, At: 100 * ms, Kind: event.MsgSent, Actor: event.Server(3), Peer: event.Server(1), Op: event.Proposal,
			N: int64(300 * ms)},
		{Seq: 2, At: 200 * ms, Kind: event.FaultInjected, Cause: 1, N: int64(500 * ms)},
		{Seq: 3, At: 300 * ms, Kind: event.FaultInjected, Cause: 1, N: int64(500 * ms)},
	} {
		s.Apply(e)
	}
	m := &s.Flights.List[0]
	for at, moved := range map[time.Duration]time.Duration{150 * ms: 50 * ms, 200 * ms: 100 * ms, 700 * ms: 100 * ms,
		1200 * ms: 100 * ms, 1300 * ms: 200 * ms} {
		if got := m.Since(at); got != moved {
			t.Errorf("at %v it has moved for %v, want %v", at, got, moved)
		}
	}
	if m.Arrives() != 1400*ms {
		t.Errorf("it arrives at %v", m.Arrives())
	}
}
