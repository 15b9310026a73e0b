package panes_test

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/view"
	"github.com/zkviz/zkviz/wasm/panes"
)

// TestHoldingOfAnyLog asks at any moment of logs that make no sense, with anything selected and anything shown before.
// Who has followed the log all along answers as who sees it for the first time, if each transaction came whole.
func TestHoldingOfAnyLog(t *testing.T) {
	say := say(t)
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 1))
		var asked panes.Holding
		h := view.NewHistoryFor(event.Header{Host: event.Joined, Root: "/"})
		shown, whole := "", seed%2 == 0
		for i := range 60 {
			e := anyEvent(rng, i)
			if !whole {
				e.Zxid = int64(rng.IntN(i + 2))
			}
			h.Append(e)
			f := panes.Facts{History: h, Host: event.Joined}
			f.Selected = pick(rng, "", "", "", "client-1", "client-9", anyPath(rng))
			f.Seq = event.Seq(h.Len())
			if rng.IntN(4) == 0 {
				f.Seq = event.Seq(rng.IntN(h.Len() + 1))
			}
			f.At = time.Duration(f.Seq) * time.Second
			f.State = h.StateAtSeq(f.Seq)
			before := pick(rng, shown, shown, shown, anyPath(rng))
			p, unfinished := asked.At(&f, before, say)
			if unfinished {
				t.Fatalf("seed %d: there is more to look at", seed)
			}
			shown = p.Where
			if fresh, _ := new(panes.Holding).At(&f, before, say); whole && !reflect.DeepEqual(fresh, p) {
				t.Fatalf("seed %d, event %d of %d: for the first time it says\n%snot\n%s", seed, f.Seq, h.Len(), written(fresh),
					written(p))
			}
		}
	}
}

func pick[T any](rng *rand.Rand, from ...T) T { return from[rng.IntN(len(from))] }

func anyPath(rng *rand.Rand) string {
	return pick(rng, "/", "/l", "/l/lock-0000000001", "/l/lock-0000000002", "/l/lock-0000000003", "/leader", "/l/x", "/q",
		"/q/_c_9f3a6c1e-0b7d-4f55-9a1b-0123456789ab-lock-0000000007", "", "l")
}

func anyEvent(rng *rand.Rand, i int) event.Event {
	kinds := []event.Kind{
		event.ZnodeCreated, event.ZnodeCreated, event.ZnodeCreated, event.ZnodeDeleted, event.ZnodeDeleted,
		event.ZnodeChanged, event.ZnodeFound, event.SessionCreated, event.SessionExpired, event.SessionClosed,
		event.SessionSeen, event.SessionLocated, event.SessionSilent, event.SessionHeard, event.WatchSet, event.WatchFired,
		event.WatchesAsked, event.ClientStarted, event.ConnClosed, event.ConnOpened, event.TxnApplied, event.Disconnected,
		event.Reconnected, event.RecipeNote, event.RecipePhase, event.FaultInjected,
	}
	session := int64(rng.IntN(4))
	e := event.Event{
		At: time.Duration(i+1) * time.Second, Kind: pick(rng, kinds...), Path: anyPath(rng), Session: session,
		Peer: event.Actor(rng.IntN(4)), Actor: event.Actor(rng.IntN(4)), Zxid: int64(i + 1),
		Cause: event.Seq(rng.IntN(i + 2)), Reason: event.Reason(rng.IntN(8)),
		N:    int64(rng.IntN(1e9)) * pick[int64](rng, 0, 1, 20),
		Type: uint8(rng.IntN(6)), Mode: uint8(rng.IntN(7)), Text: pick(rng, "", "web-1", "10.0.0.1:55 zk1:2181"),
	}
	return e
}
