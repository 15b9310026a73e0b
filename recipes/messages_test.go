package recipes_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/check"
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	runs "github.com/zkviz/zkviz/engine/run"
)

// TestPromisesHoldWhateverMessageIsStruck strikes any message that has a name, at any moment on its way: between
// servers, and between clients and what they talk to. What happens to that message is what the fault says, nothing
// changes before it, and neither the recipe nor the servers break a promise.
func TestPromisesHoldWhateverMessageIsStruck(t *testing.T) {
	seeds := uint64(150)
	if testing.Short() {
		seeds = 30
	}
	for _, s := range []runs.Scenario{
		{Recipe: "predecessor-lock", Servers: 3}, {Recipe: "predecessor-lock"}, {Recipe: "double-barrier"},
		{Recipe: "read-write-lock"}, {Recipe: "redis-fenced"}, {Recipe: "db-lease-row"}, {Recipe: "etcd-mutex"},
	} {
		t.Run(s.Recipe, func(t *testing.T) {
			for seed := range seeds {
				chance := rand.New(rand.NewPCG(seed, 7))
				s.Clients, s.Seed, s.Latency, s.Jitter = 3, seed+1, 20*time.Millisecond, 10*time.Millisecond
				s.SessionTimeout, s.Hold = 4*time.Second, time.Second
				calm := struckBy(t, s)
				sent, f := drawStrike(chance, calm)
				log := struckBy(t, s, f)
				checkStrike(t, seed, calm, log, sent, f)
				_, second := drawStrike(chance, log)
				struckBy(t, s, f, second)
			}
		})
	}
}

// drawStrike draws a fault on a message of a run, and returns the event that sends it.
func drawStrike(chance *rand.Rand, log []event.Event) (event.Event, fault.Fault) {
	end := log[len(log)-1].At
	named := slices.DeleteFunc(slices.Clone(log), func(e event.Event) bool {
		_, ok := fault.Of(e)
		return !ok || e.At+time.Duration(e.N) > end
	})
	sent := named[chance.IntN(len(named))]
	kinds := fault.ToMessages()
	f := fault.Fault{Kind: kinds[chance.IntN(len(kinds))], At: sent.At + 1 + time.Duration(chance.Int64N(sent.N-1))}
	f.Message, _ = fault.Of(sent)
	name := f.Message
	for _, e := range named {
		if m, _ := fault.Of(e); m == name && e.Seq <= sent.Seq {
			f.Message.Nth++
		}
	}
	if f.Kind.Lasts() {
		f.For = time.Duration(1 + chance.Int64N(int64(20*time.Second)))
	}
	return sent, f
}

// struckBy plays a scenario with faults, and checks its promises.
func struckBy(t *testing.T, s runs.Scenario, faults ...fault.Fault) []event.Event {
	t.Helper()
	s.Faults = faults
	s = s.WithDefaults()
	if err := s.Validate(); err != nil {
		t.Fatal(err)
	}
	r, err := runs.Recipe(s.Recipe)
	if err != nil {
		t.Fatal(err)
	}
	var log event.Log
	c := check.New(slices.Concat(r.Promises, promise.Invariants()), s.Header(event.Simulated))
	if err := runs.Sim(context.Background(), s, event.Tee{&log, c}); err != nil {
		t.Fatal(err)
	}
	if v := c.Report().Violations; len(v) > 0 {
		t.Errorf("seed %d, %v: %+v", s.Seed, faults, v[0])
	}
	return log.Events
}

// checkStrike checks what a fault has done to a message.
func checkStrike(t *testing.T, seed uint64, calm, log []event.Event, sent event.Event, f fault.Fault) {
	t.Helper()
	at := slices.IndexFunc(log, func(e event.Event) bool { return e.Kind == event.FaultInjected })
	if at < 0 || !slices.Equal(calm[:at], log[:at]) || log[at].Cause != sent.Seq || log[at].N != int64(f.For) {
		t.Errorf("seed %d, %s: it happens as event %d: %+v", seed, f, at, log[max(at, 0)])
		return
	}
	end, was := endOf(log, sent), endOf(calm, sent)
	arrives := end.Seq != 0 && end.Kind != event.MsgDropped
	switch f.Kind {
	case fault.DropMessage:
		if end.Kind != event.MsgDropped || end.At != f.At {
			t.Errorf("seed %d, %s: it ends with %+v", seed, f, end)
		}
	case fault.DelayMessage:
		if arrives && was.Seq != 0 && end.At < sent.At+time.Duration(sent.N)+f.For {
			t.Errorf("seed %d, %s: it arrives at %v", seed, f, end.At)
		}
	case fault.DeliverMessage: // its receiver may be busy
		if !arrives || was.Seq != 0 && end.At > was.At || f.Message.Client() != 0 && end.Actor.Kind() != event.AServer &&
			end.At > f.At {
			t.Errorf("seed %d, %s: it ends with %+v", seed, f, end)
		}
	}
}

// endOf returns the first event about a message's arrival or its loss.
func endOf(log []event.Event, sent event.Event) event.Event {
	for _, e := range log {
		if e.Cause == sent.Seq && e.Kind != event.FaultInjected && (e.Actor != sent.Actor || e.Kind == event.MsgDropped) {
			return e
		}
	}
	return event.Event{}
}
