package player

import (
	"math"
	"time"

	"github.com/zkviz/zkviz/engine/event"
)

// pending is a place to go to once it is known and its events have arrived.
type pending struct {
	first bool // the first step
	end   bool // of everything that will arrive
	step  string
	stand bool // at the step, even if that loops
	seq   event.Seq
	at    time.Duration
}

// stopAt moves the playhead and pauses.
func (p *Player) stopAt(at time.Duration, seq event.Seq) {
	p.Head.stop(at, seq)
	p.telling.leave()
	p.pending = nil
	p.touch()
}

// jump moves the playhead away from the chosen step, and pauses.
func (p *Player) jump(at time.Duration, seq event.Seq) {
	p.telling.shown = ""
	p.stopAt(at, seq)
}

// stopAtStep moves the playhead to the end of a step, by index, and pauses.
func (p *Player) stopAtStep(t *Track, i int) {
	p.telling.shown = t.steps[i].Anchor
	p.stopAt(t.place(t.steps[i]))
}

// wait goes to a place as soon as it can, and pauses there unless the caller resumes.
func (p *Player) wait(w pending) {
	p.Head.playing, p.Head.follow, p.pending = false, false, &w
	p.telling.leave()
	p.touch()
	p.settle()
}

// settle goes to the pending place if its events have arrived.
func (p *Player) settle() {
	w, t := p.pending, p.Log.Shown()
	if w == nil || t == nil {
		return
	}
	if at, seq, ok := t.find(*w); ok {
		if p.telling.shown = w.step; w.first {
			p.telling.shown = t.steps[0].Anchor
		}
		playing := p.Head.playing
		p.stopAt(at, seq)
		p.Head.wanted = w.at
		if w.end {
			p.Head.wanted = math.MaxInt64
		}
		p.Head.playing = playing && !p.Ended()
		if i := t.index(w.step); i >= 0 && !w.stand {
			p.begin(t, i)
		}
	} else if t.complete() {
		p.pending = nil // there is no such place
		p.touch()
	}
}

// find returns a pending place, if it is known and has arrived.
func (t *Track) find(w pending) (at time.Duration, seq event.Seq, ok bool) {
	switch {
	case w.end:
		return t.End(), event.Seq(t.history.Len()), t.complete()
	case w.first || w.step != "":
		for _, s := range t.steps {
			if w.first || s.Anchor == w.step {
				at, seq = t.place(s)
				return at, seq, int(seq) <= t.history.Len() && (at <= t.last() || t.complete())
			}
		}
		return 0, 0, false
	case w.seq > 0:
		return max(t.time(w.seq), min(w.at, t.End())), w.seq, int(w.seq) <= t.history.Len()
	default:
		at = min(w.at, t.End())
		return at, t.history.SeqAt(at), w.at <= t.last() || t.complete()
	}
}
