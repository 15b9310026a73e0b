package player

import "time"

// rest is how long, in wall time, a looping step stands on its last frame before it is played again.
const rest = 1100 * time.Millisecond

// begin lets the step at whose end the playhead has just stopped play again and again, if it loops. With reduced motion
// it stays where it is, and a live run is not replayed.
func (p *Player) begin(t *Track, i int) {
	if t.steps[i].Loop != "" && p.Log.run.told() && !p.Pace.still {
		p.telling.rest, p.Head.playing = rest, true
	}
}

// looping reports whether the step shown is played again and again, also while that is paused.
func (p *Player) looping() bool {
	t := p.Log.Shown()
	if i := t.index(p.telling.heading); i >= 0 {
		return t.steps[i].Loop != ""
	}
	return p.telling.rest > 0
}

// repose lets dt of a looping step's rest pass, and then plays the step again.
func (p *Player) repose(t *Track, dt time.Duration) {
	if p.telling.rest -= dt; p.telling.rest > 0 {
		return
	}
	if i := p.telling.index(t, &p.Head); i >= 0 && t.steps[i].Loop != "" {
		p.tell(t, i)
		return
	}
	p.stopAt(p.Head.at, p.Head.seq)
}

// playFirst plays the first step from the empty stage, for a page that has just opened at its end. Next then goes on to
// the second step: nobody has asked for this.
func (p *Player) playFirst() {
	t := p.Log.Shown()
	if t == nil || len(t.steps) == 0 || !p.Log.run.told() || p.Pace.still || p.Head.playing || p.pending != nil {
		return
	}
	if at, seq := t.place(t.steps[0]); p.Head.at == at && p.Head.seq == seq {
		p.tellStep(t.steps[0].Anchor)
		p.telling.unasked = true
	}
}

// reduce sets whether motion is reduced. Then a looping step stands on its last frame.
func (p *Player) reduce(still bool) {
	p.Pace.still = still
	if still && p.looping() {
		p.wait(pending{step: p.telling.shown})
	}
	p.touch()
}
