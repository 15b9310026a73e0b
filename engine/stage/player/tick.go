package player

import (
	"cmp"
	"time"
)

// maxTick is the maximum wall time of a tick: a page that was hidden continues where it was.
const maxTick = 250 * time.Millisecond

// longStep is the maximum wall time, at speed 1, to the next step.
const longStep = 3900 * time.Millisecond

// shortStep is the minimum: nobody could follow faster changes.
const shortStep = time.Second

// Tick lets dt of wall time pass.
func (p *Player) Tick(dt time.Duration) {
	dt = min(max(dt, 0), maxTick)
	p.heard += dt
	t := p.track()
	if t != nil && t.unjudged() > 0 {
		t.catchUp(atOnce)
		p.news++
	}
	if !p.playing || t == nil || dt == 0 || p.pending != nil {
		return
	}
	if p.follow {
		p.chase(t, dt)
		return
	}
	to := p.onward(t, time.Duration(float64(dt)*p.speed*cmp.Or(p.boost, 1)))
	if i := p.ahead(t); i < len(t.steps) {
		if at, seq := t.place(t.steps[i]); at <= to && int(seq) <= t.history.Len() {
			p.stopAtStep(t, i)
			return
		}
	}
	p.advance(t, to)
}

// ahead returns the index of the step at which playing will stop: the one being played, or the next one.
func (p *Player) ahead(t *track) int {
	if i := t.index(p.heading); i >= 0 {
		return i
	}
	i := p.reached(t)
	for i < len(t.steps) && t.steps[i].Again != "" {
		i++
	}
	return i
}

// advance plays up to a time, or to the end of what has arrived.
func (p *Player) advance(t *track, to time.Duration) {
	if limit := p.limit(t); to >= limit {
		to = max(limit, p.at)
		switch {
		case t.complete():
			p.playing, p.boost, p.heading = false, 0, ""
			p.touch()
		case p.run.Live() && !p.run.Lesson:
			p.follow = true
		}
	}
	p.move(to, max(p.seq, t.history.SeqAt(to)))
}

// limit returns how far the player can play now.
func (p *Player) limit(t *track) time.Duration {
	if p.run.Live() {
		return p.edge(t)
	}
	return t.end()
}

// edge returns the time of a live run now, minus Delay: it advances even without events.
func (p *Player) edge(t *track) time.Duration {
	if t.complete() {
		return t.end()
	}
	return max(t.last()+p.heard-Delay, 0)
}

// chase keeps the playhead at the live edge. It goes a little faster or slower to get there, and jumps only if it is
// far off: the picture must not stutter because a packet was late.
func (p *Player) chase(t *track, dt time.Duration) {
	edge := p.edge(t)
	gap := edge - p.at
	if gap > 2*time.Second || gap < -2*time.Second {
		p.move(edge, t.history.SeqAt(edge))
		return
	}
	rate := 1 + float64(gap)/float64(Delay)
	to := p.at + time.Duration(float64(dt)*min(max(rate, 0), 2))
	if t.complete() && to >= t.end() {
		to, p.playing, p.follow = t.end(), false, false
		p.touch()
	}
	p.move(to, max(p.seq, t.history.SeqAt(to)))
}
