package lessons

import (
	"strconv"
	"strings"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/zoo"
)

// What the measures find in the runs of barriers, queues and groups.

// ended is the place of the first deletion of a znode whose path ends in name, or -1.
func ended(r *Run, name string) int {
	_, i := first(r.Log.Events, 0, func(e event.Event) bool {
		return e.Kind == event.ZnodeDeleted && strings.HasSuffix(e.Path, name)
	})
	return i
}

// toldOfEnd is how many clients are told when the first znode of that name goes.
func toldOfEnd(r *Run, name string) string {
	i := ended(r, name)
	if i < 0 {
		return ""
	}
	return strconv.Itoa(len(deliveries(r, i)))
}

// leftEarly is how many clients left a double barrier while another that had passed was still at work.
func leftEarly(r *Run) (n int) {
	busy := map[event.Actor]bool{}
	for _, e := range r.Log.Events {
		if e.Kind == event.ClientCrashed || e.Kind == event.ClientExited {
			delete(busy, e.Actor)
		}
		if e.Kind != event.RecipePhase {
			continue
		}
		switch zoo.Phase(e.Text) {
		case zoo.Passed:
			busy[e.Actor] = true
		case zoo.Leaving:
			delete(busy, e.Actor)
		case zoo.Left:
			if len(busy) > 0 {
				n++
			}
		}
	}
	return n
}

// workedOff is how often an item was worked off.
func workedOff(r *Run) int { return phases(r, zoo.Done, 0) }

// finishes tells which of the znodes of one name, an item and its mark, goes first when the item is worked
// off: "item", "mark", or "together" if one transaction removes both.
func finishes(r *Run, name string) string {
	var item, mark event.Event
	for _, e := range r.Log.Events {
		if e.Kind != event.ZnodeDeleted || !strings.HasSuffix(e.Path, name) {
			continue
		}
		if made, _ := first(r.Log.Events, 0, func(m event.Event) bool {
			return m.Kind == event.ZnodeCreated && m.Path == e.Path
		}); made.Session == 0 {
			item = e
		} else {
			mark = e
		}
	}
	switch {
	case item.Zxid == 0 || mark.Zxid == 0:
		return ""
	case item.Zxid == mark.Zxid:
		return "together"
	case item.Zxid < mark.Zxid:
		return "item"
	}
	return "mark"
}

// doesAtEnd is what the first client that is told of the end of another's znode asks next.
func doesAtEnd(r *Run, client int) string {
	_, i := first(r.Log.Events, 0, func(e event.Event) bool {
		return e.Kind == event.ZnodeDeleted && int(creatorOf(r, e.Path)) == client
	})
	told := deliveries(r, i)
	if len(told) == 0 {
		return ""
	}
	return nextRequest(r, told[0])
}

// toldWhilePaused is how many watch events leave for a client while it is paused.
func toldWhilePaused(r *Run, client int) string {
	_, i := first(r.Log.Events, 0, func(e event.Event) bool {
		return e.Kind == event.ClientPaused && int(e.Actor) == client
	})
	_, j := first(r.Log.Events, i, func(e event.Event) bool {
		return e.Kind == event.ClientResumed && int(e.Actor) == client
	})
	if i < 0 || j < 0 {
		return ""
	}
	n := 0
	for _, e := range r.Log.Events[i:j] {
		if e.Kind == event.WatchFired && int(e.Peer) == client {
			n++
		}
	}
	return strconv.Itoa(n)
}

// published is how many values were published.
func published(r *Run) int { return phases(r, zoo.Published, 0) }

// phases counts the reports of a phase, by one client or, for 0, by all.
func phases(r *Run, p zoo.Phase, client int) (n int) {
	for _, e := range r.Log.Events {
		if e.Kind == event.RecipePhase && zoo.Phase(e.Text) == p && (client == 0 || int(e.Actor) == client) {
			n++
		}
	}
	return n
}

// idOf is the first id that a client gets.
func idOf(r *Run, client int) string {
	e, i := first(r.Log.Events, 0, func(e event.Event) bool {
		return e.Kind == event.RecipePhase && int(e.Actor) == client && zoo.Phase(e.Text) == zoo.Named
	})
	if i < 0 {
		return ""
	}
	return strconv.FormatInt(e.N, 10)
}

// countedTwice is how many numbers were given out by a counter more than once.
func countedTwice(r *Run) (n int) {
	times := map[int64]int{}
	for _, e := range r.Log.Events {
		if e.Kind == event.RecipePhase && zoo.Phase(e.Text) == zoo.Counted {
			if times[e.N]++; times[e.N] == 2 {
				n++
			}
		}
	}
	return n
}
