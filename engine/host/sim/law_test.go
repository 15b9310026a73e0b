package sim_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/host/sim"
	"github.com/zkviz/zkviz/engine/stores/systems"
)

var all = []string{"unique-lock", "children-lock", "predecessor-lock", "fifo-queue", "barrier"}

// randomFaults returns up to three faults in the first ten seconds.
func randomFaults(seed uint64, clients int) (faults []string) {
	rng := rand.New(rand.NewPCG(seed, 99))
	for range rng.IntN(4) {
		f := fault.Fault{
			Kind:   fault.Crash + fault.Kind(rng.IntN(int(fault.Restart))),
			Client: 1 + rng.IntN(clients),
			At:     time.Duration(rng.IntN(10_000)) * time.Millisecond,
		}
		if f.Kind == fault.Restart {
			f.Client = fault.Server
		}
		if f.Kind.Lasts() {
			f.For = time.Duration(1+rng.IntN(12_000)) * time.Millisecond
		}
		faults = append(faults, f.String())
	}
	return faults
}

// eachShaky calls f with the logs of many runs in which something goes wrong.
func eachShaky(t *testing.T, f func(t *testing.T, name string, events []event.Event)) {
	for _, recipe := range all {
		for seed := range uint64(60) {
			tr := shaky(t, recipe, seed)
			f(t, fmt.Sprintf("%s, seed %d, %v", recipe, seed, tr.cfg.Faults), tr.log(t))
		}
	}
}

// The digests were taken natively. The same test under js/wasm shows that the browser computes the same.
func TestSameLogEverywhere(t *testing.T) {
	want := map[string]string{
		"unique-lock":      "749 events, 810eafde072fc244",
		"children-lock":    "920 events, 071509ef06fd0ea3",
		"predecessor-lock": "519 events, 896a0b9158f9d720",
		"fifo-queue":       "311 events, 408e63b938460542",
		"barrier":          "163 events, 35be0da2e2a919dd",
	}
	for _, recipe := range all {
		got := shaky(t, recipe, 7).hash(t)
		if again := shaky(t, recipe, 7).hash(t); again != got {
			t.Errorf("%s: two runs differ: %s and %s", recipe, got, again)
		}
		if other := shaky(t, recipe, 8).hash(t); other == got {
			t.Errorf("%s: another seed makes no difference", recipe)
		}
		if got != want[recipe] {
			t.Errorf("%s: got %s, want %s", recipe, got, want[recipe])
		}
	}
}

// What a fault changes comes after it.
func TestFaultKeepsThePast(t *testing.T) {
	for _, recipe := range all {
		for seed := range uint64(40) {
			tr := shaky(t, recipe, seed)
			before := tr.log(t)
			at := time.Duration(rand.New(rand.NewPCG(seed, 5)).IntN(8000)) * time.Millisecond
			after := tr.with(t, fmt.Sprintf("pause client-2 at %s for 9s", at)).log(t)
			n := 0
			for n < len(before) && n < len(after) && before[n] == after[n] {
				n++
			}
			if n == len(after) && n == len(before) {
				continue // it was over before the fault
			}
			if n == len(after) || after[n].At < at && n < len(before)-1 {
				t.Fatalf("%s, seed %d: event %d of %d differs before the fault at %s:\n%s", recipe, seed, n+1, len(before), at,
					text(after[max(0, n-3):n+1]))
			}
		}
	}
}

// Every log is well formed: numbered, in time order, causes before effects, and every event can be encoded.
func TestLogsAreWellFormed(t *testing.T) {
	eachShaky(t, func(t *testing.T, name string, events []event.Event) {
		last := event.Event{}
		for i, e := range events {
			if e.Seq != event.Seq(i+1) || e.At < last.At || e.Valid() != nil {
				t.Fatalf("%s: event %d: %v\n%s", name, i+1, e.Valid(), text(events[max(0, i-3):i+1]))
			}
			last = e
		}
	})
}

// A client learns of a change before any answer that reflects it, and its zxids never go back.
func TestClientsSeeTheOrderOfZxids(t *testing.T) {
	eachShaky(t, func(t *testing.T, name string, events []event.Event) {
		seen := map[event.Actor]int64{}
		owed := map[event.Actor]int{}
		for _, e := range events {
			switch e.Kind {
			case event.WatchFired:
				owed[e.Peer]++
			case event.WatchDelivered:
				owed[e.Actor]--
			case event.ServerStopped:
				clear(owed)
			case event.ConnClosed, event.ClientCrashed, event.MsgDropped, event.ClientPaused, event.ConnOpened:
				delete(owed, e.Actor)
				delete(owed, e.Peer)
			case event.OpDone:
				if e.Zxid != 0 && e.Zxid < seen[e.Actor] {
					t.Fatalf("%s: event %d: the zxid goes back from %#x to %#x", name, e.Seq, seen[e.Actor], e.Zxid)
				}
				seen[e.Actor] = max(seen[e.Actor], e.Zxid)
			}
		}
	})
}

