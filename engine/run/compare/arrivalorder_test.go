package compare_test

import (
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/engine/run/compare"
	"github.com/zkviz/zkviz/recipes"
)

// TestOutOfOrder: only a client that got in right after one that had come later counts.
func TestOutOfOrder(t *testing.T) {
	for text, want := range map[string]int{
		"w1 w2 w3 i1 i2 i3": 0, "w1 w2 w3 i3 i2 i1": 2, "w1 w2 w3 i2 i1 i3": 1, "w1 w2 w3 i3 i1 i2": 1,
		"w1 w2 g1 i2 w1 w3 i3 i1": 1, "w1 w1 w2 i1 w1 i2 i1": 0, "i1 i2": 0, "w1 i1 w2 i2 w1 i1": 0,
	} {
		m := compare.NewMeter(event.Header{})
		for i := 0; i < len(text); i += 3 {
			p := map[byte]program.Phase{'w': program.Waiting, 'i': program.Holding, 'g': program.GaveUp}[text[i]]
			m.Append(event.Event{Kind: event.RecipePhase, Actor: event.Actor(text[i+1] - '0'), Text: string(p)})
		}
		if got := m.Row().OutOfOrder; got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
}

// TestContest compares the catalogue's contest with what is known about its locks: a queue is in order and wakes
// one at a time; pollers ask more often the more often they poll, and wake nobody.
func TestContest(t *testing.T) {
	rows := map[string]compare.Row{}
	for _, r := range recipes.Contest() {
		for _, poll := range r.Contest {
			s := run.Scenario{Recipe: r.Name, Clients: 20, Seed: 1, Hold: 20 * time.Millisecond, Poll: poll}
			row, err := compare.Measure(t.Context(), event.Simulated, run.Sim, s, nil)
			if err != nil {
				t.Fatal(err)
			}
			if row.Acquisitions != 20 || len(row.Violations) > 0 || row.MedianMS <= 0 || row.MaxMS < row.MedianMS {
				t.Errorf("%s: %+v", r.Name, row)
			}
			rows[r.Name+row.Poll] = row
		}
	}
	for _, queue := range []string{"predecessor-lock", "redis-signal-list", "etcd-mutex"} {
		if r := rows[queue]; r.OutOfOrder > 0 || r.Wakeups.ByRelease != 19 {
			t.Errorf("%s: %d out of order, %d wakeups", queue, r.OutOfOrder, r.Wakeups.ByRelease)
		}
	}
	eager, calm := rows["redis-set-nx-px50 ms"], rows["redis-set-nx-px50 ms to 250 ms"]
	if eager.Polls <= calm.Polls || eager.Wakeups.ByRelease+calm.Wakeups.ByRelease > 0 {
		t.Errorf("%d polls and %d, %+v", eager.Polls, calm.Polls, eager.Wakeups)
	}
}
