package check_test

import (
	"slices"
	"testing"

	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/event"
)

// TestServers checks how many sessions moved, the servers' roles, and how many clients each had last.
func TestServers(t *testing.T) {
	opened := func(client event.Actor, session int64, server int) event.Event {
		return event.Event{Kind: event.ConnOpened, Actor: client, Session: session, Peer: event.Server(server)}
	}
	does := func(server int, kind event.Kind, why event.Reason) event.Event {
		return event.Event{Kind: kind, Actor: event.Server(server), Reason: why}
	}
	phase := func(server int, phase event.ServerPhaseName, leader int) event.Event {
		e := event.Event{Kind: event.ServerPhase, Actor: event.Server(server), Text: string(phase)}
		if leader != 0 {
			e.Peer = event.Server(leader)
		}
		return e
	}
	for _, c := range []struct {
		name   string
		events []event.Event
		moved  int
		want   []check.Member
	}{
		{"one server alone", []event.Event{{Kind: event.ConnOpened, Actor: 1, Session: 7}, {Kind: event.ServerStopped}}, 0,
			nil},
		{"a session that moves", []event.Event{does(2, event.ServerStarted, 0), opened(1, 7, 1), opened(1, 7, 2)}, 1,
			[]check.Member{{Role: check.RoleUnknown}, {Role: check.Looking, Clients: 1}}},
		{"it moves again, which counts once", []event.Event{opened(1, 7, 1), opened(1, 7, 2), opened(1, 7, 1)}, 1, nil},
		{"it comes back to where it was", []event.Event{opened(1, 7, 1), opened(1, 7, 1)}, 0, nil},
		{"a new session", []event.Event{opened(1, 7, 1), opened(1, 8, 2)}, 0, nil},
		{"a new session that moves too", []event.Event{opened(1, 7, 1), opened(1, 7, 2), opened(1, 8, 2), opened(1, 8, 3)}, 2,
			nil},
		{"two clients", []event.Event{opened(1, 7, 1), opened(2, 8, 1), opened(2, 8, 2), opened(1, 7, 2)}, 2, nil},
		{"one that is nobody", []event.Event{opened(event.Store(1), 7, 1), opened(event.Store(1), 7, 2)}, 0, nil},
		{"what they are", []event.Event{
			does(1, event.ServerStarted, 0), does(2, event.ServerStarted, 0), does(3, event.ServerStarted, 0),
			phase(1, event.Electing, 0), phase(2, event.Broadcasting, 3), phase(3, event.Broadcasting, 3),
			does(4, event.ServerStarted, event.ServerReached), does(5, event.ServerStopped, event.ServerUnreached),
			does(6, event.ServerStarted, 0), does(6, event.ServerStopped, event.ServerCrashed),
			opened(1, 7, 2), opened(2, 8, 2), opened(3, 9, 900),
		}, 0, []check.Member{{Role: check.Looking}, {Role: check.Follower, Clients: 2}, {Role: check.Leader},
			{Role: check.RoleUnknown}, {Role: check.OutOfReach}, {Role: check.Down}}},
		{"one that led, and stops to serve", []event.Event{phase(1, event.Broadcasting, 1), phase(1, event.Electing, 0)}, 0,
			[]check.Member{{Role: check.Looking}}},
		{"one whose role is not said any more", []event.Event{phase(1, event.Broadcasting, 1),
			does(1, event.ServerStarted, event.ServerReached)}, 0, []check.Member{{Role: check.RoleUnknown}}},
	} {
		r := judge(event.Header{Host: event.Cluster}, c.events)
		if r.Figures.Moved != c.moved || !slices.Equal(r.Servers, c.want) {
			t.Errorf("%s: %d moved, %+v; want %d, %+v", c.name, r.Figures.Moved, r.Servers, c.moved, c.want)
		}
	}
}
