package scene_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/fault"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/stage/scene"
	"github.com/zkviz/zkviz/engine/stage/scene/display"
	"github.com/zkviz/zkviz/engine/stage/scene/mark"
)

// TestWhereCopiesDiffer checks that each running server's row says what the znodes were after the last transaction that
// the server has applied, while a server is behind, and that no row does when all have the same. Of a server that is
// far behind nobody knows it, and its row says nothing.
func TestWhereCopiesDiffer(t *testing.T) {
	for _, c := range []struct {
		scenario run.Scenario
		fault    string
		of       func(s *view.State) string
		want     []string
	}{
		{run.Scenario{Recipe: "configuration", Clients: 3, Rounds: 2, Seed: 2, Hold: 6 * time.Second,
			SessionTimeout: 12 * time.Second, Stagger: 1500 * time.Millisecond},
			"partition server-1 | server-2 server-3 at 14s for 8500ms", dataOf,
			[]string{"", "server-1 price 10, server-2 price 20, server-3 price 20"}},
		{run.Scenario{Recipe: "predecessor-lock", Clients: 3, Rounds: 9, Seed: 2, Hold: time.Second,
			SessionTimeout: 12 * time.Second, Stagger: time.Second},
			"partition server-1 | server-2 server-3 at 10s for 60s", placesOf,
			[]string{"", "server-1 A B, server-2 A, server-3 A B", "server-1 C, server-2 C, server-3 -"}},
	} {
		seen := map[string]bool{}
		c.scenario.Servers, c.scenario.Latency, c.scenario.Jitter = 3, 300*time.Millisecond, 30*time.Millisecond
		faults, err := fault.ParseAll([]string{c.fault}, fault.Scope{Servers: 3})
		if err != nil {
			t.Fatal(err)
		}
		c.scenario.Faults = faults
		p, err := play(c.scenario, "behind")
		if err != nil {
			t.Fatal(err)
		}
		had := map[int64]string{}
		s := view.NewFor(p.log.Header)
		for _, e := range p.log.Events {
			s.Apply(e)
			had[s.Zxid] = c.of(s)
			if e.Kind != event.TxnDelivered {
				continue
			}
			for _, size := range [][2]float64{{1400, 700}, {390, 620}, {360, 300}} {
				at := fmt.Sprintf("%s, event %d, %.0f×%.0f", c.scenario.Recipe, e.Seq, size[0], size[1])
				seen[strings.Join(copies(t, at, s, had, size), ", ")] = true
			}
		}
		for _, want := range c.want {
			if !seen[want] {
				t.Errorf("%s: the rows never say %q, but %v", c.scenario.Recipe, want, seen)
			}
		}
	}
}

// dataOf returns the data of the only znode that has some.
func dataOf(s *view.State) string {
	for i := range s.Tree.Nodes {
		if n := &s.Tree.Nodes[i]; n.Data != "" && !n.Gone {
			return n.Data
		}
	}
	return "-"
}

// placesOf returns the letters of the clients with a place in the queue.
func placesOf(s *view.State) string {
	var letters []string
	for i := range s.Tree.Nodes {
		if n := &s.Tree.Nodes[i]; n.Creator != 0 && !n.Gone && n.Path != s.Root {
			letters = append(letters, n.Creator.Letter())
		}
	}
	if slices.Sort(letters); len(letters) == 0 {
		return "-"
	}
	return strings.Join(letters, " ")
}

// copies returns what the rows say that each server has, and compares it with what was there when its last transaction
// was the newest.
func copies(t *testing.T, at string, s *view.State, had map[int64]string, size [2]float64) (says []string) {
	t.Helper()
	var layout scene.Layout
	values := map[string]bool{}
	for _, m := range layout.Plan(s, s.At, scene.Options{Words: english, Width: size[0], Height: size[1],
		Theme: display.Light()}).Marks() {
		if m.Kind != mark.Copy {
			continue
		}
		for i := range s.Ensemble.Servers {
			n := &s.Ensemble.Servers[i]
			if id := fmt.Sprintf("server-%d", i+1); m.Subject != id {
				continue
			} else if has, known := had[n.Delivered]; known && m.Value != has {
				t.Errorf("%s: %s says that it has %q, not %q", at, id, m.Value, has)
			}
		}
		says = append(says, m.Subject+" "+m.Value)
		values[m.Value] = true
	}
	running := 0
	for i := range s.Ensemble.Servers {
		if s.Ensemble.Servers[i].Up {
			running++
		}
	}
	if len(says) == running && len(values) == 1 {
		t.Errorf("%s: all rows say the same: %v", at, says)
	}
	return says
}
