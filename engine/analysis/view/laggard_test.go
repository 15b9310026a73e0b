package view_test

import (
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
)

// TestReadAtALaggard checks that a client that reads at a server without the last change hasn't read that change.
func TestReadAtALaggard(t *testing.T) {
	read := func(first event.Seq) []event.Event {
		return []event.Event{
			{Kind: event.OpSent, Actor: 1, Op: event.Get, Path: "/c"},
			{Kind: event.MsgSent, Peer: 1, Op: event.Get, Path: "/c", Cause: first},
			{Kind: event.OpDone, Actor: 1, Op: event.Get, Path: "/c", Cause: first + 1},
		}
	}
	log := []event.Event{
		{Kind: event.ConnOpened, Actor: 1, Peer: event.Server(1), Session: 7},
		{Kind: event.TxnDelivered, Actor: event.Server(1), Zxid: 5},
		{Kind: event.ZnodeCreated, Path: "/c", Zxid: 5, Text: "old"},
	}
	log = append(log, read(4)...)
	log = append(log, event.Event{Kind: event.ZnodeChanged, Path: "/c", Zxid: 6, Text: "new"})
	log = append(log, read(8)...)
	log = append(log, event.Event{Kind: event.TxnDelivered, Actor: event.Server(1), Zxid: 6})
	log = append(log, read(12)...)

	for i, want := range map[int]string{6: "old", 10: "old", 14: "new"} {
		state := view.NewFor(event.Header{Clients: 1})
		for n, e := range log[:i] {
			e.Seq = event.Seq(n + 1)
			state.Apply(e)
		}
		if got := state.Clients.Get(1).Value.Data; got != want {
			t.Errorf("after %d events the client has %q, want %q", i, got, want)
		}
	}
}

// TestWrittenWithOthers checks that a client's write within a transaction updates what the client had read.
func TestWrittenWithOthers(t *testing.T) {
	log := []event.Event{
		{Kind: event.ZnodeCreated, Path: "/c", Zxid: 5, Text: "old"},
		{Kind: event.OpSent, Actor: 1, Op: event.Get, Path: "/c"},
		{Kind: event.MsgSent, Peer: 1, Op: event.Get, Path: "/c", Cause: 2},
		{Kind: event.OpDone, Actor: 1, Op: event.Get, Path: "/c", Cause: 3},
		{Kind: event.OpSent, Actor: 1, Op: event.Multi, Path: "/c"},
		{Kind: event.ZnodeChanged, Peer: 1, Path: "/c", Zxid: 6, Text: "new", Cause: 5},
		{Kind: event.MsgSent, Peer: 1, Op: event.Multi, Path: "/c", Cause: 5},
		{Kind: event.OpDone, Actor: 1, Op: event.Multi, Path: "/c", Cause: 7},
		{Kind: event.OpSent, Actor: 1, Op: event.Multi, Path: "/d"},
		{Kind: event.ZnodeCreated, Peer: 1, Path: "/d", Zxid: 7, Cause: 9},
		{Kind: event.ZnodeChanged, Peer: 2, Path: "/c", Zxid: 8, Text: "another's"},
		{Kind: event.MsgSent, Peer: 1, Op: event.Multi, Path: "/d", Cause: 9},
		{Kind: event.OpDone, Actor: 1, Op: event.Multi, Path: "/d", Cause: 12},
	}
	for i, want := range map[int]string{4: "old", 7: "old", 8: "new", 13: "new"} {
		state := view.NewFor(event.Header{Clients: 2})
		for n, e := range log[:i] {
			e.Seq = event.Seq(n + 1)
			state.Apply(e)
		}
		if got := state.Clients.Get(1).Value.Data; got != want {
			t.Errorf("after %d events the client has %q, want %q", i, got, want)
		}
	}
}
