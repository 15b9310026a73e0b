package compare

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
)

// arrivalOrder is a Sink that counts clients that got in right after one that had come later, by their own reports: a
// client comes when it first reports that it waits. In order of arrival the count is zero; where chance decides,
// half of them count.
type arrivalOrder struct {
	came map[event.Actor]int // the waiting clients, by how many came before
	next int
	last int // the arrival number of the last that got in
	late int
}

// Append adds the next event.
func (t *arrivalOrder) Append(e event.Event) {
	if e.Kind != event.RecipePhase {
		return
	}
	came, waits := t.came[e.Actor]
	switch p := program.Phase(e.Text); {
	case p == program.Waiting && !waits:
		t.next++
		t.came[e.Actor] = t.next
	case p == program.Waiting || !waits:
	case p.Inside():
		if came < t.last {
			t.late++
		}
		t.last = came
		fallthrough
	default:
		delete(t.came, e.Actor)
	}
}
