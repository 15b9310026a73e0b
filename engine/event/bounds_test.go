package event_test

import (
	"strings"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
)

// TestValidAtItsBounds checks Valid at each of its bounds and one beyond.
func TestValidAtItsBounds(t *testing.T) {
	for _, c := range []struct {
		name     string
		in, out  func(*event.Event)
		complain string
	}{
		{"the first kind", func(e *event.Event) { e.Kind = 1 }, func(e *event.Event) { e.Kind = 0 },
			"event 7: unknown kind 0"},
		{"the last kind", func(e *event.Event) { e.Kind = event.OpRefused },
			func(e *event.Event) { e.Kind = event.OpRefused + 1 },
			"event 7: unknown kind 86"},
		{"the last operation", func(e *event.Event) { e.Op = event.Replicate },
			func(e *event.Event) { e.Op = event.Replicate + 1 },
			"event 7: unknown operation 45"},
		{"the last watch", func(e *event.Event) { e.Watch = event.RecursiveWatch },
			func(e *event.Event) { e.Watch = event.RecursiveWatch + 1 },
			"event 7: unknown watch table 6"},
		{"the last reason", func(e *event.Event) { e.Reason = event.QuorumBack },
			func(e *event.Event) { e.Reason = event.QuorumBack + 1 },
			"event 7: unknown reason 71"},
		{"the first server", func(e *event.Event) { e.Actor = event.Server(1) },
			func(e *event.Event) { e.Actor = event.Server(0) },
			"event 7: client numbers must be between 1 and 10000"},
		{"the last server", func(e *event.Event) { e.Peer = event.Server(1000) },
			func(e *event.Event) { e.Peer = event.Server(1001) },
			"event 7: client numbers must be between 1 and 10000"},
		{"the first store", func(e *event.Event) { e.Actor = event.Store(1) },
			func(e *event.Event) { e.Actor = event.Store(0) },
			"event 7: client numbers must be between 1 and 10000"},
		{"the last store", func(e *event.Event) { e.Peer = event.Store(1000) },
			func(e *event.Event) { e.Peer = event.Store(1001) },
			"event 7: client numbers must be between 1 and 10000"},
		{"the first number", func(e *event.Event) { e.Seq = 1 }, func(e *event.Event) { e.Seq = 0 },
			"event 0: sequence numbers start at 1"},
		{"the cause", func(e *event.Event) { e.Cause = 6 }, func(e *event.Event) { e.Cause = 7 },
			"event 7: its cause, event 7, must come before it"},
		{"the time", func(e *event.Event) { e.At = 0 }, func(e *event.Event) { e.At = -1 },
			"event 7: it is 1ns before the start of the run"},
		{"the first actor", func(e *event.Event) { e.Actor = 0 }, func(e *event.Event) { e.Actor = -1 },
			"event 7: client numbers must be between 1 and 10000"},
		{"the last actor", func(e *event.Event) { e.Actor = 10_000 }, func(e *event.Event) { e.Actor = 10_001 },
			"event 7: client numbers must be between 1 and 10000"},
		{"the first peer", func(e *event.Event) { e.Peer = 0 }, func(e *event.Event) { e.Peer = -1 },
			"event 7: client numbers must be between 1 and 10000"},
		{"the last peer", func(e *event.Event) { e.Peer = 10_000 }, func(e *event.Event) { e.Peer = 10_001 },
			"event 7: client numbers must be between 1 and 10000"},
		{"the path", func(e *event.Event) { e.Path = strings.Repeat("a", 1<<20) },
			func(e *event.Event) { e.Path = strings.Repeat("a", 1<<20+1) },
			"event 7: its path has 1048577 bytes, more than 1048576"},
		{"the text", func(e *event.Event) { e.Text = strings.Repeat("a", 256) },
			func(e *event.Event) { e.Text = strings.Repeat("a", 257) },
			"event 7: its text has 257 bytes, more than 256"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := event.Event{Seq: 7, Kind: event.OpSent}
			c.in(&e)
			if err := e.Valid(); err != nil {
				t.Errorf("at the bound: %v", err)
			}
			e = event.Event{Seq: 7, Kind: event.OpSent}
			c.out(&e)
			if err := e.Valid(); err == nil || err.Error() != c.complain {
				t.Errorf("beyond the bound: %v", err)
			}
		})
	}
}

// TestOfTransaction checks that four kinds of messages count, but none that begins an epoch.
func TestOfTransaction(t *testing.T) {
	const zxid = 2<<32 | 1
	server := event.Server(1)
	for _, c := range []struct {
		e    event.Event
		want bool
	}{
		{event.Event{Actor: server, Peer: event.Server(2), Op: event.Proposal, Zxid: zxid}, true},
		{event.Event{Actor: server, Peer: event.Server(2), Op: event.Ack, Zxid: zxid}, true},
		{event.Event{Actor: server, Peer: event.Server(2), Op: event.Commit, Zxid: zxid}, true},
		{event.Event{Actor: server, Peer: event.Server(2), Op: event.Inform, Zxid: zxid}, true},
		{event.Event{Actor: server, Peer: event.Server(2), Op: event.Ack, Zxid: 2 << 32}, false},
		{event.Event{Actor: server, Peer: event.Server(2), Op: event.ServerPing, Zxid: zxid}, false},
		{event.Event{Actor: server, Peer: event.Server(2), Op: event.Notification, Zxid: zxid}, false},
		{event.Event{Actor: server, Peer: 1, Op: event.Ack, Zxid: zxid}, false},
		{event.Event{Actor: 1, Peer: server, Op: event.Ack, Zxid: zxid}, false},
	} {
		if c.e.OfTransaction() != c.want {
			t.Errorf("%v from %v to %v with zxid %#x: %v", c.e.Op, c.e.Actor, c.e.Peer, c.e.Zxid, !c.want)
		}
	}
}
