package compare_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/compare"
)

func measure(t *testing.T, recipe string, clients int) compare.Row {
	t.Helper()
	s := run.Scenario{Recipe: recipe, Clients: clients, Seed: 1}
	row, err := compare.Measure(context.Background(), "sim", run.Sim, s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return row
}

// TestUniqueLockInBytes compares the unique lock's figures with what can be computed on paper. Each of n clients tries
// to create the node once for itself and once for each release that it waited through. The data is the creator's name.
func TestUniqueLockInBytes(t *testing.T) {
	for _, n := range []int{2, 3, 5, 9} {
		r := measure(t, "unique-lock", n)
		path, name := len("/zkviz/unique-lock/lock"), len("client-1")
		create := 12 + 4 + path + 4 + name + 27 + 4      // head, path, data, ACL, flags
		won, lost := create+20+4+path, create+20         // the answer's head, and the path
		looked := 12 + 4 + path + 1 + 20 + 4 + name + 68 // get: head, path, watch; head, data, stat
		deleted := 12 + 4 + path + 4 + 20
		fired := 20 + 4 + 4 + 4 + path
		pairs := n * (n - 1) / 2 // a client that waits through a release
		want := n*won + pairs*(lost-name) + pairs*looked + n*deleted + pairs*fired
		if got := int(r.Bytes); got != want {
			t.Errorf("%d clients: %d bytes, want %d", n, got, want)
		}
		if r.Requests != n*n+n || r.Waiters != n-1 || r.PerRelease.Requests != float64(n+1) {
			t.Errorf("%d clients: %d requests, %d waiters, %v for each release", n, r.Requests, r.Waiters, r.PerRelease.Requests)
		}
		if want := float64(n-1) / 2; r.PerRelease.Wakeups != want {
			t.Errorf("%d clients: %v wakeups for each release, want %v", n, r.PerRelease.Wakeups, want)
		}
	}
}

// TestListsGrow: what the herd reads is quadratic, and so is what a queue of predecessors reads, once for each
// client; but the herd lists at every release, so its bytes are cubic.
func TestListsGrow(t *testing.T) {
	grows := func(recipe string) float64 {
		return float64(measure(t, recipe, 200).Bytes) / float64(measure(t, recipe, 100).Bytes)
	}
	if g := grows("children-lock"); g < 7 || g > 8 {
		t.Errorf("children-lock: twice the clients read %.2f times as much, want nearly 8", g)
	}
	if g := grows("predecessor-lock"); g < 3 || g > 4 {
		t.Errorf("predecessor-lock: twice the clients read %.2f times as much, want nearly 4", g)
	}
}

// TestTraffic adds up small logs whose every byte is known.
func TestTraffic(t *testing.T) {
	asked := func(op event.Op, path string) event.Event {
		return event.Event{Kind: event.OpSent, Actor: 1, Op: op, Path: path}
	}
	answered := func(op event.Op, code zoo.Code) event.Event {
		return event.Event{Kind: event.MsgSent, Peer: 1, Op: op, Code: int32(code)}
	}
	created := func(by event.Actor, path string, data int64) event.Event {
		return event.Event{Kind: event.ZnodeCreated, Peer: by, Path: path, N: data}
	}
	for name, c := range map[string]struct {
		want int64
		log  []event.Event
	}{
		"nothing":     {0, nil},
		"a handshake": {0, []event.Event{asked(event.Connect, ""), answered(event.Connect, 0)}},
		"a ping":      {0, []event.Event{asked(event.Ping, ""), answered(event.Ping, 0)}},
		"an absent node": {12 + 4 + 2 + 1 + 20, []event.Event{asked(event.Exists, "/a"),
			answered(event.Exists, zoo.ErrNoNode)}},
		"a lost answer": {12 + 4 + 2 + 1, []event.Event{asked(event.Exists, "/a")}},
		"an empty list": {12 + 4 + 2 + 1 + 20 + 4 + 68, []event.Event{asked(event.Children, "/a"),
			answered(event.Children, 0)}},
		"the set-up":      {0, []event.Event{created(0, "/a", 7)}},
		"a sync":          {12 + 4 + 2 + 20 + 4 + 2, []event.Event{asked(event.Sync, "/a"), answered(event.Sync, 0)}},
		"a watch's event": {20 + 8 + 4 + 2, []event.Event{{Kind: event.WatchFired, Peer: 1, Path: "/a"}}},
		"a list of two": {12 + 4 + 2 + 1 + 20 + 4 + (4 + 3) + (4 + 1) + 68, []event.Event{
			created(0, "/a", 0), created(0, "/a/one", 0), created(0, "/a/x", 0), created(0, "/a/gone", 0),
			{Kind: event.ZnodeDeleted, Path: "/a/gone", Reason: event.BySessionClosed},
			asked(event.Children, "/a"), answered(event.Children, 0),
		}},
		"data that was set": {12 + 4 + 2 + 1 + 20 + 4 + 9 + 68, []event.Event{
			created(0, "/a", 3), {Kind: event.ZnodeChanged, Path: "/a", N: 9}, asked(event.Get, "/a"), answered(event.Get, 0),
		}},
		"a numbered create": {12 + 4 + 3 + 4 + 5 + 27 + 4 + 20 + 4 + 13, []event.Event{
			asked(event.Create, "/a-"), {Kind: event.TxnApplied, Peer: 1, Op: event.Create, Path: "/a-0000000007"},
			created(1, "/a-0000000007", 5), answered(event.Create, 0),
		}},
		"a multi of a create and a delete": {
			12 + 9 + (9 + 4 + 2 + 4 + 5 + 27 + 4) + (9 + 4 + 2 + 4) + 20 + 9 + (9 + 4 + 2) + 9, []event.Event{
				created(0, "/b", 1), asked(event.Multi, ""), created(1, "/a", 5),
				{Kind: event.ZnodeDeleted, Peer: 1, Path: "/b", Reason: event.ByOp}, answered(event.Multi, 0),
			}},
	} {
		w := compare.NewTraffic()
		for _, e := range c.log {
			w.Append(e)
		}
		if w.Bytes != c.want {
			t.Errorf("%s: %d bytes, want %d", name, w.Bytes, c.want)
		}
	}
}

// TestSameSeedSameRow: a measure on the simulator can be repeated.
func TestSameSeedSameRow(t *testing.T) {
	for _, recipe := range []string{"unique-lock", "children-lock", "predecessor-lock", "fifo-queue", "barrier"} {
		a, b := fmt.Sprintf("%+v", measure(t, recipe, 12)), fmt.Sprintf("%+v", measure(t, recipe, 12))
		if a != b {
			t.Errorf("%s: %s, then %s", recipe, a, b)
		}
	}
}

// TestMeasureRefusesHalfARun: a run that was stopped at its limit of events has no figures.
func TestMeasureRefusesHalfARun(t *testing.T) {
	s := run.Scenario{Recipe: "children-lock", Clients: 10, MaxEvents: 100}
	if row, err := compare.Measure(t.Context(), "sim", run.Sim, s, nil); err == nil ||
		sentence.From(err).String() != "failed.events(100)" {
		t.Errorf("got %+v, %v", row, err)
	}
}
