package view_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/recipes"
)

// present returns the events with which client who gets a session and a znode of its own.
func present(who event.Actor) []event.Event {
	return []event.Event{
		{Kind: event.ClientStarted, Actor: who},
		{Kind: event.SessionCreated, Peer: who, Session: int64(who), N: int64(10 * time.Second)},
		{Kind: event.ConnOpened, Actor: who, Session: int64(who)},
		owns(who, int64(who), zoo.EphemeralSequential),
	}
}

// owns returns the event with which client who creates its znode.
func owns(who event.Actor, session int64, mode zoo.CreateMode) event.Event {
	return event.Event{Kind: event.ZnodeCreated, Peer: who, Session: session, Path: of(who), Mode: uint8(mode)}
}

func of(who event.Actor) string { return fmt.Sprintf("/l/lock-%010d", who) }

// awaits returns the events with which client who begins to wait for the znode of another.
func awaits(who, other event.Actor) []event.Event {
	return []event.Event{
		{Kind: event.WatchSet, Peer: who, Path: of(other), Watch: event.DataWatch},
		{Kind: event.ClientBlocked, Actor: who, Path: of(other)},
	}
}

// TestRing checks who waits for whom in a ring, and what keeps a ring from being one.
func TestRing(t *testing.T) {
	two := slices.Concat(awaits(1, 2), awaits(2, 1))
	first, second := []event.Actor{1}, []event.Actor{1, 2}
	gone := event.Event{Kind: event.ZnodeDeleted, Path: of(2), Peer: 2, Reason: event.ByOp}
	patient, standing := slices.Clone(two), slices.Clone(two)
	patient[1].N, standing[0].Watch = int64(time.Second), event.PersistentWatch
	for name, c := range map[string]struct {
		clients int
		log     []event.Event
		want    []event.Actor
	}{
		"two":            {2, two, second},
		"one for itself": {1, awaits(1, 1), first},
		"three, and one behind": {4, slices.Concat(awaits(4, 3), awaits(1, 3), awaits(2, 1), awaits(3, 2)),
			[]event.Actor{1, 3, 2}},
		"found from behind":   {3, slices.Concat(awaits(1, 2), awaits(2, 3), awaits(3, 2)), []event.Actor{2, 3}},
		"a chain":             {3, slices.Concat(awaits(2, 1), awaits(3, 2)), nil},
		"one gives up":        {2, patient, nil},
		"one is paused":       {2, append(two, event.Event{Kind: event.ClientPaused, Actor: 1}), nil},
		"one is cut off":      {2, append(two, event.Event{Kind: event.ConnClosed, Actor: 1}), nil},
		"one has crashed":     {2, append(two, event.Event{Kind: event.ClientCrashed, Actor: 1}), nil},
		"a session has ended": {2, append(two, event.Event{Kind: event.SessionExpired, Peer: 1, Session: 1}), nil},
		"a znode is gone":     {2, append(two, gone), nil},
		"a watch has fired": {2, append(two, event.Event{Kind: event.WatchFired, Peer: 1, Path: of(2),
			Watch: event.DataWatch, Type: uint8(zoo.NodeDataChanged)}), nil},
		"a standing watch has fired": {2, append(standing, event.Event{Kind: event.WatchFired, Peer: 1, Path: of(2),
			Watch: event.PersistentWatch, Type: uint8(zoo.NodeDataChanged)}), nil},
		"another watch may wake one": {2, append([]event.Event{{Kind: event.WatchSet, Peer: 1, Path: "/l",
			Watch: event.ChildWatch}}, two...), nil},
		"a persistent znode": {2, append([]event.Event{gone, owns(2, 0, zoo.PersistentSequential)}, two...), nil},
		"of an old session":  {2, append([]event.Event{gone, owns(2, 7, zoo.EphemeralSequential)}, two...), nil},
		"one is inside": {2, append(two, event.Event{Kind: event.RecipePhase, Actor: 1, Text: string(program.Holding),
			Path: of(1)}), nil},
		"one for what it holds": {1, append(awaits(1, 1), event.Event{Kind: event.RecipePhase, Actor: 1,
			Text: string(program.Holding), Path: of(1)}, awaits(1, 1)[1]), first},
		"told by its own znode": {1, append(awaits(1, 1), event.Event{Kind: event.RecipePhase, Actor: 1,
			Text: string(program.Waiting), Path: of(1)}, awaits(1, 1)[1]), nil},
		"as many as it looks among": {view.MaxRing, two, second},
		"more":                      {view.MaxRing + 1, two, nil},
	} {
		var log []event.Event
		for who := range c.clients {
			log = append(log, present(event.Actor(who+1))...)
		}
		s := view.New()
		for i, e := range append(log, c.log...) {
			e.Seq, e.At = event.Seq(i+1), time.Duration(i)*time.Millisecond
			s.Apply(e)
		}
		if got := s.Ring(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, not %v", name, got, c.want)
		}
	}
}

// TestNobodyInARingMoves checks in runs of all recipes on ZooKeeper that a client in a ring does nothing until the
// ring is broken, that some pitfalls come to a ring, and that no recipe without a mistake does.
func TestNobodyInARingMoves(t *testing.T) {
	found := map[string]bool{}
	for _, r := range recipes.All() {
		if len(r.Systems) > 0 {
			continue
		}
		for seed := range uint64(6) {
			c := scenario{recipe: r.Name, clients: max(4, r.MinClients), rounds: 2, hold: 3 * time.Second, seed: seed,
				apart: 200 * time.Millisecond}
			if seed%2 == 1 {
				c.faults = []string{"pause client-1 at 9s for 20s", "cut client-2 at 6s for 5s", "drop client-3 at 2s",
					"expire client-1 at 60s", "crash client-4 at 70s"}
			}
			s := view.New()
			var ring []event.Actor
			for _, e := range c.log(t) {
				if slices.Contains(ring, e.Actor) && acts(e) {
					t.Fatalf("%s, seed %d: %v of a ring does %v at %v", r.Name, seed, e.Actor, e.Kind, e.At)
				}
				s.Apply(e)
				if ring = s.Ring(); len(ring) > 0 {
					found[r.Name] = true
				}
			}
		}
		if r.Cure == "" && found[r.Name] {
			t.Errorf("%s comes to a ring", r.Name)
		}
	}
	for _, name := range []string{"one-release-too-few", "ghost-after-timeout", "lock-twice"} {
		if !found[name] {
			t.Errorf("%s doesn't come to a ring", name)
		}
	}
}

// acts reports whether a client's program does something.
func acts(e event.Event) bool {
	switch e.Kind {
	case event.OpSent:
		return e.IsRequest()
	case event.RecipePhase, event.RecipeNote, event.StoreWritten, event.TryFailed, event.ClientExited:
		return true
	}
	return false
}
