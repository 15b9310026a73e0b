package run_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/recipes"
)

// orderly is a sink that requires each event to be no earlier than the previous one and than its cause.
type orderly struct {
	at   []time.Duration // of each event, by number
	fail string          // the first failure
	ends event.Reason    // why the run ended
}

// Append checks the next event.
func (o *orderly) Append(e event.Event) {
	last := time.Duration(0)
	if n := len(o.at); n > 0 {
		last = o.at[n-1]
	}
	switch {
	case o.fail != "":
	case int(e.Seq) != len(o.at)+1:
		o.fail = fmt.Sprintf("event %d stands where event %d belongs", e.Seq, len(o.at)+1)
	case e.At < last:
		o.fail = fmt.Sprintf("%v is earlier than the event before it, at %s", e, last)
	case int(e.Cause) > len(o.at) || e.Cause > 0 && o.at[e.Cause-1] > e.At:
		o.fail = fmt.Sprintf("%v is earlier than its cause", e)
	}
	o.at = append(o.at, e.At)
	if e.Kind == event.RunEnded {
		o.ends = e.Reason
	}
}

// one returns one of them at random.
func one[T any](chance *rand.Rand, of ...T) T { return of[chance.IntN(len(of))] }

// extreme draws a scenario whose values lie at the limits, on either side of them, or anywhere.
func extreme(chance *rand.Rand) run.Scenario {
	all := recipes.All()
	times := func(limits ...time.Duration) time.Duration {
		if chance.IntN(20) == 0 {
			return one(chance, math.MinInt64, -1, 0, 1, math.MaxInt64-1, math.MaxInt64, time.Duration(chance.Uint64()))
		}
		return one(chance, limits...)
	}
	counts := func(limits ...int) int {
		if chance.IntN(20) == 0 {
			return one(chance, math.MinInt, -1, math.MaxInt, int(chance.Uint64()))
		}
		return one(chance, limits...)
	}
	s := run.Scenario{
		Recipe:  all[chance.IntN(len(all))].Name,
		Clients: counts(0, 3, 4, 4, 4, 9, 9, run.MaxClients, run.MaxClients, run.MaxClients+1),
		Rounds:  counts(0, 0, 1, 1, 2, 9, run.MaxRounds, run.MaxRounds, run.MaxRounds+1),
		Hold: times(0, 0, program.UntilSettled, 1, time.Second, time.Second, run.MaxHold, run.MaxHold,
			run.MaxHold+1),
		Seed:           chance.Uint64(),
		SessionTimeout: times(0, 0, 0, 0, time.Second, run.MinSessionTimeout, run.MaxSessionTimeout, run.MaxSessionTimeout+1),
		Latency:        times(0, 0, 0, time.Second, time.Second, run.MaxFlight, run.MaxFlight, run.MaxFlight+1),
		Jitter:         one(chance, 0, 0, 0, 0, 0, 0, times(run.MaxFlight, run.MaxFlight+1)),
		Stagger:        times(0, 0, 0, -1, time.Second, run.MaxFlight, run.MaxFlight, run.MaxFlight+1),
		MaxEvents:      3000,
	}
	for range one(chance, 0, 0, 1, 3, 50) {
		f := fault.Fault{Kind: one(chance, fault.Kinds()...), At: one(chance, 0, time.Second, time.Hour, fault.MaxAt)}
		if f.Kind.Target() == fault.ToClient {
			f.Client = one(chance, 1, 2, 3)
		}
		if f.Kind.Lasts() {
			f.For = one(chance, 1, time.Second, fault.MaxAt)
		}
		if chance.IntN(100) == 0 {
			f.At, f.For, f.Client = times(fault.MaxAt+1), times(fault.MaxAt+1), counts(run.MaxClients+1)
		}
		s.Faults = append(s.Faults, f)
	}
	return s
}

// namesParameter reports whether a refusal says what to change.
func namesParameter(err error) bool {
	for _, name := range []string{"client", "round", "hold", "session timeout", "latency", "jitter", "stagger", "fault"} {
		if strings.Contains(said(err), name) {
			return true
		}
	}
	return false
}

