package judge_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/challenge"
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/run/judge"
)

// TestVerdict checks that broken rules and feats come in the order of their events, and that the rules are those of
// the header.
func TestVerdict(t *testing.T) {
	log := event.Log{Header: event.Header{Host: event.Simulated, Promises: []string{promise.BeliefExclusion}}}
	for i, phase := range []program.Phase{program.GaveUp, program.Holding, program.Holding, program.GaveUp} {
		log.Append(event.Event{Seq: event.Seq(i + 1), At: time.Duration(i) * time.Second, Kind: event.RecipePhase,
			Actor: event.Actor(i + 1), Text: string(phase)})
	}
	said := func() (deeds string) {
		v := judge.Of(&log)
		for _, d := range v.Deeds {
			deeds += fmt.Sprintln(d.Rule, d.At, d.Seq, d.Clients)
		}
		return fmt.Sprint(v.Events, " events\n", deeds)
	}
	const first, last = challenge.GaveUp + " 0s 1 [client-1]\n", challenge.GaveUp + " 3s 4 [client-4]\n"
	if got, want := said(), "4 events\n"+first+promise.BeliefExclusion+" 2s 3 [client-3 client-2]\n"+last; got != want {
		t.Errorf("the verdict is\n%swant\n%s", got, want)
	}
	log.Header.Promises = nil
	if got, want := said(), "4 events\n"+first+last; got != want {
		t.Errorf("without promises the verdict is\n%swant\n%s", got, want)
	}
}

// TestVerdictsOnTheWay checks that a Judge goes on after a verdict, and that feats are bounded.
func TestVerdictsOnTheWay(t *testing.T) {
	j := judge.New(event.Header{})
	for i := range challenge.MaxFeats + 5 {
		if v := j.Verdict(); int(v.Events) != i || int(j.Events()) != i || len(v.Deeds) != min(i, challenge.MaxFeats) {
			t.Fatalf("after %d events there are %d deeds on %d", i, len(v.Deeds), v.Events)
		}
		j.Append(event.Event{Seq: event.Seq(i + 1), Kind: event.RecipePhase, Actor: 1, Text: string(program.GaveUp)})
	}
}
