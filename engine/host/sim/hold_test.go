package sim_test

import (
	"testing"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/zoo"
)

// TestHoldFaults checks that a fault for a hold comes that long after the client got in, whenever that is. It doesn't
// come if the client is out again by then, or never gets in so often.
func TestHoldFaults(t *testing.T) {
	twice := func(late time.Duration) func(zoo.Client) error {
		return func(c zoo.Client) error {
			for range 2 {
				if err := c.Sleep(late); err != nil {
					return err
				}
				c.Phase(program.Writing, program.Subject{})
				if err := c.Work(time.Second); err != nil {
					return err
				}
				c.Phase(program.Reading, program.Subject{}) // it is still inside
				if err := c.Work(time.Second); err != nil {
					return err
				}
				c.Phase(program.Released, program.Subject{})
			}
			return nil
		}
	}
	for _, c := range []struct {
		faults string
		late   time.Duration
		after  time.Duration // since the second hold began; 0 for never
	}{
		{"pause client-1 in hold 2 at 1.5s for 3s", time.Second, 1500 * time.Millisecond},
		{"pause client-1 in hold 2 at 1.5s for 3s", 20 * time.Second, 1500 * time.Millisecond},
		{"expire client-1 in hold 2 at 0s", time.Second, 1},
		{"pause client-1 in hold 2 at 2.5s for 3s", time.Second, 0},
		{"pause client-1 in hold 3 at 0s for 3s", time.Second, 0},
		{"pause client-2 in hold 1 at 0s for 3s", time.Second, 0},
	} {
		log := play(t, trial{}.with(t, c.faults).cfg, twice(c.late), func(zoo.Client) error { return nil })
		var began, at time.Duration
		for _, e := range log {
			switch {
			case e.Kind == event.RecipePhase && e.Text == string(program.Writing):
				began = e.At
			case e.Kind == event.FaultInjected:
				at = max(e.At-began, 1)
				if e.Text != c.faults {
					t.Errorf("%q is done as %q", c.faults, e.Text)
				}
			}
		}
		if at != c.after {
			t.Errorf("%q comes %v after the client got in, want %v", c.faults, at, c.after)
		}
		if why := ending(log); why != event.EndAllDone {
			t.Errorf("%q: it ends because %s", c.faults, why)
		}
	}
}