// TestExtremeScenarios runs scenarios whose values lie at their limits and beyond: each is refused with a sentence
// that names a parameter, or run, with times that go forward.
func TestExtremeScenarios(t *testing.T) {
	most := 3000
	if testing.Short() {
		most = 300
	}
	ran := 0
	for seed := range uint64(most) {
		s := extreme(rand.New(rand.NewPCG(seed, 1)))
		var o orderly
		err := run.Sim(context.Background(), s, &o)
		if err != nil {
			if !namesParameter(err) || len(o.at) > 0 {
				t.Errorf("%+v is refused after %d events: %v", s, len(o.at), err)
			}
			continue
		}
		ran++
		if o.fail != "" || o.ends == event.NoReason {
			t.Errorf("%+v: %s; it ended because %v", s, o.fail, o.ends)
		}
		again, err := run.ParseQuery(s.Query())
		if len(s.Query()) <= run.MaxQuery && (err != nil || again.WithDefaults().Query() != s.Query()) {
			t.Errorf("%s is read as %s, %v", s.Query(), again.WithDefaults().Query(), err)
		}
	}
	if ran < most/10 {
		t.Errorf("only %d of %d scenarios were run", ran, most)
	}
}

// TestLongScenariosEnd runs scenarios that take long in virtual time, and little else, to their ends.
func TestLongScenariosEnd(t *testing.T) {
	for _, s := range []run.Scenario{
		{Recipe: "predecessor-lock", Clients: 2, Rounds: 10, Hold: time.Hour},
		{Recipe: "predecessor-lock", Clients: 1000, Latency: run.MaxFlight, Jitter: run.MaxFlight, Stagger: run.MaxFlight},
		{Recipe: "predecessor-lock", Clients: 50, Stagger: run.MaxFlight},
		{Recipe: "predecessor-lock", SessionTimeout: run.MaxSessionTimeout, Latency: 5 * time.Second, Jitter: 5 * time.Second,
			Rounds: 5},
		{Recipe: "predecessor-lock", Clients: 2, SessionTimeout: run.MinSessionTimeout, Hold: time.Hour},
		{Recipe: "barrier", Clients: 3, Faults: faults(t, "cut client-1 at 24h for 24h", "pause client-2 at 24h for 24h",
			"restart server at 23h for 24h")},
		{Recipe: "predecessor-lock", Clients: 4, Hold: time.Hour, Faults: faults(t, "pause client-1 at 24h for 24h",
			"delay client-2 at 0s for 24h")},
		{Recipe: "timed-lock", Clients: 3, Hold: time.Hour},
	} {
		var o orderly
		if err := run.Sim(context.Background(), s, &o); err != nil {
			t.Errorf("%+v is refused: %v", s, err)
		} else if o.ends != event.EndAllDone || o.fail != "" {
			t.Errorf("%+v ended after %d events at %s because %v; %s", s, len(o.at), o.at[len(o.at)-1], o.ends, o.fail)
		}
	}
}

// TestNobodyIsRefusedForItsSize: whatever lies within the limits runs, for as long as its events allow.
func TestNobodyIsRefusedForItsSize(t *testing.T) {
	for _, r := range recipes.All() {
		if r.Kind == recipe.Pitfall {
			continue
		}
		s := run.Scenario{
			Recipe: r.Name, Clients: run.MaxClients, Rounds: run.MaxRounds, Hold: run.MaxHold,
			SessionTimeout: run.MaxSessionTimeout,
			Latency:        run.MaxFlight, Jitter: run.MaxFlight, Stagger: run.MaxFlight, MaxEvents: 2000,
		}
		for range run.MaxFaults {
			s.Faults = append(s.Faults, fault.Fault{Kind: fault.Pause, Client: 1, At: fault.MaxAt, For: fault.MaxAt})
		}
		var o orderly
		if err := run.Sim(context.Background(), s, &o); err != nil || o.fail != "" || o.ends != event.EndEvents {
			t.Errorf("%s: %v; %s; it ended because %v", r.Name, err, o.fail, o.ends)
		}
	}
}