// A session's znode goes with it, and never before its timeout has passed in silence.
func TestEphemeralsGoWithTheirSession(t *testing.T) {
	eachShaky(t, func(t *testing.T, name string, events []event.Event) {
		owner := map[string]int64{}
		over := map[int64]bool{}
		for _, e := range events {
			switch e.Kind {
			case event.ZnodeCreated:
				if e.Session != 0 {
					owner[e.Path] = e.Session
				}
			case event.ZnodeDeleted:
				delete(owner, e.Path)
			case event.SessionClosed, event.SessionExpired:
				over[e.Session] = true
			case event.TxnApplied:
				if over[e.Session] {
					t.Fatalf("%s: event %d: session %#x writes after its end", name, e.Seq, e.Session)
				}
			}
		}
		for path, session := range owner {
			if over[session] {
				t.Fatalf("%s: %s is still there, its session %#x is not", name, path, session)
			}
		}
	})
}

// Once nothing goes wrong any more, everyone alive gets in: a run of a lock never gets stuck.
func TestLocksNeverGetStuck(t *testing.T) {
	for _, recipe := range all[:3] {
		for seed := range uint64(300) {
			tr := shaky(t, recipe, seed)
			if why := ending(tr.log(t)); why != event.EndAllDone {
				t.Fatalf("%s, seed %d, faults %v: ended because %s", recipe, seed, tr.cfg.Faults, why)
			}
		}
	}
}

// Expiry is rounded up to the next tick after the timeout.
func TestExpiryIsRoundedToTicks(t *testing.T) {
	tr := calm("predecessor-lock", 1)
	tr.hold = time.Hour
	tr = tr.with(t, "crash client-1 at 1s")
	for _, timeout := range []time.Duration{4 * time.Second, 5 * time.Second, 10 * time.Second} {
		tr.cfg.SessionTimeout = timeout
		expired := kinds(tr.log(t), event.SessionExpired)
		if len(expired) != 1 {
			t.Fatalf("timeout %s: %d sessions expired", timeout, len(expired))
		}
		heard := 4 * time.Millisecond // the last request arrives thereabouts
		if late := expired[0].At - heard - timeout; late < -3*time.Millisecond || late > 2*time.Second ||
			expired[0].At%(2*time.Second) != 0 {
			t.Errorf("timeout %s: expired at %s", timeout, expired[0].At)
		}
	}
}

func TestSessionTimeoutIsNegotiated(t *testing.T) {
	tr := calm("unique-lock", 1)
	for ask, want := range map[time.Duration]time.Duration{
		100 * time.Millisecond: 4 * time.Second, 10 * time.Second: 10 * time.Second, 1000 * time.Second: 40 * time.Second,
	} {
		tr.cfg.SessionTimeout = ask
		created := kinds(tr.log(t), event.SessionCreated)
		if got := time.Duration(created[0].N); got != want {
			t.Errorf("asked for %s: got %s, want %s", ask, got, want)
		}
	}
}

// A client that learns of its session's end while it waits for a store doesn't go on to work.
func TestExpiryDuringAWrite(t *testing.T) {
	var log event.Log
	procs := []systems.Program{
		{Main: systems.OnZooKeeper(func(c zoo.Client) error {
			for range 20 {
				if err := c.Write("ledger", "x", 0); err != nil {
					return err
				}
			}
			return c.Work(program.UntilSettled)
		})},
		{Main: systems.OnZooKeeper(func(c zoo.Client) error { return c.Work(program.UntilSettled) })},
	}
	cfg := sim.Config{Faults: []fault.Fault{{Kind: fault.Expire, Client: 1, At: 10 * time.Millisecond}}}
	if err := sim.Run(context.Background(), cfg, procs, &log); err != nil {
		t.Fatal(err)
	}
	if last := log.Events[len(log.Events)-1]; last.Reason != event.EndAllDone {
		t.Errorf("at %s: %s", last.At, last.Text)
	}
}
