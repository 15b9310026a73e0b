package compare

import (
	"slices"
	"time"

	"github.com/zkviz/zkviz/engine/event"
	"github.com/zkviz/zkviz/engine/event/program"
	"github.com/zkviz/zkviz/engine/run"
)

// handovers is a Sink that measures the time from one client's leaving to the next one's getting in: from its
// report that it is no longer inside, which it makes before it asks ZooKeeper for anything, to another client's
// report that it is. A writer that goes on as a reader makes way, too. Both are the clients' own reports, so they
// mean the same on every host; they include neither holds nor starts.
//
// Releases for which nobody waits don't count, and neither do entries for which nobody made way. Where several may
// be inside, an entry belongs to the last release before it.
type handovers struct {
	phases  map[event.Actor]program.Phase
	waiting int           // the number of waiting clients
	left    time.Duration // time of the last release
	awaited bool          // somebody waited for it, and nobody has got in since

	all []time.Duration
}

// Append adds the next event.
func (h *handovers) Append(e event.Event) {
	if e.Kind != event.RecipePhase {
		return
	}
	was, is := h.phases[e.Actor], program.Phase(e.Text)
	h.phases[e.Actor] = is
	if was == program.Waiting {
		h.waiting--
	}
	if is == program.Waiting {
		h.waiting++
	}
	switch {
	case was.Inside() && !is.Inside(), was.Traits().Access == program.ToWrite && is.Traits().Access == program.ToRead:
		h.left, h.awaited = e.At, h.waiting > 0
	case !was.Inside() && is.Inside() && h.awaited:
		h.all = append(h.all, e.At-h.left)
		h.awaited = false
	}
}

// meanMS returns the mean in milliseconds, 0 if there was none.
func (h *handovers) meanMS() float64 {
	if len(h.all) == 0 {
		return 0
	}
	total := time.Duration(0)
	for _, d := range h.all {
		total += d
	}
	return float64(total) / float64(len(h.all)) / float64(time.Millisecond)
}

// medianMS and maxMS are in milliseconds, 0 if there was none.
func (h *handovers) medianMS() float64 {
	if len(h.all) == 0 {
		return 0
	}
	return milliseconds(slices.Sorted(slices.Values(h.all))[len(h.all)/2])
}

func (h *handovers) maxMS() float64 {
	if len(h.all) == 0 {
		return 0
	}
	return milliseconds(slices.Max(h.all))
}

// milliseconds converts to milliseconds, with three digits.
func milliseconds(d time.Duration) float64 {
	return run.Rounded(float64(d) / float64(time.Millisecond))
}
