package fork

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/recipes"
)

// beginning returns what an observer knows that joins a run at a time: what exists by then, with its sessions, and
// what happens later.
func beginning(log []event.Event, at time.Duration) []event.Event {
	const wall = 1_000_000
	list := []event.Event{{Kind: event.RunStarted, N: wall}}
	sessions, there := map[event.Actor]event.Event{}, map[string]event.Event{}
	var order []string
	begun := false
	for e := range joined(log) {
		if e.At >= at && !begun {
			begun = true
			for _, p := range order {
				if z, ok := there[p]; ok && z.Peer != 0 {
					list = append(list, sessions[z.Peer], event.Event{Kind: event.ZnodeFound, Peer: z.Peer, Path: p,
						Session: z.Session, Mode: z.Mode, Zxid: z.Zxid, N: wall + (z.At - at).Milliseconds() - 1, Code: z.Code})
				}
			}
		}
		switch e.Kind {
		case event.SessionCreated:
			sessions[e.Peer] = event.Event{Kind: event.SessionSeen, Peer: e.Peer, Session: e.Session, N: e.N}
		case event.ZnodeCreated:
			order, there[e.Path] = append(order, e.Path), e
		case event.ZnodeDeleted:
			delete(there, e.Path)
		}
		if begun && e.Kind != event.RunStarted {
			e.At -= at
			list = append(list, e)
		}
	}
	return logOf(list...)
}

// TestBeginning: a client that holds a lock when a log begins holds it when the fork begins, those that wait stand
// behind it, and a holder that lost its session does so again, in the same hold.
func TestBeginning(t *testing.T) {
	n := 120
	if testing.Short() {
		n /= 4
	}
	waited, expired := 0, 0
	for seed := range uint64(n) {
		chance := rand.New(rand.NewPCG(seed, 2))
		s := drawn(chance, seed)
		if s.Recipe == "read-write-lock" || s.Recipe == "unique-lock" {
			s.Recipe = "children-lock"
		}
		log := simulate(t, s)
		at := time.Duration(chance.Int64N(int64(log[len(log)-1].At)))
		h, cut := event.Header{Host: event.Joined}, beginning(log, at)
		f, err := Read(h, slices.Values(cut)).Fork(Config{})
		if errors.Is(err, ErrNoLine) || errors.Is(err, ErrNobody) {
			continue // all was over by then
		}
		if err != nil {
			t.Fatal(err)
		}
		again := of(t, f, recipes.Standing()[f.Kind()])
		for _, said := range f.Compare(again.Header(event.Simulated), slices.Values(simulate(t, again))) {
			if said.Key != "fork.alike" {
				t.Errorf("seed %d: %s from %v on\nits fork is\n%s\n%s", seed, s.Command(), at, again.Command(), told(said))
			}
		}
		for _, x := range f.holds {
			if x.came == 0 && x.in > 0 {
				waited++
			}
		}
		expired += len(expiries(f.holds))
	}
	t.Log(waited, expired)
	if waited < n/2 || expired < n/20 {
		t.Errorf("only %d waited at the beginning, and %d sessions expired", waited, expired)
	}
}
