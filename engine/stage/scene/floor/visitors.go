package floor

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/analysis/view"
	"github.com/zkviz/zkviz/engine/event/program"
)

// Visitors are programs of any kind that are connected to the embedded server. Apart from our contenders they don't
// report what they believe: only their znodes show what they do, see part.go.

// visitFor is how long a visitor is shown after its session is over.
const visitFor = 4 * time.Second

// HasLeft reports whether a client that runs no recipe is no longer shown: its session is over, and it knows that or
// has ended. In a system without sessions, it must have ended.
func (t *cast) HasLeft(c *view.Client) bool {
	switch {
	case !t.Visitors && !t.Observed:
		return false
	case t.Kind == RemoteKind:
		return c.Exited && t.At >= c.EndedAt+visitFor
	case c.Ended == view.Alive:
		return c.Session == 0 || t.Observed && !t.owning[c.Session]
	}
	return !c.Paused && !Deluded(c) && t.At >= c.EndedAt+visitFor
}

// findOwning collects the sessions that own something: an observation shows nothing else of them.
func (t *cast) findOwning() {
	clear(t.owning)
	if !t.Observed {
		return
	}
	if t.owning == nil {
		t.owning = map[int64]bool{}
	}
	for i := range t.State.Tree.Nodes {
		if n := &t.State.Tree.Nodes[i]; !n.Gone && n.Owner != 0 {
			t.owning[n.Owner] = true
		}
	}
}

// dropDeparted removes the slots of clients that have left the queue.
func (f *Floor) dropDeparted() {
	f.Slots = slices.DeleteFunc(f.Slots, func(s Slot) bool {
		if s.Client < 0 || s.Node >= 0 || !f.HasLeft(&f.State.Clients[s.Client]) {
			return false
		}
		f.Spots[s.Client].Slot = -1
		return true
	})
}

// Lit reports whether client i is drawn as one that has the lock.
func (t *cast) Lit(i int) bool { return t.State.Clients[i].Inside || HasTurn(t.Parts[i]) }

// IsForeign reports whether a visitor is a reader's program and not one of our contenders.
func (t *cast) IsForeign(c *view.Client) bool { return t.Visitors && c.Role != program.Contender }

// wokenFor is how long a visitor is drawn as woken. Nothing reports when it waits again.
const wokenFor = 1200 * time.Millisecond

// visitor returns the key of the word for a visitor's state, and its sign.
func (t *cast) visitor(i int) (string, Sign) {
	c := &t.State.Clients[i]
	if p := c.Belief.Phase; p != "" && p != program.Waiting && p != program.Released {
		return phase(c)
	}
	switch {
	case c.Ended != view.Alive || c.Exited:
		return "scene.logged-off", Absent
	case c.KeptAt != 0:
		return "scene.waits", Plain
	case c.WokenAt > 0 && t.Passed(c.WokenAt, wokenFor) < 1:
		return "scene.woken", Woken
	case t.Parts[i] != view.Apart:
		return partWord(t.Parts[i])
	case c.Belief.Phase == program.Released:
		return ItsPhase, Plain
	default:
		return "scene.connected", Plain
	}
}
