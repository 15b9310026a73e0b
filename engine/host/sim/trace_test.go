package sim_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/event/zoo"
	"github.com/zkviz/zkviz/engine/host/sim"
	"github.com/zkviz/zkviz/engine/stores/systems"
	"github.com/zkviz/zkviz/engine/testing/golden"
)

// Each trace is the whole log of a small run, to be read like a story.
func TestGoldenTraces(t *testing.T) {
	holding := calm("predecessor-lock", 2)
	holding.hold = 3 * time.Second
	for name, tr := range map[string]trial{
		"unique-lock":      calm("unique-lock", 3),
		"children-lock":    calm("children-lock", 3),
		"predecessor-lock": calm("predecessor-lock", 3),
		"fifo-queue":       calm("fifo-queue", 3),
		"barrier":          calm("barrier", 2),
		"pause-too-long":   holding.with(t, "pause client-1 at 1s for 16s"),
		"pause-short":      holding.with(t, "pause client-1 at 1s for 3s"),
		"cut-short":        holding.with(t, "cut client-2 at 1s for 8s"),
		"cut-too-long":     holding.with(t, "cut client-1 at 1s for 20s"),
		"crash-holder":     holding.with(t, "crash client-1 at 1s"),
		"expire-waiter":    holding.with(t, "expire client-2 at 1s"),
		"restart":          holding.with(t, "restart server at 1s for 1500ms"),
		"slow-link":        calm("predecessor-lock", 2).with(t, "delay client-1 at 0s for 1s"),
		"lost-reply":       holding.with(t, "drop client-1 at 0s", "drop client-2 at 6ms"),
		"lost-request":     holding.with(t, "drop create 1 from client-1 to server at 2500us"),
		"lost-create":      holding.with(t, "drop create 1 from server to client-1 at 3500us"),
		"held-up":          holding.with(t, "delay create 1 from client-1 to server at 2500us for 1s"),
	} {
		t.Run(name, func(t *testing.T) {
			tr.lines = false
			golden.Compare(t, filepath.Join("testdata", name+".txt"), text(tr.log(t)))
		})
	}
}

// A recipe's line is the place in the recipe that makes the call.
func TestLines(t *testing.T) {
	tr := calm("predecessor-lock", 2)
	tr.lines = true
	blocked := kinds(tr.log(t), event.ClientBlocked)
	if len(blocked) != 1 || blocked[0].Line == 0 {
		t.Fatalf("want one client that waits in a line of the recipe, got %+v", blocked)
	}
}

// A lock that is never released ends the run instead of hanging it.
func TestStuckRunEnds(t *testing.T) {
	tr := calm("barrier", 3).with(t, "crash client-3 at 12ms")
	if got := ending(tr.log(t)); got != event.EndStuck {
		t.Errorf("ended because %q, want %q", got, event.EndStuck)
	}
	// Four have ended well by then, and so have their connections.
	tr = trial{recipe: "ephemeral-start", clients: 5, stagger: 500 * time.Millisecond}.with(t,
		"pause client-2 at 4.4s for 2s")
	tr.cfg.SessionTimeout, tr.cfg.Tick, tr.cfg.Latency = 4*time.Second, 2*time.Second, 100*time.Millisecond
	tr.cfg.MaxTime = time.Minute
	if l := tr.log(t); ending(l) != event.EndStuck || len(kinds(l, event.ClientExited)) != 4 {
		t.Errorf("ended because %q, want %q", ending(l), event.EndStuck)
	}
}

func TestLimits(t *testing.T) {
	tr := calm("unique-lock", 5)
	tr.cfg.MaxEvents = 50
	if l := tr.log(t); ending(l) != event.EndEvents || len(l) > 60 {
		t.Errorf("%d events, ended because %q", len(l), ending(l))
	}
	tr.cfg.MaxEvents = 0
	tr.hold = time.Hour
	tr.cfg.MaxTime = time.Minute
	if l := tr.log(t); ending(l) != event.EndTime || l[len(l)-1].At != time.Minute {
		t.Errorf("ended at %v because %q", l[len(l)-1].At, ending(l))
	}
}

// A process that loops without letting time pass ends the run; one that ignores refusals panics as a bug.
func TestSpinningProcesses(t *testing.T) {
	var log event.Log
	spin := systems.Program{Main: systems.OnZooKeeper(func(c zoo.Client) error {
		for c.Sleep(0) == nil {
		}
		return nil
	})}
	if err := sim.Run(context.Background(), sim.Config{}, []systems.Program{spin}, &log); err != nil ||
		ending(log.Events) != event.EndSpin {
		t.Errorf("ended with %v because %q", err, ending(log.Events))
	}
	defer func() {
		if msg := fmt.Sprint(recover()); !strings.Contains(msg, "a recipe must return") {
			t.Errorf("panicked with %s", msg)
		}
	}()
	unwatching := systems.Program{Main: systems.OnZooKeeper(func(c zoo.Client) error {
		for {
			_, _, _ = c.Exists("/a")
		}
	})}
	cfg := sim.Config{Faults: []fault.Fault{{Kind: fault.Expire, Client: 1, At: time.Second}}}
	_ = sim.Run(context.Background(), cfg, []systems.Program{unwatching}, &log)
	t.Error("it came to an end")
}
