package run_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/recipe"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/recipes"
)

// arrivals describes two clients: the first comes twice and the second in between, each in a role.
func arrivals(r recipe.Recipe) string {
	as := [2]string{}
	if r.Role != nil && r.Drawing.Taker == "" && r.Role(1, 6) == "writer" {
		as = [2]string{" as writer", " as reader"}
	}
	return fmt.Sprintf("recipe=%s&clients=3&latency=1ms&jitter=1ns&hold=1ms"+
		"&arrival=client-1+at+10s+for+4s+at+40s+for+2s%s"+
		"&arrival=client-2+at+12s+for+3s+timeout+8s%s&arrival=client-3+at+60s", r.Name, as[0], as[1])
}

// TestArrivals: in every recipe whose clients can be told when to come, they come then and hold for the given time,
// and one that comes meanwhile waits.
func TestArrivals(t *testing.T) {
	n := 0
	for _, r := range recipes.All() {
		if r.Use == "" || r.Use == "queue" {
			continue
		}
		n++
		s, err := run.ParseQuery(arrivals(r))
		if err != nil {
			t.Fatal(r.Name, err)
		}
		var log event.Log
		if err := run.Sim(t.Context(), s, &log); err != nil {
			t.Fatal(err)
		}
		in, out := map[event.Actor][]time.Duration{}, map[event.Actor][]time.Duration{}
		timeouts := map[event.Actor]time.Duration{}
		for _, e := range log.Events {
			switch phase := program.Phase(e.Text); {
			case e.Kind == event.SessionCreated:
				timeouts[e.Peer] = time.Duration(e.N)
			case e.Kind != event.RecipePhase:
			case phase.Inside() && len(in[e.Actor]) == len(out[e.Actor]):
				in[e.Actor] = append(in[e.Actor], e.At)
			case phase == program.Released:
				out[e.Actor] = append(out[e.Actor], e.At)
			}
		}
		if len(in[1]) != 2 || len(in[2]) != 1 || len(out[1]) != 2 || timeouts[2] != 8*time.Second {
			t.Errorf("%s: they go in at %v and out at %v, timeouts %v", r.Name, in, out, timeouts)
			continue
		}
		if !soonAfter(in[1][0], 10*time.Second) || !soonAfter(in[1][1], 40*time.Second) || in[2][0] < 12*time.Second ||
			out[1][0]-in[1][0] < 4*time.Second || !soonAfter(out[1][1]-in[1][1], 2*time.Second) && r.Use != "read-write" {
			t.Errorf("%s: they go in at %v and out at %v", r.Name, in, out)
		}
	}
	if n < 10 {
		t.Errorf("only %d recipes take arrivals", n)
	}
}

// soonAfter allows for the recipe's other steps; some recipes poll.
func soonAfter(d, due time.Duration) bool { return d >= due && d < due+1500*time.Millisecond }
