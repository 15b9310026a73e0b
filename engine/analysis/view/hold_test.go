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

// TestOthersWaitBehindAHeldMessage checks that a message that is held up holds up those behind it, and neither those
// ahead of it nor those on other connections.
func TestOthersWaitBehindAHeldMessage(t *testing.T) {
	const ms = time.Millisecond
	s := view.New()
	sent := func(at time.Duration, from, to event.Actor, op event.Op) {
		s.Apply(event.Event{Seq: s.Seq + 1, At: at, Kind: event.MsgSent, Actor: from, Peer: to, Op: op, N: int64(100 * ms)})
	}
	sent(10*ms, 1, event.ZooKeeper, event.Get)
	sent(20*ms, 1, event.ZooKeeper, event.Set)
	sent(30*ms, 1, event.ZooKeeper, event.Ping)
	sent(40*ms, event.ZooKeeper, 1, event.Ping)
	sent(50*ms, 2, event.ZooKeeper, event.Ping)
	sent(60*ms, event.Server(3), event.Server(1), event.Proposal)
	sent(70*ms, event.Server(3), event.Server(1), event.Commit)
	sent(80*ms, event.Server(3), event.Server(1), event.Notification)
	for seq, d := range map[event.Seq]time.Duration{2: time.Second, 6: 2 * time.Second} {
		s.Apply(event.Event{Seq: s.Seq + 1, At: 90 * ms, Kind: event.FaultInjected, Cause: seq, N: int64(d)})
	}
	for i, want := range []time.Duration{110 * ms, 1120 * ms, 1120 * ms, 140 * ms, 150 * ms, 2160 * ms, 2160 * ms,
		180 * ms} {
		if m := &s.Flights.List[i]; m.Arrives() != want || m.Since(want) != 100*ms {
			t.Errorf("message %d arrives at %v, not at %v", i+1, m.Arrives(), want)
		}
	}
	s.Apply(event.Event{Seq: s.Seq + 1, At: 500 * ms, Kind: event.MsgReceived, Actor: event.ZooKeeper, Peer: 1, Cause: 3})
	if m := &s.Flights.List[2]; m.Since(490*ms) != 60*ms || m.Since(500*ms) != 60*ms || m.Since(540*ms) != 100*ms {
		t.Errorf("a message that is delivered has moved for %v", m.Since(540*ms))
	}
}
