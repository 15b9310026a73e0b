// Package anylog makes logs that make no sense, like a foreign file or the output of a broken observer. Everything
// that shows or judges a log must accept them: its tests call this package. For logs that a host would write, see
// engine/run.
package anylog

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// Paths lists the paths of the events.
var Paths = []string{
	"", "/", "/l", "/l/lock-0000000001", "/l/lock-0000000002", "/l/lock-0000000003", "/leader", "/l/x", "/q",
	"/q/_c_9f3a6c1e-0b7d-4f55-9a1b-0123456789ab-lock-0000000007", "/q/qn-0000000001", "/r/read-0000000001",
	"/r/write-0000000002", "l", "/a//b/../\u202e", "/l/lock-9999999999", "/l/lock--000000001",
}

var texts = []string{
	"", "holding", "waiting", "working", "lock", "web-1", "10.0.0.1:55 zk1:2181", "election", "primary", "SET l x NX PX 9",
	"pause client-2 at 2s for 15s", "client-1 pays", "\xff\x00\u202e<b>",
}

// Log returns n events of all kinds. If whole, no two have the same zxid, as if each had its own transaction.
func Log(rng *rand.Rand, n int, whole bool) []event.Event {
	log := make([]event.Event, n)
	at := time.Duration(0)
	for i := range log {
		at += time.Duration(rng.IntN(3)) * time.Duration(rng.IntN(1e9))
		e := event.Event{
			At: at, Seq: event.Seq(i + 1), Cause: event.Seq(rng.IntN(i + 1)), Kind: kind(rng),
			Path: Pick(rng, Paths...), Text: Pick(rng, texts...), Actor: actor(rng), Peer: actor(rng),
			Zxid: int64(i + 1), Session: int64(rng.IntN(5)), N: number(rng), Code: int32(number(rng)),
			Op: event.Op(rng.IntN(48)), Watch: event.Watch(rng.IntN(7)), Reason: event.Reason(rng.IntN(64)),
			Type: uint8(rng.IntN(6)), Mode: uint8(rng.IntN(8)), Line: uint16(rng.IntN(90)),
		}
		if !whole {
			e.Zxid = number(rng)
		}
		log[i] = e
	}
	return log
}

// kind returns any kind, and half of the time one that changes znodes or sessions.
func kind(rng *rand.Rand) event.Kind {
	if rng.IntN(2) == 0 {
		return Pick(rng, event.ZnodeCreated, event.ZnodeCreated, event.ZnodeDeleted, event.ZnodeChanged, event.ZnodeFound,
			event.ClientStarted, event.SessionCreated, event.SessionExpired, event.WatchSet, event.WatchFired)
	}
	for {
		if k := event.Kind(rng.IntN(256)); k.Valid() {
			return k
		}
	}
}

func actor(rng *rand.Rand) event.Actor { return Pick[event.Actor](rng, 0, 1, 2, 3, 4, 9) }

func number(rng *rand.Rand) int64 {
	return Pick(rng, 0, 1, int64(rng.IntN(9)), int64(rng.IntN(2e10)), 1_700_000_000_000, -1, math.MaxInt64, math.MinInt64)
}

// Pick returns one of from at random.
func Pick[T any](rng *rand.Rand, from ...T) T { return from[rng.IntN(len(from))] }
