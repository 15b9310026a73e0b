package player

import "time"

// telling is how far a lesson is told.
type telling struct {
	shown   string        // anchor of the chosen step
	heading string        // anchor of the step being played, or ""
	boost   float64       // how much faster that step is played; 0 for none
	unasked bool          // it plays because the page has opened
	rest    time.Duration // of wall time, until a looping step is played again
	replays pending       // the event at which playing will stop, if that isn't the next step
}

// leave ends the step being played.
func (c *telling) leave() { *c = telling{shown: c.shown} }

// index returns the index of the step being played, or of the last one reached, or -1. Of several with the same end it
// is the chosen one. A step that looks back is shown once it was chosen, until the playhead moves by more than single
// events.
func (c *telling) index(t *Track, h *Head) int {
	if t == nil {
		return -1
	}
	if i := t.index(c.heading); i >= 0 {
		return i
	}
	if i := t.index(c.shown); i >= 0 && t.steps[i].Again != "" {
		return i
	}
	last := t.reached(h) - 1
	for last >= 0 && t.steps[last].Again != "" {
		last--
	}
	for i := last; i >= 0 && t.steps[i].Seq == t.steps[last].Seq; i-- {
		if t.steps[i].Anchor == c.shown {
			return i
		}
	}
	return last
}

// ahead returns the index of the step at which playing will stop: the one being played, or the next one.
func (c *telling) ahead(t *Track, h *Head) int {
	if i := t.index(c.heading); i >= 0 {
		return i
	}
	i := t.reached(h)
	for i < len(t.steps) && t.steps[i].Again != "" {
		i++
	}
	return i
}
