package player

import (
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// pending is a place to go to once it is known and its events have arrived.
type pending struct {
	first bool // the first step
	end   bool // of everything that will arrive
	step  string
	seq   event.Seq
	at    time.Duration
}

// move moves the playhead.
func (p *Player) move(at time.Duration, seq event.Seq) {
	p.at = at
	if seq != p.seq {
		p.seq = seq
		p.touch()
	}
}

// stopAt moves the playhead and pauses.
func (p *Player) stopAt(at time.Duration, seq event.Seq) {
	p.playing, p.follow, p.boost, p.heading = false, false, 0, ""
	p.pending = nil
	p.move(at, seq)
	p.stood = at
	p.touch()
}

// Stood returns the time at which the playhead last stood still, for scene.Options.Stood.
func (p *Player) Stood() time.Duration { return p.stood }

// stopAtStep moves the playhead to the end of a step, by index, and pauses.
func (p *Player) stopAtStep(t *track, i int) {
	p.shown = t.steps[i].Anchor
	p.stopAt(t.place(t.steps[i]))
}

// reached counts the steps, from the first on, that end at or before the playhead.
func (p *Player) reached(t *track) int {
	for i := range t.steps {
		if at, seq := t.told(t.steps[i]); at > p.at || at == p.at && seq > p.seq {
			return i
		}
	}
	return len(t.steps)
}

// stepIndex returns the index of the step being played, or of the last one reached, or -1. Of several with the same end
// it is the chosen one. A step that looks back is shown once it was chosen, until the playhead moves by more than
// single events.
func (p *Player) stepIndex() int {
	t := p.track()
	if t == nil {
		return -1
	}
	if i := t.index(p.heading); i >= 0 {
		return i
	}
	if i := t.index(p.shown); i >= 0 && t.steps[i].Again != "" {
		return i
	}
	last := p.reached(t) - 1
	for last >= 0 && t.steps[last].Again != "" {
		last--
	}
	for i := last; i >= 0 && t.steps[i].Seq == t.steps[last].Seq; i-- {
		if t.steps[i].Anchor == p.shown {
			return i
		}
	}
	return last
}

// wait goes to a place as soon as it can, and pauses there unless the caller resumes.
func (p *Player) wait(w pending) {
	p.playing, p.follow, p.boost, p.heading = false, false, 0, ""
	p.pending = &w
	p.touch()
	p.settle()
}

// settle goes to the pending place if its events have arrived.
func (p *Player) settle() {
	w, t := p.pending, p.track()
	if w == nil || t == nil {
		return
	}
	if at, seq, ok := t.find(*w); ok {
		if p.shown = w.step; w.first {
			p.shown = t.steps[0].Anchor
		}
		playing := p.playing
		p.stopAt(at, seq)
		p.playing = playing && !p.Ended()
	} else if t.complete() {
		p.pending = nil // there is no such place
		p.touch()
	}
}

// find returns a pending place, if it is known and has arrived.
func (t *track) find(w pending) (at time.Duration, seq event.Seq, ok bool) {
	switch {
	case w.end:
		return t.end(), event.Seq(t.history.Len()), t.complete()
	case w.first || w.step != "":
		for _, s := range t.steps {
			if w.first || s.Anchor == w.step {
				at, seq = t.place(s)
				return at, seq, int(seq) <= t.history.Len() && (at <= t.last() || t.complete())
			}
		}
		return 0, 0, false
	case w.seq > 0:
		return max(t.time(w.seq), min(w.at, t.end())), w.seq, int(w.seq) <= t.history.Len()
	default:
		at = min(w.at, t.end())
		return at, t.history.SeqAt(at), w.at <= t.last() || t.complete()
	}
}
