package lessons_test

import (
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/challenge"
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/sentence"
	"github.com/zkviz/zkviz/engine/run"
	languages "github.com/zkviz/zkviz/static/strings"
)

// TestWhyElsewhere: without sessions, reasons come from what nodes keep for clients.
func TestWhyElsewhere(t *testing.T) {
	voice := sentence.Voice{Say: languages.English().Say}
	const taken = "What client-1 had was taken from it, but that alone isn't what the task asks for."
	for _, c := range []struct{ rule, fault, want string }{
		{promise.BeliefExclusion, "crash client-1 at 2s", "client-1 has crashed, and a dead client believes nothing."},
		{promise.BeliefExclusion, "vanish client-1 at 2s",
			"client-1 has vanished, and the task is about a program that runs on."},
		{promise.BeliefExclusion, "stall client-1 at 2s for 1s",
			"Nothing was taken from client-1 by then: what it had was still its own, or it had let go of it."},
		{promise.BeliefExclusion, "stall client-2 at 2s for 1s",
			"client-2 wasn't inside when it was done, so it had nothing to lose."},
		{promise.BeliefExclusion, "cut client-1 at 2s for 20s", taken},
		{promise.Progress, "crash client-1 at 2s", taken},
		{promise.Progress, "pause client-1 at 1h for 1s", "The run ended before it could be done."},
		{promise.BeliefExclusion, "jump node-1 at 2s by -1s", "Since then no client has lost anything that it had."},
		{promise.BeliefExclusion, "restart node-1 at 2s for 1s",
			"Since then a client has lost something that it had, but that alone isn't what the task asks for."},
	} {
		f, err := fault.Parse(c.fault)
		if err != nil {
			t.Fatal(err)
		}
		s := run.Scenario{Recipe: "redis-set-nx-px", Clients: 3, Hold: 3 * time.Second, Faults: []fault.Fault{f}}
		why := challenge.Task{Rule: c.rule}.Why(logged{simulate(t, s)}, f)
		if got := voice.Says(why); got != c.want {
			t.Errorf("%s, %s: it is told %q, not %q", c.rule, c.fault, got, c.want)
		}
	}
}

// TestWhatIsAwaitedElsewhere: without sessions, nobody waits for one to end.
func TestWhatIsAwaitedElsewhere(t *testing.T) {
	for _, k := range fault.SystemKinds() {
		want := "challenge.await.entry"
		switch {
		case k == fault.Drop:
			want = "challenge.await.drop"
		case k.Target() == fault.ToNode:
			want = ""
		}
		if got := challenge.Awaits(fault.Fault{Kind: k, Client: 2}, 0, fault.OnOthers).Key; got != want {
			t.Errorf("after a %s it says %q, want %q", k, got, want)
		}
	}
}
