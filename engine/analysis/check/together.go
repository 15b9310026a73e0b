package check

import (
	"github.com/zkviz/zkviz/engine/analysis/promise"
	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/event/sentence"
)

// together counts how often each client has gone through the two halves of a double barrier. Nobody waits for those
// that died.
type together struct {
	size   int   // how many must arrive; 0 if the header doesn't say
	came   []int // came[r] clients have arrived for round r+1
	visits []visit
	busy   rounds // the rounds that live clients have passed into and don't want to leave yet
}

type visit struct {
	arrived, passed, leaving, left int
	lives                          bool
}

func (*together) reads() []event.Kind {
	return []event.Kind{
		event.RunEnded, event.SessionCreated, event.SessionExpired, event.SessionClosed,
		event.ClientExited, event.ClientCrashed, event.RecipePhase,
	}
}

func (t *together) append(c *Checker, e event.Event) {
	switch e.Kind {
	case event.RunEnded:
		if promise.Unfinished(e) {
			t.end(c, e)
		}
	case event.SessionCreated, event.SessionExpired, event.SessionClosed:
		t.follow(c, e.Peer)
	case event.ClientExited, event.ClientCrashed:
		t.follow(c, e.Actor)
	case event.RecipePhase:
		t.phase(c, e)
	}
}

// follow updates whether a client lives.
func (t *together) follow(c *Checker, a event.Actor) {
	if a < 1 || int(a) > len(t.visits) {
		return
	}
	if v := &t.visits[a-1]; v.lives != c.clients[a-1].lives() {
		t.count(v, -1)
		v.lives = !v.lives
		t.count(v, 1)
	}
}

// count adds to the rounds that a live client is busy with.
func (t *together) count(v *visit, by int) {
	if v.lives {
		t.busy.add(v.leaving, v.passed, by)
	}
}

func (t *together) phase(c *Checker, e event.Event) {
	if c.client(e.Actor) == nil {
		return
	}
	for len(t.visits) < int(e.Actor) {
		t.visits = append(t.visits, visit{lives: c.clients[len(t.visits)].lives()})
	}
	v := &t.visits[e.Actor-1]
	t.count(v, -1)
	switch program.Phase(e.Text) {
	case program.Waiting:
		t.arrive(v)
	case program.Passed:
		v.passed++
	case program.Leaving:
		v.leaving = v.passed
	case program.Left:
		v.leaving, v.left = v.passed, v.passed
	}
	t.count(v, 1)
	if program.Phase(e.Text) == program.Left {
		t.leave(c, e, v.passed)
	}
}

// arrive counts a client once for each round.
func (t *together) arrive(v *visit) {
	if v.arrived > v.passed {
		return
	}
	v.arrived = v.passed + 1
	for len(t.came) < v.arrived {
		t.came = append(t.came, 0)
	}
	t.came[v.arrived-1]++
}

// end looks for those that wait for ever: to get in although all have arrived, or to get out.
func (t *together) end(c *Checker, e event.Event) {
	var stuck []event.Actor
	for i, v := range t.visits {
		in := v.arrived > v.passed && t.size > 0 && t.came[v.arrived-1] >= t.size
		out := v.leaving > v.left
		if (in || out) && c.clients[i].waits() {
			stuck = append(stuck, event.Actor(i+1))
		}
	}
	if len(stuck) == 0 {
		return
	}
	v := broken(promise.Together, e, listed(stuck), sentence.Of("broken.together.dead", sentence.Clients(stuck)))
	v.How = promise.Dead
	c.violate(v)
}

// leave looks for those still at work in the round that a client has left.
func (t *together) leave(c *Checker, e event.Event, round int) {
	if t.busy.at(round) == 0 || c.ignoresMore() {
		return
	}
	var busy []event.Actor
	for i, v := range t.visits {
		if v.passed >= round && v.leaving < round && c.clients[i].lives() {
			busy = append(busy, event.Actor(i+1))
		}
	}
	if len(busy) == 0 {
		return
	}
	c.accuse(broken(promise.Together, e, append([]event.Actor{e.Actor}, listed(busy)...),
		sentence.Of("broken.together.early",
			sentence.Client(e.Actor), sentence.Time(e.At), sentence.Clients(busy))), 1, busy...)
}
