package recipes_test

import (
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	runs "github.com/zkviz/zkviz/engine/run"
	"github.com/zkviz/zkviz/recipes"
)

// TestPollIsObeyed checks that in every recipe that polls, those refused try again after the time that the scenario
// says.
func TestPollIsObeyed(t *testing.T) {
	const poll = 700 * time.Millisecond
	polling := 0
	for _, r := range recipes.All() {
		var g runs.Given
		for name, value := range map[string]string{"recipe": r.Name, "clients": "4", "hold": "3s", "poll": poll.String()} {
			if err := g.Set(name, value); err != nil {
				t.Fatal(err)
			}
		}
		s := g.Scenario()
		log := &event.Log{Header: s.Header(event.Simulated)}
		if err := runs.Sim(t.Context(), s, log); err != nil {
			t.Fatal(err)
		}
		polls := false
		for _, e := range log.Events {
			if e.Kind != event.TryFailed {
				continue
			}
			if polls = true; time.Duration(e.N) != poll {
				t.Errorf("%s: event %d: a client tries again after %v", r.Name, e.Seq, time.Duration(e.N))
				break
			}
		}
		if polls {
			polling++
		}
	}
	if polling < 9 {
		t.Errorf("only %d recipes poll", polling)
	}
}
