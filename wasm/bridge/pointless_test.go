package bridge_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/wasm/bridge"
)

// TestPointlessFaultsChangeNothing checks that a fault is called pointless if and only if the run is the same with it.
func TestPointlessFaultsChangeNothing(t *testing.T) {
	const at = 3 * time.Second
	for _, c := range []struct{ recipe, before, fault, want string }{
		{"unique-lock", "", "cut client-1 for 2s", ""},
		{"unique-lock", "cut client-1 at 2s for 4s", "cut client-1 for 1s", "fault.cut.anyway[A 6.0]"},
		{"unique-lock", "cut client-1 at 2s for 4s", "cut client-1 for 3s", "fault.cut.anyway[A 6.0]"},
		{"unique-lock", "cut client-1 at 2s for 4s", "cut client-1 for 5s", ""},
		{"unique-lock", "cut client-1 at 2s for 4s, cut client-1 at 2500ms for 500ms", "cut client-1 for 2s",
			"fault.cut.anyway[A 6.0]"},
		{"unique-lock", "cut client-2 at 2s for 4s", "cut client-1 for 1s", ""},
		{"unique-lock", "delay client-1 at 2s for 4s", "delay client-1 for 1s", "fault.delay.anyway[A 6.0]"},
		{"unique-lock", "delay client-1 at 2s for 2s", "delay client-1 for 6s", ""},
		{"unique-lock", "pause client-1 at 2s for 4s", "pause client-1 for 6s", ""},
		{"unique-lock", "pause client-1 at 2s for 4s", "pause client-1 for 3s", "fault.pause.anyway[A 6.0]"},
		{"unique-lock", "pause client-1 at 2s for 4s, pause client-1 at 2500ms for 1s", "pause client-1 for 2s",
			"fault.pause.anyway[A 6.0]"},
		{"unique-lock", "pause client-1 at 2s for 1s", "expire client-1", ""},
		{"unique-lock", "expire client-2 at 2s", "expire client-2", "fault.ended.sim[B 3.0]"},
		{"unique-lock", "cut client-1 at 1ms for 20s", "expire client-1", "fault.expire.none[A]"},
		{"unique-lock", "crash client-1 at 2s", "pause client-1 for 1s", "fault.ended.sim[A 3.0]"},
		{"redis-set-nx-px", "stall client-1 at 2s for 1s", "stall client-1 for 3s", ""},
		{"unique-lock", "", "restart server for 1s", ""},
	} {
		var before []string
		if c.before != "" {
			before = strings.Split(c.before, ", ")
		}
		plain := played(t, c.recipe, before)
		s := view.New()
		s.Header = plain.Header
		for _, e := range plain.Events {
			if e.At <= at {
				s.Apply(e)
			}
		}
		got := bridge.Pointless(s, c.fault, at, say)
		if got != c.want {
			t.Errorf("%s with %q: %s is pointless because of %q, want %q", c.recipe, c.before, c.fault, got, c.want)
		}
		with := played(t, c.recipe, append(before, bridge.FaultAt(c.fault, at)))
		if same := slices.Equal(deeds(plain), deeds(with)); same != (c.want != "") {
			t.Errorf("%s with %q: that %s changes nothing is %v", c.recipe, c.before, c.fault, same)
		}
	}
}

func played(t *testing.T, recipe string, faults []string) *event.Log {
	t.Helper()
	q := url.Values{"recipe": {recipe}, "clients": {"3"}, "hold": {"5s"}, "fault": faults}
	sc, err := run.ParseQuery(q.Encode())
	if err != nil {
		t.Fatal(err)
	}
	log := &event.Log{Header: sc.Header(event.Simulated)}
	if err := run.Sim(t.Context(), sc, log); err != nil {
		t.Fatal(err)
	}
	return log
}

// deeds returns what happens in a run besides faults and the beginning of a pause, without the numbers of events.
func deeds(log *event.Log) (all []event.Event) {
	for _, e := range log.Events {
		if e.Kind != event.FaultInjected && e.Kind != event.ClientPaused {
			e.Seq, e.Cause = 0, 0
			all = append(all, e)
		}
	}
	return all
}
