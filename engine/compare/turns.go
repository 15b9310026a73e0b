package compare

import (
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/program"
)

// turns is a Sink that counts those who got in right after somebody who had come later, by their own words: each has
// come when it first says that it waits. In the order of coming nobody does, and where chance decides, half of them do.
type turns struct {
	came map[event.Actor]int // those who wait, by how many came before
	next int
	last int // who got in last had come so
	late int
}

// Append takes the next event.
func (t *turns) Append(e event.Event) {
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
